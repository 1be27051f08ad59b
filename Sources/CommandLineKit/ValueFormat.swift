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
    var readField: (@Sendable (ConfigurationField) throws(ConfigurationError) -> Value)?
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
    public func reading(_ read: @escaping @Sendable (ConfigurationField) throws(ConfigurationError) -> Value) -> Self {
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

extension ValueFormat<Double> {
    /// A finite decimal number within the range.
    package static func double(_ range: ClosedRange<Double>) -> Self {
        Self("X", expected: "a number from \(range.lowerBound) to \(range.upperBound)", literal: .number) { text in
            // `Double(text)` also accepts "inf", "nan" and hexadecimal: excluded here.
            guard text.utf8.allSatisfy({ "0123456789+-.eE".utf8.contains($0) }), let value = Double(text) else { return nil }
            return range.contains(value) ? value : nil
        } print: {
            String($0)
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
