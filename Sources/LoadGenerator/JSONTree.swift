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

// MARK: - Parsing

/// A syntax error: expectation and line.
struct JSONTreeError: Error, Equatable, Sendable, CustomStringConvertible {
    /// From 1.
    var line: Int
    var expected: String
    var description: String { "line \(line): expected \(expected)" }
}

extension JSONTree {
    /// Reads a text that is one JSON value by RFC 8259, at most 64 values deep, no key twice in an object.
    init(parsing text: String) throws(JSONTreeError) {
        var parser = Parser(bytes: Array(text.utf8))
        parser.skipSpace()
        self = try parser.value(depth: 0)
        parser.skipSpace()
        guard parser.isAtEnd else { throw parser.expected("the end of the file") }
    }

    private struct Parser {
        let bytes: [UInt8]
        var position = 0
        var line = 1

        init(bytes: [UInt8]) { self.bytes = bytes }

        var isAtEnd: Bool { position == bytes.count }
        private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

        func expected(_ what: String) -> JSONTreeError { JSONTreeError(line: line, expected: what) }

        mutating func skipSpace() {
            while let byte = next, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D {
                if byte == 0x0A { line += 1 }
                position += 1
            }
        }

        private mutating func take(_ character: Unicode.Scalar) -> Bool {
            guard next == UInt8(ascii: character) else { return false }
            position += 1
            return true
        }

        mutating func value(depth: Int) throws(JSONTreeError) -> JSONTree {
            guard depth < 64 else { throw expected("no more than 64 values inside each other") }
            switch next {
            case UInt8(ascii: "{"): return .object(try object(depth: depth))
            case UInt8(ascii: "["): return .array(try array(depth: depth))
            case UInt8(ascii: "\""): return .string(try string())
            case UInt8(ascii: "t") where word("true"): return .bool(true)
            case UInt8(ascii: "f") where word("false"): return .bool(false)
            case UInt8(ascii: "n") where word("null"): return .null
            default: return .number(try number())
            }
        }

        private mutating func word(_ text: String) -> Bool {
            guard bytes[position...].starts(with: text.utf8) else { return false }
            position += text.utf8.count
            return true
        }

        private mutating func array(depth: Int) throws(JSONTreeError) -> [JSONTree] {
            position += 1
            var elements: [JSONTree] = []
            skipSpace()
            if take("]") { return elements }
            while true {
                skipSpace()
                elements.append(try value(depth: depth + 1))
                skipSpace()
                if take("]") { return elements }
                guard take(",") else { throw expected("',' or ']'") }
            }
        }

        private mutating func object(depth: Int) throws(JSONTreeError) -> [Member] {
            position += 1
            var members: [Member] = []
            var keys: Set<String> = []
            skipSpace()
            if take("}") { return members }
            while true {
                skipSpace()
                guard next == UInt8(ascii: "\"") else { throw expected("a key in double quotes") }
                let (start, key) = (line, try string())
                guard keys.insert(key).inserted else { throw expected("the key \"\(key)\" only once") }
                skipSpace()
                guard take(":") else { throw expected("':'") }
                skipSpace()
                members.append(Member(key, try value(depth: depth + 1), line: start))
                skipSpace()
                if take("}") { return members }
                guard take(",") else { throw expected("',' or '}'") }
            }
        }

        private mutating func number() throws(JSONTreeError) -> Double {
            let start = position
            _ = take("-")
            let first = position
            while let byte = next, (0x30...0x39).contains(byte) { position += 1 }
            let isWhole = position > first && (bytes[first] != 0x30 || position == first + 1)
            while let byte = next, "+-.eE0123456789".utf8.contains(byte) { position += 1 }
            let text = String(decoding: bytes[start..<position], as: UTF8.self)
            guard isWhole, let value = Double(text), !text.hasSuffix("."), text.firstRange(of: ".e") == nil,
                text.firstRange(of: ".E") == nil
            else {
                position = start
                throw expected("a value")
            }
            guard value.isFinite else { throw expected("a number that a 64-bit double can hold, not \(text.prefix(40))") }
            return value
        }

