/// What may stand in a configuration file: JSON, with numbers kept as they are written, so that none loses a digit on its way.
public indirect enum ConfigurationValue: Sendable, Equatable {
    case null
    case bool(Bool)
    case number(String)
    case text(String)
    case list([ConfigurationValue])
    /// In the order of the file; no key comes twice.
    case object([Member])

    /// A key with its value.
    public struct Member: Sendable, Equatable {
        public let key: String
        public let value: ConfigurationValue

        public init(_ key: String, _ value: ConfigurationValue) {
            self.key = key
            self.value = value
        }
    }

    /// What it is, with its article, to begin the sentence "a list is not …".
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

/// What is wrong in a configuration file: which file, where in it, what stands there, and what would be right.
public struct ConfigurationError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The path of the file.
    public let file: String
    /// The key, with the way to it (`tables[1].minimumBet`), or `line 3, column 7`; empty for the file as a whole.
    public let place: String
    /// What is wrong there, as a sentence without its full stop.
    public let problem: String

    /// Makes an error, as a program does that reads a structure of its own.
    public init(file: String, place: String, problem: String) {
        self.file = file
        self.place = place
        self.problem = problem
    }

    /// `bj.json: tables[1].minimumBet: "ten" is not a whole number from 1 to 1000000000`
    public var description: String {
        // A file is an operator's own, yet what it holds may have been pasted from anywhere.
        [file, place, problem].filter { !$0.isEmpty }.map(\.shownSafely).joined(separator: ": ")
    }
}

/// Where in a file a value stands; every way to read it says so in its errors.
public struct ConfigurationField: Sendable {
    /// The path of the file.
    public let file: String
    /// The way to the value: `tables[1].minimumBet`.
    public let place: String
    public let value: ConfigurationValue

    /// Makes a field of its parts.
    public init(file: String, place: String, value: ConfigurationValue) {
        self.file = file
        self.place = place
        self.value = value
    }

    /// The folder that the file is in, with a slash at its end; empty when the path names none.
    public var folder: String {
        file.lastIndex(of: "/").map { String(file[...$0]) } ?? ""
    }

    /// An error about this value.
    /// - Parameter expected: what would be right: "a whole number from 0 to 7".
    public func isNot(_ expected: String) -> ConfigurationError {
        error("\(value.kind) is not \(expected)")
    }

    /// An error about this value, in words of one's own.
    public func error(_ problem: String) -> ConfigurationError { ConfigurationError(file: file, place: place, problem: problem) }

    /// The value as a format reads it: text for text, a number for a number. A number in quotes is refused: it is a mistake somewhere.
    public func read<Value>(_ format: ValueFormat<Value>) throws(ConfigurationError) -> Value {
        if let read = format.readField { return try read(self) }
        return try readPlain(format)
    }

    /// The value as ``read(_:)`` would take it if the format had no way of its own to read a file.
    public func readPlain<Value>(_ format: ValueFormat<Value>) throws(ConfigurationError) -> Value {
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

    /// The items of a list, each with its place.
    public func items(_ expected: String) throws(ConfigurationError) -> [ConfigurationField] {
        guard case .list(let values) = value else { throw isNot(expected) }
        return values.enumerated().map { ConfigurationField(file: file, place: "\(place)[\($0)]", value: $1) }
    }

    /// The members of an object by their keys.
    /// - Parameter known: the keys that may stand in it; any other is refused, with the one that was most likely meant.
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
    /// What would be right in a file, where yes and no are words of JSON.
    var expectedInFile: String { literal == .bool ? "true or false" : expected }
}

extension String {
    /// At most 200 scalars, with control characters and those that turn the direction of a text escaped.
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
