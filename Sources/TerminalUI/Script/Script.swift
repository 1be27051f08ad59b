import ClientCore
import TableModel

/// A file of commands and expectations, one a line. A value.
///
///     # Waits for the bets, bets, and stands on whatever comes.
///     expect phase betting within 60s
///     bet 10
///     expect turn
///     stand
///     expect /You (win|lose|push)/
public struct Script: Equatable, Sendable {
    /// The condition of an expectation.
    enum Pattern: Equatable, Sendable {
        /// The phase of the round.
        case phase(String)
        /// A question to the player.
        case turn
        /// A seat.
        case seat
        /// A sentence of a kind: `dealer`, `result`, `chat`, …
        case event(String)
        /// A sentence with this text.
        case text(String)
        /// A sentence that matches a regular expression.
        case expression(Expression)
    }

    enum Step: Equatable, Sendable {
        case expect(Pattern, seconds: Int64?)
        case within(seconds: Int64)
        case command(PlainCommand)
    }

    /// An error in a line.
    public struct Failure: Error, Equatable, Sendable, CustomStringConvertible {
        public let line: Int
        public let reason: String
        public var description: String { "line \(line): \(reason)" }
    }

    struct Line: Equatable, Sendable {
        let number: Int
        /// As it is written, for messages.
        let text: String
        let step: Step
    }

    /// Bytes of a file.
    public static let limit = 1 << 20
    /// Seconds that an expectation or a command waits, if the script does not say.
    static let standardSeconds: Int64 = 30

    let lines: [Line]

    /// Parses a file.
    public init(_ text: String) throws(Failure) {
        var lines: [Line] = []
        // Of CRLF, one character in Swift, both belong to the line's end.
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            let words = line.trimmed
            guard !words.isEmpty, !words.hasPrefix("#") else { continue }
            do throws(PlainCommand.Misunderstanding) {
                if let step = try Self.step(words) { lines.append(Line(number: index + 1, text: words, step: step)) }
            } catch {
                throw Failure(line: index + 1, reason: error.text.text)
            }
        }
        self.lines = lines
    }

    private static func step(_ words: String) throws(PlainCommand.Misunderstanding) -> Step? {
        if let rest = words.rest(after: "within") { return .within(seconds: try seconds(rest)) }
        guard let rest = words.rest(after: "expect") else {
            return try PlainCommand(line: words).map { .command($0) }
        }
        let (pattern, time) = parts(of: rest)
        return .expect(try self.pattern(pattern), seconds: try time.map(seconds))
    }

    /// A pattern, and the time behind it. Within quotes and slashes `within` is a word like any other.
    private static func parts(of words: String) -> (pattern: String, time: String?) {
        guard let sign = words.first, sign == "\"" || sign == "/" else {
            guard let match = words.firstMatch(of: /\s+within\s+(\S+)$/) else { return (words, nil) }
            return (String(words[..<match.range.lowerBound]), String(match.1))
        }
        guard let end = words.lastIndex(of: sign),
            let match = words[words.index(after: end)...].wholeMatch(of: /\s+within\s+(\S+)/)
        else { return (words, nil) }
        return (String(words[...end]), String(match.1))
    }

    private static func seconds(_ text: String) throws(PlainCommand.Misunderstanding) -> Int64 {
        let digits = text.hasSuffix("s") ? text.dropLast() : text[...]
        guard let seconds = Int64(digits), (1...86_400).contains(seconds) else {
            throw .init(text: "'\(SafeText(text, columns: 20))' is no time: 1s to 86400s, for example 'within 30s'.")
        }
        return seconds
    }

    private static func pattern(_ words: String) throws(PlainCommand.Misunderstanding) -> Pattern {
        if words == "turn" { return .turn }
        if words == "seat" { return .seat }
        if let phase = words.rest(after: "phase") {
            guard RoundPhase.names.contains(phase) else {
                let names = SafeText(RoundPhase.names.joined(separator: ", "))
                throw .init(text: "There is no phase '\(SafeText(phase, columns: 20))': \(names).")
            }
            return .phase(phase)
        }
        if let kind = words.rest(after: "event") {
            guard Sentence.Kind.names.contains(kind) else {
                throw .init(
                    text:
                        "There is no event '\(SafeText(kind, columns: 20))': \(SafeText(Sentence.Kind.names.joined(separator: ", ")))."
                )
            }
            return .event(kind)
        }
        if words.count > 2, words.hasPrefix("\""), words.hasSuffix("\"") { return .text(String(words.dropFirst().dropLast())) }
        if words.count > 2, words.hasPrefix("/"), words.hasSuffix("/") {
            let source = String(words.dropFirst().dropLast())
            do throws(Expression.Fault) {
                return .expression(try Expression(source))
            } catch {
                throw .init(text: "The expression '\(SafeText(source, columns: 60))' \(error.description).")
            }
        }
        throw .init(text: "expect: phase NAME, turn, seat, event KIND, \"text\" or /expression/; 'within 30s' may follow.")
    }
}

extension StringProtocol {
    /// Without white space at both ends. Foundation's function makes a static program 44 MB larger.
    fileprivate var trimmed: String {
        guard let end = lastIndex(where: { !$0.isWhitespace }) else { return "" }
        return String(self[...end].drop(while: \.isWhitespace))
    }
}

extension String {
    /// The rest after a word and spaces; nil if it does not begin with the word.
    fileprivate func rest(after word: String) -> String? {
        guard hasPrefix(word + " ") || hasPrefix(word + "\t") else { return self == word ? "" : nil }
        return dropFirst(word.count).trimmed
    }
}

extension RoundPhase {
    fileprivate static let names = allCases.map(\.rawValue)
}

extension Sentence.Kind {
    static let names = allCases.map { "\($0)" }
}
