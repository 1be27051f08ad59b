/// One session, line by line: what to send, what to expect. The form in which transcripts of violations are saved.
///
///     # a comment
///     > {"type":"login","name":"$name","id":1}     sends a line; $name and $secret are put in
///     < {"type":"ok","to":"login"}                  waits for a line that has at least these members; "*" is any value
///     until betting                                 waits until this player may bet
///     until asked                                   waits until this player is asked something
///     wait 250ms
///     cut                                           ends the connection abruptly, and makes another one
public struct ReplayScript: Sendable, Equatable {
    enum Step: Sendable, Equatable {
        case send(String)
        case expect(JSONTree)
        case untilBetting
        case untilAsked
        /// Milliseconds.
        case wait(Int64)
        case cut
    }

    /// The file's name, for errors.
    public var name: String
    /// The steps with their lines, from 1.
    var steps: [(line: Int, step: Step)]

    public static func == (a: ReplayScript, b: ReplayScript) -> Bool {
        a.name == b.name && a.steps.map(\.line) == b.steps.map(\.line) && a.steps.map(\.step) == b.steps.map(\.step)
    }

    /// Reads a script.
    /// - Throws: an error that names the line and the expectation.
    public init(parsing text: String, name: String) throws(ScenarioError) {
        self.name = name
        steps = []
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            let trimmed = line.drop { $0 == " " || $0 == "\t" }
            guard !trimmed.isEmpty, trimmed.first != "#" else { continue }
            steps.append((index + 1, try Self.step(trimmed, index + 1, name)))
        }
    }

    private static func step(_ text: Substring, _ line: Int, _ file: String) throws(ScenarioError) -> Step {
        let word = text.prefix { $0 != " " }
        let rest = text.dropFirst(word.count).drop { $0 == " " }
        func error(_ expected: String) -> ScenarioError {
            ScenarioError(
                file: file, line: line, key: "step", value: JSONTree.quoted(String(text.prefix(60))), expected: expected)
        }
        switch word {
        case ">": return .send(String(rest))
        case "<":
            do {
                return .expect(try JSONTree(parsing: String(rest)))
            } catch let fault {
                throw error("a pattern in JSON: expected \(fault.expected)")
            }
        case "until" where rest == "betting": return .untilBetting
        case "until" where rest == "asked": return .untilAsked
        case "wait":
            guard let time = Distribution.Span.milliseconds(in: String(rest)), time <= 3_600_000 else {
                throw error("'wait' with a time such as 250ms")
            }
            return .wait(Int64(time))
        case "cut" where rest.isEmpty: return .cut
        default: throw error("one of: > LINE, < PATTERN, until betting, until asked, wait TIME, cut, or # a comment")
        }
    }
}

extension JSONTree {
    /// Whether a value has at least the members of a pattern. `"*"` matches any value; arrays must contain all elements.
    func matches(_ pattern: JSONTree) -> Bool {
        switch (pattern, self) {
        case ("*", _): true
        case (.object(let members), .object): members.allSatisfy { self[$0.key]?.matches($0.value) ?? false }
        case (.array(let patterns), .array(let elements)):
            patterns.count == elements.count && zip(elements, patterns).allSatisfy { $0.matches($1) }
        default: self == pattern
        }
    }
}
