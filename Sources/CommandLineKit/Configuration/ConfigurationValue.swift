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
