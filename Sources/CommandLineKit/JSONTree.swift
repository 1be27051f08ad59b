/// A JSON value of a file: configurations and scenarios are read from it, reports written through it. Numbers keep their digits and
/// members their order; no object has a key twice. The protocol's lines are read by `Wire`, which is faster and knows no positions.
public struct JSONTree: Sendable, Equatable {
    public enum Content: Sendable, Equatable {
        case null
        case bool(Bool)
        /// As it is written.
        case number(String)
        case string(String)
        case array([JSONTree])
        case object([Member])
    }

    /// One member of an object.
    public struct Member: Sendable, Equatable {
        public let key: String
        public let value: JSONTree

        public init(_ key: String, _ value: JSONTree) {
            self.key = key
            self.value = value
        }
    }

    /// A place in a text, from 1. Columns count characters by their first bytes, as editors do.
    public struct Position: Sendable, Equatable {
        package var line: Int
        package var column: Int

        package init(line: Int = 1, column: Int = 1) { (self.line, self.column) = (line, column) }
    }

    public let content: Content
    /// Where an array's element, or a member's key, begins; nil for a value that was made here.
    let position: Position?

    package init(_ content: Content, at position: Position? = nil) {
        self.content = content
        self.position = position
    }

    public static func == (one: JSONTree, other: JSONTree) -> Bool { one.content == other.content }

    public static let null = JSONTree(.null)
    public static func bool(_ value: Bool) -> JSONTree { JSONTree(.bool(value)) }
    public static func integer(_ value: some BinaryInteger) -> JSONTree { JSONTree(.number(String(value))) }
    public static func number(_ value: Double) -> JSONTree { value.isFinite ? JSONTree(.number(digits(of: value))) : .null }
    public static func string(_ value: String) -> JSONTree { JSONTree(.string(value)) }
    public static func array(_ elements: [JSONTree]) -> JSONTree { JSONTree(.array(elements)) }
    public static func object(_ members: [Member]) -> JSONTree { JSONTree(.object(members)) }

    /// The shortest digits that read back as the same number.
    package static func digits(of value: Double) -> String {
        if let whole = Int64(exactly: value), whole.magnitude < 1 << 53 { return String(whole) }
        return value.description
    }

    /// A member's value; nil if absent, or if this is no object.
    public subscript(key: String) -> JSONTree? { members.first { $0.key == key }?.value }

    public var number: Double? { if case .number(let digits) = content { Double(digits) } else { nil } }
    package var string: String? { if case .string(let text) = content { text } else { nil } }
    package var elements: [JSONTree] { if case .array(let elements) = content { elements } else { [] } }
    package var members: [Member] { if case .object(let members) = content { members } else { [] } }

    /// The value for the sentence "… is not a number". Of arrays and objects the kind alone: they may hold a secret.
    var shown: String {
        switch content {
        case .string(let text) where text.count > 60: "\"\(text.prefix(60))…\""
        case .array(let elements): elements.isEmpty ? "an empty list" : "a list"
        case .object: "an object"
        default: description
        }
    }
}

extension JSONTree: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    public init(stringLiteral value: String) { self = .string(value) }
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    public init(integerLiteral value: Int) { self = .integer(value) }
    public init(floatLiteral value: Double) { self = .number(value) }
    public init(arrayLiteral elements: JSONTree...) { self = .array(elements) }
    public init(dictionaryLiteral members: (String, JSONTree)...) { self = .object(members.map { Member($0.0, $0.1) }) }
}

// MARK: - Parsing

extension JSONTree {
    /// Reads a text that is one JSON value by RFC 8259.
    /// - Parameters:
    ///   - file: its path, for errors.
    ///   - position: where the text begins in that file.
    package init(
        parsing text: some Sequence<UInt8>, file: String = "", from position: Position = Position()
    ) throws(FileError) {
        var parser = JSONParser(text, file: file, from: position)
        self = try parser.whole()
    }
}

/// A cursor through a JSON text.
private struct JSONParser {
    /// Values inside each other, at most: each takes room on the stack.
    private static let mostDepth = 64
    private static let escapes: [Unicode.Scalar: UInt8] = [
        "\"": 0x22, "\\": 0x5C, "/": 0x2F, "b": 0x08, "f": 0x0C, "n": 0x0A, "r": 0x0D, "t": 0x09,
    ]

    private let file: String
    private let bytes: [UInt8]
    private var index = 0
    private var depth = 0
    /// The last position that was asked for: lines and columns are counted from there.
    private var counted: (index: Int, position: JSONTree.Position)

    init(_ text: some Sequence<UInt8>, file: String, from position: JSONTree.Position) {
        self.file = file
        bytes = Array(text)
        counted = (0, position)
    }

    /// The next byte, which is a character where it is ASCII.
    private var next: Unicode.Scalar? { index < bytes.count ? Unicode.Scalar(bytes[index]) : nil }

    private var position: JSONTree.Position {
        mutating get {
            for byte in bytes[counted.index..<index] {
                if byte == UInt8(ascii: "\n") {
                    counted.position = .init(line: counted.position.line + 1)
                } else if byte & 0xC0 != 0x80 {
                    counted.position.column += 1
                }
            }
            counted.index = index
            return counted.position
        }
    }

    private mutating func error(_ problem: String) -> FileError {
        FileError(file: file, position: position, path: "", problem: problem)
    }

    private mutating func skipSpace() {
        while let byte = next, byte == " " || byte == "\n" || byte == "\r" || byte == "\t" { index += 1 }
    }

