/// Parses a configuration file: strict JSON (RFC 8259). Errors name line and column.
struct ConfigurationReader {
    /// Bytes per file.
    static let limit = 1 << 20
    /// Nesting depth of lists and objects.
    private static let depthLimit = 16

    private let file: String
    private let bytes: [UInt8]
    private var index = 0

    /// Parses the file's value.
    static func read(_ bytes: [UInt8], file: String) throws(ConfigurationError) -> ConfigurationValue {
        guard bytes.count <= limit else {
            throw ConfigurationError(file: file, place: "", problem: "larger than \(limit) bytes")
        }
        var reader = Self(file: file, bytes: bytes)
        let value = try reader.value(depth: 0)
        reader.skipSpace()
        guard reader.index == bytes.count else { throw reader.error("unexpected text after the value") }
        return value
    }

    private init(file: String, bytes: [UInt8]) {
        self.file = file
        self.bytes = bytes
    }

    private var next: UInt8? { index < bytes.count ? bytes[index] : nil }

    private func error(_ problem: String) -> ConfigurationError {
        let before = bytes[..<min(index, bytes.count)]
        let line = 1 + before.count { $0 == UInt8(ascii: "\n") }
        let start = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
        // Columns count characters by their first bytes, as editors do.
        let column = 1 + before[start...].count { $0 & 0xC0 != 0x80 }
        return ConfigurationError(file: file, place: "line \(line), column \(column)", problem: problem)
    }

    private mutating func skipSpace() {
        while let byte = next, [0x20, 0x09, 0x0A, 0x0D].contains(byte) { index += 1 }
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        guard next == byte else { return false }
        index += 1
        return true
    }

    private mutating func value(depth: Int) throws(ConfigurationError) -> ConfigurationValue {
        skipSpace()
        switch next {
        case UInt8(ascii: "{"): return try object(depth: depth)
        case UInt8(ascii: "["): return try list(depth: depth)
        case UInt8(ascii: "\""): return .text(try text())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        case let byte? where byte == UInt8(ascii: "-") || byte.isDigit: return .number(try number())
        case nil: throw error("the file ends before a value")
        default: throw error("expected a value: a string in double quotes, a number, true, false, a list or an object")
        }
    }

    private mutating func word(_ word: String, _ value: ConfigurationValue) throws(ConfigurationError) -> ConfigurationValue {
        guard bytes[index...].starts(with: word.utf8) else { throw error("expected a value, such as \(word)") }
        index += word.utf8.count
        return value
    }

    private mutating func object(depth: Int) throws(ConfigurationError) -> ConfigurationValue {
        guard depth < Self.depthLimit else { throw error("nested deeper than \(Self.depthLimit) levels") }
        index += 1
        var members: [ConfigurationValue.Member] = []
        var keys: Set<String> = []
        skipSpace()
        if take(UInt8(ascii: "}")) { return .object(members) }
        while true {
            skipSpace()
            guard next == UInt8(ascii: "\"") else { throw error("expected a key in double quotes") }
            let start = index
            let key = try text()
            guard keys.insert(key).inserted else {
                index = start
                throw error("duplicate key \"\(key)\"")
            }
            skipSpace()
            guard take(UInt8(ascii: ":")) else { throw error("expected a colon after the key") }
            members.append(.init(key, try value(depth: depth + 1)))
            skipSpace()
            if take(UInt8(ascii: "}")) { return .object(members) }
            guard take(UInt8(ascii: ",")) else { throw error("expected a comma or }") }
        }
    }

    private mutating func list(depth: Int) throws(ConfigurationError) -> ConfigurationValue {
        guard depth < Self.depthLimit else { throw error("nested deeper than \(Self.depthLimit) levels") }
        index += 1
        var values: [ConfigurationValue] = []
        skipSpace()
        if take(UInt8(ascii: "]")) { return .list(values) }
        while true {
            values.append(try value(depth: depth + 1))
            skipSpace()
            if take(UInt8(ascii: "]")) { return .list(values) }
            guard take(UInt8(ascii: ",")) else { throw error("expected a comma or ]") }
        }
    }
}

