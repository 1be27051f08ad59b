/// An option, flag, argument or request, without the type of its value.
struct Parameter: Sendable {
    enum Kind: Sendable, Equatable {
        case option
        case flag(negatable: Bool)
        case argument
        case request(Request)
    }

    let kind: Kind
    /// The long name with its dashes; the placeholder of an argument.
    let name: String
    let short: Character?
    /// The value's placeholder in help; empty for a flag.
    let value: String
    let expected: String
    let completion: Completion
    let environment: String?
    let isRequired: Bool
    /// The key in a configuration file; nil if not allowed in one.
    let key: String?
    var isRepeated = false
    /// The default as shown in help.
    var fallback: String?
    let help: String

    init<Value>(
        _ kind: Kind, _ name: String, _ format: ValueFormat<Value>, value: String? = nil, short: Character? = nil,
        environment: String? = nil, key: String? = nil, inFile: Bool = true, required: Bool = false, help: String
    ) {
        self.kind = kind
        self.name = name
        self.short = short
        self.value = value ?? format.name
        self.expected = format.expected
        self.completion = format.completion
        self.environment = environment
        self.isRequired = required
        let canBeInFile =
            switch kind {
            case .option, .flag: inFile
            case .argument, .request: false
            }
        self.key = canBeInFile ? key ?? name.camelCased : nil
        self.help = help
    }

    var takesValue: Bool { !value.isEmpty }

    /// `--no-name`; nil unless negatable.
    var negation: String? {
        kind == .flag(negatable: true) ? "--no-" + name.dropFirst(2) : nil
    }

    /// Every spelling: long name, negation, short name.
    var spellings: [String] {
        [name, negation, short.map { "-\($0)" }].compactMap(\.self)
    }

    /// Name and value: `--listen HOST:PORT`, `--[no-]color` or `[FILE]…`.
    var usage: String {
        switch kind {
        case .argument:
            (isRequired ? name : "[\(name)]") + (isRepeated ? "…" : "")
        default:
            (negation == nil ? name : "--[no-]" + name.dropFirst(2)) + (takesValue ? " \(value)" : "")
        }
    }

    /// The help with notes: required, repeatable, default.
    var fullHelp: String {
        var notes: [String] = []
        if isRequired, kind != .argument { notes.append("required") }
        if isRepeated, kind != .argument { notes.append("may be repeated") }
        // A flag's default is off unless noted.
        if let fallback, !fallback.isEmpty, takesValue || kind == .argument || fallback == "yes" {
            notes.append("default: \(fallback)")
        }
        return notes.isEmpty ? help : "\(help) (\(notes.joined(separator: "; ")))"
    }

    /// The first sentence of the help without its full stop, for completions.
    var brief: String { help.firstSentence }

    /// The first sentence with its default, for the help of one screen.
    var briefHelp: String {
        guard let fallback, !fallback.isEmpty, takesValue || kind == .argument else {
            return isRequired && kind != .argument ? "\(brief) (required)" : brief
        }
        return "\(brief) (default: \(fallback))"
    }
}

/// A word answered with a text instead of running the command.
enum Request: Sendable, Equatable {
    case help, version, manual, completions
}

extension String {
    /// `maxConnections` for `max-connections`.
    fileprivate var camelCased: String {
        let words = split(separator: "-")
        return words.enumerated().map { $0 == 0 ? String($1) : $1.prefix(1).uppercased() + $1.dropFirst() }.joined()
    }

    /// The text up to the first full stop that ends a sentence, without it.
    var firstSentence: String {
        var text = self[...]
        var index = text.startIndex
        while let stop = text[index...].firstIndex(of: ".") {
            index = text.index(after: stop)
            guard index == text.endIndex || text[index] == " " else { continue }
            text = text[..<stop]
            break
        }
        return String(text)
    }
}

