/// A JSON value of a file: scenarios are read from it, reports written through it. Members keep their order.
///
/// It knows lines, for errors in files that people write; the protocol's messages are read by `Wire`.
public indirect enum JSONTree: Equatable, Sendable {
    case null
    case bool(Bool)
    case number(Double)
    case string(String)
    case array([JSONTree])
    case object([Member])

    /// One member of an object.
    public struct Member: Equatable, Sendable {
        public var key: String
        public var value: JSONTree
        /// The line of the file that the key stands in, from 1; 0 for a value that was made here.
        public var line: Int

        public init(_ key: String, _ value: JSONTree, line: Int = 0) {
            self.key = key
            self.value = value
            self.line = line
        }
    }

    static func integer(_ value: some BinaryInteger) -> JSONTree { .number(Double(value)) }

    /// A member's value; nil if absent, or if this is no object.
    public subscript(key: String) -> JSONTree? {
        if case .object(let members) = self { members.first { $0.key == key }?.value } else { nil }
    }

    /// The value at a path of keys, such as `latency.corrected.p99`; array elements by their index.
    public subscript(path path: String) -> JSONTree? {
        var value: JSONTree? = self
        for step in path.split(separator: ".") {
            if case .array(let elements) = value {
                value = Int(step).flatMap { elements.indices.contains($0) ? elements[$0] : nil }
            } else {
                value = value?[String(step)]
            }
        }
        return value
    }

    public var number: Double? { if case .number(let value) = self { value } else { nil } }
    var string: String? { if case .string(let value) = self { value } else { nil } }
    var elements: [JSONTree]? { if case .array(let elements) = self { elements } else { nil } }

    /// Its type, for people: `a number`, `an object`.
    var kind: String {
        switch self {
        case .null: "null"
        case .bool: "true or false"
        case .number: "a number"
        case .string: "a text"
        case .array: "an array"
        case .object: "an object"
        }
    }
}

extension JSONTree: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral
{
    public init(stringLiteral value: String) { self = .string(value) }
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    public init(integerLiteral value: Int) { self = .number(Double(value)) }
    public init(floatLiteral value: Double) { self = .number(value) }
}

extension JSONTree: ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral {
    public init(arrayLiteral elements: JSONTree...) { self = .array(elements) }
    public init(dictionaryLiteral members: (String, JSONTree)...) { self = .object(members.map { Member($0.0, $0.1) }) }
}