    /// Takes a text, and the space before it, if it comes next.
    private mutating func take(_ text: String) -> Bool {
        skipSpace()
        // The first byte decides nearly always.
        guard index < bytes.count, bytes[index] == text.utf8.first, bytes[index...].starts(with: text.utf8) else { return false }
        index += text.utf8.count
        return true
    }

    /// Reads a text that is one value and nothing else.
    mutating func whole() throws(FileError) -> JSONTree {
        let result = try tree()
        skipSpace()
        guard index == bytes.count else { throw error("unexpected text after the value") }
        return result
    }

    private mutating func tree() throws(FileError) -> JSONTree {
        skipSpace()
        let position = position
        guard depth < Self.mostDepth else { throw error("nested deeper than \(Self.mostDepth) levels") }
        depth += 1
        defer { depth -= 1 }
        return JSONTree(try content(), at: position)
    }

    private mutating func content() throws(FileError) -> JSONTree.Content {
        switch next ?? "\0" {
        case "{":
            var keys: Set<String> = []
            return .object(try items(until: "}") { parser throws(FileError) in try parser.member(&keys) })
        case "[": return .array(try items(until: "]") { parser throws(FileError) in try parser.tree() })
        case "\"": return .string(try string())
        case "-", "0"..."9": return .number(try number())
        case _ where take("true"): return .bool(true)
        case _ where take("false"): return .bool(false)
        case _ where take("null"): return .null
        default: throw error("expected a value: a string in double quotes, a number, true, false, null, a list or an object")
        }
    }

    /// Items between brackets, with commas between them.
    private mutating func items<Item>(
        until end: String, _ item: (inout Self) throws(FileError) -> Item
    ) throws(FileError) -> [Item] {
        index += 1
        var items: [Item] = []
        if take(end) { return items }
        repeat { items.append(try item(&self)) } while take(",")
        guard take(end) else { throw error("expected a comma or \(end)") }
        return items
    }

    /// A key, a colon and a value.
    /// - Parameter keys: those of the object so far.
    private mutating func member(_ keys: inout Set<String>) throws(FileError) -> JSONTree.Member {
        skipSpace()
        guard next == "\"" else { throw error("expected a key in double quotes") }
        let position = position
        let key = try string()
        guard keys.insert(key).inserted else {
            throw FileError(file: file, position: position, path: "", problem: "duplicate key \"\(key)\"")
        }
        guard take(":") else { throw error("expected a colon after the key") }
        return JSONTree.Member(key, JSONTree(try tree().content, at: position))
    }

    private mutating func number() throws(FileError) -> String {
        let start = index
        if next == "-" { index += 1 }
        if next == "0", index + 1 < bytes.count, bytes[index + 1].isDigit { throw error("a number must not start with 0") }
        try digits()
        if next == "." {
            index += 1
            try digits()
        }
        if next == "e" || next == "E" {
            index += 1
            if next == "+" || next == "-" { index += 1 }
            try digits()
        }
        let text = String(decoding: bytes[start..<index], as: UTF8.self)
        guard Double(text)?.isFinite == true else {
            throw error("expected a number that a 64-bit double can hold, not \(text.prefix(40))")
        }
        return text
    }

    private mutating func digits() throws(FileError) {
        guard index < bytes.count, bytes[index].isDigit else { throw error("expected a digit") }
        while index < bytes.count, bytes[index].isDigit { index += 1 }
    }

    /// A string, whose first quote comes next.
    private mutating func string() throws(FileError) -> String {
        index += 1
        var content: [UInt8] = []
        while let byte = next {
            switch byte {
            case "\"":
                guard let text = String(validating: content, as: UTF8.self) else { throw error("the string is not valid UTF-8") }
                index += 1
                return text
            case "\\":
                index += 1
                try escape(&content)
            case ..<" ": throw error("a control character in a string must be escaped")
            default:
                content.append(bytes[index])
                index += 1
            }
        }
        throw error("the text ends within a string")
    }

    private mutating func escape(_ content: inout [UInt8]) throws(FileError) {
        if let plain = next.flatMap({ Self.escapes[$0] }) {
            index += 1
            return content.append(plain)
        }
        guard next == "u" else { throw error("unknown escape; known: \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\uHHHH") }
        var units = [try unit()]
        // Characters beyond the first plane are a pair of surrogates.
        if (0xD800..<0xDC00).contains(units[0]), bytes[index...].starts(with: "\\u".utf8) {
            index += 1
            units.append(try unit())
        }
        guard let text = String(validating: units, as: UTF16.self) else { throw error("unpaired surrogate") }
        content += text.utf8
    }

    /// Four digits after the `u` that comes next.
    private mutating func unit() throws(FileError) -> UInt16 {
        index += 1
        let digits = bytes[index...].prefix(4)
        guard digits.count == 4, digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }),
            let unit = UInt16(String(decoding: digits, as: UTF8.self), radix: 16)
        else { throw error("expected four hexadecimal digits") }
        index += 4
        return unit
    }
}

// MARK: - Writing

extension JSONTree: CustomStringConvertible {
    /// The value in one line.
    public var description: String {
        switch content {
        case .null: "null"
        case .bool(let value): value ? "true" : "false"
        case .number(let digits): digits
        case .string(let value): Self.quoted(value)
        case .array(let elements): "[" + elements.map(\.description).joined(separator: ",") + "]"
        case .object(let members):
            "{" + members.map { "\(Self.quoted($0.key)):\($0.value)" }.joined(separator: ",") + "}"
        }
    }

    private static func quoted(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": result += "\\\(scalar)"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return Console.visibleJSON("\"\(result)\"")
    }
}