/// Type-erased binding of a parameter to a property: a key path and a format.
struct Slot<Options: Sendable>: Sendable {
    /// Parses the texts into the options; returns the first invalid text, or nil.
    let assign: @Sendable (_ texts: [String], _ options: inout Options) -> String?
    /// Parses a configuration file's value into the options.
    let assignField: @Sendable (_ field: JSONField, _ options: inout Options) throws(FileError) -> Void
    /// The value in the form that `assign` parses; lists joined by commas, as in the environment; nil when unset.
    let show: @Sendable (Options) -> String?

    init<Value>(one path: WritableKeyPath<Options, Value> & Sendable, _ format: ValueFormat<Value>) {
        assign = { texts, options in
            Self.last(of: texts, format) { options[keyPath: path] = $0 }
        }
        assignField = { field, options throws(FileError) in options[keyPath: path] = try field.read(format) }
        show = { format.print($0[keyPath: path]) }
    }

    init<Value>(optional path: WritableKeyPath<Options, Value?> & Sendable, _ format: ValueFormat<Value>) {
        assign = { texts, options in
            Self.last(of: texts, format) { options[keyPath: path] = $0 }
        }
        assignField = { field, options throws(FileError) in
            // `null` leaves an optional value unset.
            options[keyPath: path] = field.value == .null ? nil : try field.read(format)
        }
        show = { $0[keyPath: path].map(format.print) }
    }

    init<Value>(many path: WritableKeyPath<Options, [Value]> & Sendable, _ format: ValueFormat<Value>) {
        assign = { texts, options in
            var values: [Value] = []
            for text in texts {
                guard let value = format.parse(text) else { return text }
                values.append(value)
            }
            options[keyPath: path] = values
            return nil
        }
        assignField = { field, options throws(FileError) in
            var values: [Value] = []
            for item in try field.items("a list, each item \(format.expectedInFile)") { values.append(try item.read(format)) }
            options[keyPath: path] = values
        }
        show = {
            let values = $0[keyPath: path]
            return values.isEmpty ? nil : values.map(format.print).joined(separator: ",")
        }
    }

    /// Parses every text, so that an error shows even if a later text overrides it; keeps the last.
    private static func last<Value>(of texts: [String], _ format: ValueFormat<Value>, keep: (Value) -> Void) -> String? {
        for text in texts {
            guard let value = format.parse(text) else { return text }
            keep(value)
        }
        return nil
    }
}

/// A text format for one kind of value: ``parse``, ``print``, and ``expected`` for errors.
///
/// Law: `parse(print(value)) == value`, since help and printed configurations show values in this form.
public struct ValueFormat<Value: Sendable>: Sendable {
    /// The placeholder in help: `"N"`.
    public let name: String
    /// Completes the sentence "'abc' is not …": `"a whole number from 0 to 7"`.
    public let expected: String
    /// Completions for a shell.
    public var completion: Completion
    /// The JSON type in a configuration file.
    public let literal: Literal
    /// Parses an object or list from a configuration file; nil for plain values.
    var readField: (@Sendable (JSONField) throws(FileError) -> Value)?
    /// The text's value, or nil.
    public let parse: @Sendable (String) -> Value?
    /// The value's text.
    public let print: @Sendable (Value) -> String

    /// Makes a custom format.
    public init(
        _ name: String, expected: String, completion: Completion = .none, literal: Literal = .text,
        parse: @escaping @Sendable (String) -> Value?, print: @escaping @Sendable (Value) -> String
    ) {
        self.name = name
        self.expected = expected
        self.completion = completion
        self.literal = literal
        self.parse = parse
        self.print = print
    }

    /// The same format with other completions: `.text().completing(.words(["vegas"], orFiles: true))`.
    public func completing(_ completion: Completion) -> Self {
        var copy = self
        copy.completion = completion
        return copy
    }
}

extension ValueFormat {
    /// The same format, which in a configuration file also accepts an object or a list, parsed by `read`.
    public func reading(_ read: @escaping @Sendable (JSONField) throws(FileError) -> Value) -> Self {
        var copy = self
        copy.readField = read
        return copy
    }
}

