/// How one kind of value is written on a command line: read by ``parse``, shown by ``print``, named in errors by ``expected``.
///
/// `parse(print(value)) == value` must hold, since help shows defaults and a printed configuration shows values in this form.
public struct ValueFormat<Value: Sendable>: Sendable {
    /// What stands for the value in help: `"N"`.
    public let name: String
    /// What would be right, to end the sentence "'abc' is not …": `"a whole number from 0 to 7"`.
    public let expected: String
    /// What a shell may offer.
    public var completion: Completion
    /// How the value is written in a configuration file.
    public let literal: Literal
    /// Reads what is more than a word from a configuration file; nil for a plain value.
    var readField: (@Sendable (ConfigurationField) throws(ConfigurationError) -> Value)?
    /// The value that the text stands for, or nil.
    public let parse: @Sendable (String) -> Value?
    /// The text that stands for the value.
    public let print: @Sendable (Value) -> String

    /// Makes a format of one's own.
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

    /// The same format, with something else offered by the shell: `.text().completing(.words(["vegas"], orFiles: true))`.
    public func completing(_ completion: Completion) -> Self {
        var copy = self
        copy.completion = completion
        return copy
    }
}

extension ValueFormat {
    /// The same format, which in a configuration file may also be an object or a list, read by `read`.
    public func reading(_ read: @escaping @Sendable (ConfigurationField) throws(ConfigurationError) -> Value) -> Self {
        var copy = self
        copy.readField = read
        return copy
    }
}

/// How a value is written in a configuration file: as a text in quotes, as a number, or as true and false.
public enum Literal: Sendable {
    case text, number, bool
}

/// What a shell may offer for a value: some words, the names of files, both, or nothing.
public struct Completion: Sendable, Equatable {
    /// The words offered, of ASCII letters, digits and `-._:/+`, which no shell takes for anything else.
    public let words: [String]
    /// Whether names of files are offered.
    public let files: Bool

    /// Nothing can be offered.
    public static let none = Completion(words: [], files: false)
    /// Names of files.
    public static let files = Completion(words: [], files: true)
    /// These words and, if `orFiles`, names of files.
    public static func words(_ words: [String], orFiles: Bool = false) -> Completion {
        for word in words {
            precondition(word.utf8.allSatisfy { $0.isNameByte || "._:/+".utf8.contains($0) }, "'\(word)' is no word to offer")
        }
        return Completion(words: words, files: orFiles)
    }
}

extension UInt8 {
    /// Whether it may stand in the name of a command or an option: an ASCII letter, a digit, `-`.
    var isNameByte: Bool {
        isDigit || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20) || self == UInt8(ascii: "-")
    }

    /// Whether it is an ASCII digit.
    var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }
}

extension ValueFormat where Value: FixedWidthInteger {
    /// A whole number in decimal digits, within the range.
    public static func int(_ range: ClosedRange<Value> = Value.min...Value.max) -> Self {
        let expected = "a whole number from \(range.lowerBound) to \(range.upperBound)"
        return Self("N", expected: expected, literal: .number) { text in
            Value(text).flatMap { range.contains($0) ? $0 : nil }
        } print: {
            String($0)
        }
    }

    /// A span of time in whole milliseconds, written as numbers with units, the greatest first: `250ms`, `60s`, `5m`, `1h30m`.
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
    /// A decimal number within the range; never infinite, never "not a number".
    public static func double(_ range: ClosedRange<Double>) -> Self {
        Self("X", expected: "a number from \(range.lowerBound) to \(range.upperBound)", literal: .number) { text in
            // Double(text) also reads "inf", "nan" and hexadecimal, which nobody means on a command line.
            guard text.utf8.allSatisfy({ "0123456789+-.eE".utf8.contains($0) }), let value = Double(text) else { return nil }
            return range.contains(value) ? value : nil
        } print: {
            String($0)
        }
    }
}

extension ValueFormat<String> {
    /// Any text but the empty one, of at most so many characters.
    public static func text(upTo limit: Int = .max) -> Self {
        Self("TEXT", expected: limit == .max ? "a text of at least one character" : "a text of 1 to \(limit) characters") {
            $0.isEmpty || $0.count > limit ? nil : $0
        } print: {
            $0
        }
    }

    /// The path of a file, which a shell can complete. Whether the file exists is for the program to find out.
    public static var path: Self {
        Self("FILE", expected: "the path of a file", completion: .files, parse: { $0.isEmpty ? nil : $0 }, print: { $0 })
    }
}

extension ValueFormat where Value: CaseIterable & RawRepresentable<String> {
    /// One of the cases of an enumeration, by its raw value.
    public static var choice: Self {
        let words = Value.allCases.map(\.rawValue)
        return Self(
            words.joined(separator: "|"), expected: "one of " + words.joined(separator: ", "), completion: .words(words),
            parse: { Value(rawValue: $0) }, print: { $0.rawValue })
    }
}

extension ValueFormat<Bool> {
    /// Yes or no, as a flag's environment variable says it.
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