// MARK: - Numbers and texts

extension ConfigurationReader {
    private mutating func digits() throws(ConfigurationError) {
        let start = index
        while let byte = next, byte.isDigit { index += 1 }
        guard index > start else { throw error("expected a digit") }
    }

    private mutating func number() throws(ConfigurationError) -> String {
        let start = index
        _ = take(UInt8(ascii: "-"))
        let first = index
        try digits()
        if bytes[first] == UInt8(ascii: "0"), index > first + 1 {
            index = first
            throw error("a number must not start with 0")
        }
        if take(UInt8(ascii: ".")) { try digits() }
        if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
            if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
            try digits()
        }
        return String(decoding: bytes[start..<index], as: UTF8.self)
    }

    private mutating func text() throws(ConfigurationError) -> String {
        index += 1
        var result = ""
        var start = index
        while let byte = next {
            switch byte {
            case UInt8(ascii: "\""):
                result += try plain(from: start)
                index += 1
                return result
            case UInt8(ascii: "\\"):
                result += try plain(from: start)
                index += 1
                result.unicodeScalars.append(try escape())
                start = index
            case 0..<0x20: throw error("a control character in a string must be escaped")
            default: index += 1
            }
        }
        throw error("the file ends within a string")
    }

    private func plain(from start: Int) throws(ConfigurationError) -> String {
        guard let text = String(validating: bytes[start..<index], as: UTF8.self) else {
            throw error("the string is not valid UTF-8")
        }
        return text
    }

    private mutating func escape() throws(ConfigurationError) -> Unicode.Scalar {
        guard let byte = next else { throw error("the file ends within a string") }
        index += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): return try unicodeEscape()
        default:
            index -= 1
            throw error("unknown escape; known: \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\uHHHH")
        }
    }

    private mutating func unicodeEscape() throws(ConfigurationError) -> Unicode.Scalar {
        let unit = try hexadecimal()
        if let scalar = Unicode.Scalar(unit) { return scalar }
        // Characters beyond the first plane are a surrogate pair.
        guard unit < 0xDC00, take(UInt8(ascii: "\\")), take(UInt8(ascii: "u")) else { throw error("unpaired surrogate") }
        let low = try hexadecimal()
        guard (0xDC00...0xDFFF).contains(low), let scalar = Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00))
        else {
            throw error("unpaired surrogate")
        }
        return scalar
    }

    private mutating func hexadecimal() throws(ConfigurationError) -> UInt32 {
        let digits = bytes[index...].prefix(4)
        guard digits.count == 4, let value = UInt32(String(decoding: digits, as: UTF8.self), radix: 16),
            digits.first != UInt8(ascii: "+")
        else { throw error("expected four hexadecimal digits") }
        index += 4
        return value
    }
}

/// A JSON value. Numbers stay text, so that no digit is lost.
public indirect enum ConfigurationValue: Sendable, Equatable {
    case null
    case bool(Bool)
    case number(String)
    case text(String)
    case list([ConfigurationValue])
    /// In file order; keys are unique.
    case object([Member])

    public struct Member: Sendable, Equatable {
        public let key: String
        public let value: ConfigurationValue

        public init(_ key: String, _ value: ConfigurationValue) {
            self.key = key
            self.value = value
        }
    }

    /// The type with its article, for the sentence "a list is not …".
    var kind: String {
        switch self {
        case .null: "null"
        case .bool(let value): String(value)
        case .number(let digits): digits
        case .text(let text): "\"\(text)\""
        case .list: "a list"
        case .object: "an object"
        }
    }
}