/// The JSON type in a configuration file: string, number or boolean.
public enum Literal: Sendable {
    case text, number, bool
}

/// Completions for a value: words, file names, both, or nothing.
public struct Completion: Sendable, Equatable {
    /// Words of ASCII letters, digits and `-._:/+`, which need no quoting in any shell.
    public let words: [String]
    /// True to complete file names.
    public let files: Bool

    /// No completions.
    public static let none = Completion(words: [], files: false)
    /// File names.
    public static let files = Completion(words: [], files: true)
    /// The words and, if `orFiles`, file names.
    public static func words(_ words: [String], orFiles: Bool = false) -> Completion {
        for word in words {
            precondition(
                word.utf8.allSatisfy { $0.isNameByte || "._:/+".utf8.contains($0) }, "'\(word)' is not a valid completion")
        }
        return Completion(words: words, files: orFiles)
    }
}

extension UInt8 {
    /// Valid in names of commands and options: an ASCII letter, a digit, `-`.
    var isNameByte: Bool {
        isDigit || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20) || self == UInt8(ascii: "-")
    }

    var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
}

extension ValueFormat where Value: FixedWidthInteger {
    /// A whole number in decimal digits within the range.
    public static func int(_ range: ClosedRange<Value> = Value.min...Value.max) -> Self {
        let expected = "a whole number from \(range.lowerBound) to \(range.upperBound)"
        return Self("N", expected: expected, literal: .number) { text in
            Value(text).flatMap { range.contains($0) ? $0 : nil }
        } print: {
            String($0)
        }
    }

    /// A duration in whole milliseconds, as numbers with units, largest first: `250ms`, `60s`, `5m`, `1h30m`.
    public static func milliseconds(_ range: ClosedRange<Value> = 0...Value.max) -> Self {
        precondition(range.lowerBound >= 0, "a span of time is not negative")
        let low = TimeSpan.text(of: range.lowerBound)
        let bounds =
            switch (range.lowerBound, range.upperBound) {
            case (0, .max): ""
            case (_, .max): " of at least \(low)"
            case (_, let high): " from \(low) to \(TimeSpan.text(of: high))"
            }
        return Self("TIME", expected: "a time\(bounds), such as 250ms, 60s, 5m or 1h30m") { text in
            TimeSpan.milliseconds(in: text).flatMap { range.contains($0) ? $0 : nil }
        } print: {
            TimeSpan.text(of: $0)
        }
    }
}

extension ValueFormat<String> {
    /// Non-empty text of at most `limit` characters.
    public static func text(upTo limit: Int = .max) -> Self {
        Self("TEXT", expected: limit == .max ? "a text of at least one character" : "a text of 1 to \(limit) characters") {
            $0.isEmpty || $0.count > limit ? nil : $0
        } print: {
            $0
        }
    }

    /// A file path, completed by the shell. The format does not check that the file exists.
    public static var path: Self {
        Self("FILE", expected: "the path of a file", completion: .files, parse: { $0.isEmpty ? nil : $0 }, print: { $0 })
    }
}

extension ValueFormat where Value: CaseIterable & RawRepresentable<String> {
    /// A case of an enumeration, by raw value.
    public static var choice: Self {
        let words = Value.allCases.map(\.rawValue)
        return Self(
            words.joined(separator: "|"), expected: "one of " + words.joined(separator: ", "), completion: .words(words),
            parse: { Value(rawValue: $0) }, print: { $0.rawValue })
    }
}

extension ValueFormat<Bool> {
    /// Yes or no, as in a flag's environment variable.
    static var yesOrNo: Self {
        Self("", expected: "yes or no", literal: .bool) { text in
            switch text {
            case "yes", "true", "on", "1": true
            case "no", "false", "off", "0": false
            default: nil
            }
        } print: {
            $0 ? "yes" : "no"
        }
    }
}