        private mutating func string() throws(JSONTreeError) -> String {
            position += 1
            var content: [UInt8] = []
            while let byte = next {
                position += 1
                switch byte {
                case UInt8(ascii: "\""):
                    guard let text = String(validating: content, as: UTF8.self) else { throw expected("UTF-8") }
                    return text
                case UInt8(ascii: "\\"): content += try escape()
                case ..<0x20: throw expected("no control character in a text")
                default: content.append(byte)
                }
            }
            throw expected("the end of a text")
        }

        private mutating func escape() throws(JSONTreeError) -> [UInt8] {
            guard let byte = next else { throw expected("the end of a text") }
            position += 1
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return [byte]
            case UInt8(ascii: "b"): return [0x08]
            case UInt8(ascii: "f"): return [0x0C]
            case UInt8(ascii: "n"): return [0x0A]
            case UInt8(ascii: "r"): return [0x0D]
            case UInt8(ascii: "t"): return [0x09]
            case UInt8(ascii: "u"):
                var units = [try unit()]
                if (0xD800..<0xDC00).contains(units[0]) {
                    guard take("\\"), take("u") else { throw expected("a low surrogate") }
                    units.append(try unit())
                }
                guard let text = String(validating: units, as: UTF16.self) else { throw expected("a pair of surrogates") }
                return Array(text.utf8)
            default: throw expected("an escape: one of \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\u")
            }
        }

        private mutating func unit() throws(JSONTreeError) -> UInt16 {
            let digits = bytes[position..<min(position + 4, bytes.count)]
            guard digits.count == 4, digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }),
                let unit = UInt16(String(decoding: digits, as: UTF8.self), radix: 16)
            else { throw expected("four hexadecimal digits") }
            position += 4
            return unit
        }
    }

    // MARK: Text

    /// The value as text in one line.
    var compact: String {
        var text = ""
        write(to: &text, indent: nil)
        return text
    }

    /// The value as text over several lines, for people.
    public var pretty: String {
        var text = ""
        write(to: &text, indent: 0)
        return text + "\n"
    }

    private func write(to text: inout String, indent: Int?) {
        switch self {
        case .null: text += "null"
        case .bool(let value): text += value ? "true" : "false"
        case .number(let value): text += Self.text(of: value)
        case .string(let value): text += Self.quoted(value)
        case .array(let elements):
            // Arrays of plain values stay on a line.
            let isFlat = elements.allSatisfy { if case .array = $0 { false } else if case .object = $0 { false } else { true } }
            Self.write("[", "]", elements, isFlat ? nil : indent, &text) { $0.write(to: &$1, indent: $2) }
        case .object(let members):
            Self.write("{", "}", members, indent, &text) { member, text, indent in
                text += Self.quoted(member.key) + (indent == nil ? ":" : ": ")
                member.value.write(to: &text, indent: indent)
            }
        }
    }

    private static func write<Element>(
        _ open: String, _ close: String, _ elements: [Element], _ indent: Int?, _ text: inout String,
        _ body: (Element, inout String, Int?) -> Void
    ) {
        text += open
        for (index, element) in elements.enumerated() {
            if index > 0 { text += "," }
            if let indent { text += "\n" + String(repeating: "  ", count: indent + 1) }
            body(element, &text, indent.map { $0 + 1 })
        }
        if let indent, !elements.isEmpty { text += "\n" + String(repeating: "  ", count: indent) }
        text += close
    }

    /// The shortest text that reads back as the same number; null for NaN and infinities.
    static func text(of value: Double) -> String {
        value.isFinite ? shortest(value) : "null"
    }

    static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case "\u{0}"..."\u{1F}", "\u{7F}", "\u{2028}", "\u{2029}":
                let hex = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - hex.count) + hex
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}