/// An error in a configuration file: file, position, the value found, and what would be right.
public struct ConfigurationError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The path of the file.
    public let file: String
    /// The key path (`tables[1].minimumBet`), or `line 3, column 7`; empty for the whole file.
    public let place: String
    /// The fault, as a sentence without full stop.
    public let problem: String

    /// For programs with their own structures.
    public init(file: String, place: String, problem: String) {
        self.file = file
        self.place = place
        self.problem = problem
    }

    /// `bj.json: tables[1].minimumBet: "ten" is not a whole number from 1 to 1000000000`
    public var description: String {
        // The file is the operator's own, but its content may be pasted.
        [file, place, problem].filter { !$0.isEmpty }.map(\.shownSafely).joined(separator: ": ")
    }
}

/// A value with its position in a file, for errors.
public struct ConfigurationField: Sendable {
    /// The path of the file.
    public let file: String
    /// The key path: `tables[1].minimumBet`.
    public let place: String
    public let value: ConfigurationValue

    public init(file: String, place: String, value: ConfigurationValue) {
        self.file = file
        self.place = place
        self.value = value
    }

    /// The file's folder with a trailing slash; empty when the path has none.
    public var folder: String {
        file.lastIndex(of: "/").map { String(file[...$0]) } ?? ""
    }

    /// An error about this value.
    /// - Parameter expected: the valid form: "a whole number from 0 to 7".
    public func isNot(_ expected: String) -> ConfigurationError {
        error("\(value.kind) is not \(expected)")
    }

    /// An error about this value, in the caller's words.
    public func error(_ problem: String) -> ConfigurationError { ConfigurationError(file: file, place: place, problem: problem) }

    /// Parses the value: strings as text, numbers as numbers. Refuses a number in quotes: probably a mistake.
    public func read<Value>(_ format: ValueFormat<Value>) throws(ConfigurationError) -> Value {
        if let read = format.readField { return try read(self) }
        return try readPlain(format)
    }

    /// Parses the value as ``read(_:)`` does, ignoring the format's `readField`.
    func readPlain<Value>(_ format: ValueFormat<Value>) throws(ConfigurationError) -> Value {
        let text: String? =
            switch (value, format.literal) {
            case (.text(let text), .text): text
            case (.number(let digits), .number): digits
            case (.bool(let value), .bool): value ? "yes" : "no"
            default: nil
            }
        guard let text, let result = format.parse(text) else { throw isNot(format.expectedInFile) }
        return result
    }

    /// A list's items with their positions.
    public func items(_ expected: String) throws(ConfigurationError) -> [ConfigurationField] {
        guard case .list(let values) = value else { throw isNot(expected) }
        return values.enumerated().map { ConfigurationField(file: file, place: "\(place)[\($0)]", value: $1) }
    }

    /// An object's members by key.
    /// - Parameter known: the valid keys; refuses any other and suggests the nearest.
    public func members(_ expected: String, known: [String]) throws(ConfigurationError) -> [String: ConfigurationField] {
        guard case .object(let members) = value else { throw isNot(expected) }
        var fields: [String: ConfigurationField] = [:]
        for member in members {
            let field = ConfigurationField(
                file: file, place: place.isEmpty ? member.key : "\(place).\(member.key)", value: member.value)
            guard known.contains(member.key) else {
                let hint =
                    nearest(to: member.key, among: known).map { "did you mean \($0)?" }
                    ?? "known: \(known.joined(separator: ", "))"
                throw field.error("unknown key; \(hint)")
            }
            fields[member.key] = field
        }
        return fields
    }
}

extension ValueFormat {
    /// The valid form in a file, where yes and no are JSON booleans.
    var expectedInFile: String { literal == .bool ? "true or false" : expected }
}

extension String {
    /// At most 200 scalars; control and bidirectional characters escaped.
    var shownSafely: String {
        let shown = unicodeScalars.prefix(200).map { scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator: scalar.escaped(asASCII: true)
            default: String(scalar)
            }
        }
        return shown.joined() + (shown.count < unicodeScalars.count ? "…" : "")
    }
}
