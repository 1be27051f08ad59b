import Rules
import TableModel

/// Practice in counting cards: the count of the cards seen, and what the player answers when asked for it between rounds. A value.
struct Counter: Equatable, Sendable {
    /// The question for the running count, and what is typed so far.
    struct Question: Equatable, Sendable {
        let count: Int
        /// Milliseconds.
        let askedAt: Int64
        /// As typed: a sign, and digits.
        var text = ""
    }

    /// nil: the player is not asked.
    private(set) var system: CountingSystem?
    var question: Question?
    /// The last round that was counted, and how many pass before the next question.
    private var (round, rest): (Int?, Int) = (nil, 2)
    private var (answers, right, time): (Int, Int, Int64) = (0, 0, 0)

    init(_ system: CountingSystem? = nil) { self.system = system }

    mutating func choose(_ system: CountingSystem?) { (self.system, question) = (system, nil) }

    /// Rounds of another table have the same numbers.
    mutating func leaveTable() { (question, round) = (nil, nil) }

    /// Asks now and then between rounds: after two to four rounds, as the cards will have it.
    /// - Returns: whether a question begins.
    mutating func take(_ table: TableSnapshot, at now: Int64) -> Bool {
        guard let system, let seen = table.seenCards, let current = table.round else { return false }
        guard current.phase.takesBets else {
            question = nil
            return false
        }
        defer { round = current.number }
        guard let round, round != current.number else { return false }
        rest -= 1
        guard rest <= 0 else { return false }
        rest = 2 + seen.reduce(0, +) % 3
        question = Question(count: Self.running(system, table), askedAt: now)
        return true
    }

    /// Ends the question.
    mutating func answer(_ guess: Int, at now: Int64) -> SafeText? {
        guard let question else { return nil }
        let (took, error) = (max(0, now - question.askedAt), abs(guess - question.count))
        (answers, right, time, self.question) = (answers + 1, right + (error == 0 ? 1 : 0), time + took, nil)
        let count = Wording.signed(question.count)
        return error == 0
            ? "Right: \(count), in \(Self.tenths(took / 100)) s."
            : "Wrong by \(error): it is \(count) (\(Self.tenths(took / 100)) s)."
    }

    // MARK: Words

    /// `Counting with hi-lo: 2-6 +1, 7-9 0, 10-A −1.`
    /// - Parameter control: the key that shows the count, or its word.
    func announcement(_ control: SafeText) -> SafeText {
        guard let system else { return "You are not asked for the count." }
        let tags = (Array(system.tags[1...9]) + [system.tags[0]]).enumerated().map { (name: Self.ranks[$0], tag: $1) }
        var groups: [(first: String, last: String, tag: Int)] = []
        for (name, tag) in tags {
            if groups.last?.tag == tag { groups[groups.count - 1].last = name } else { groups.append((name, name, tag)) }
        }
        let words = groups.map {
            "\(SafeText($0.first == $0.last ? $0.first : "\($0.first)-\($0.last)")) \(Wording.signed($0.tag))" as SafeText
        }
        return
            "Counting with \(SafeText(system.name)): \(words.joined()). \(control) shows the count; now and then you are asked for it."
    }

    private static let ranks = (2...10).map { "\($0)" } + ["A"]

    /// `hi-lo: running count +5, 4.2 decks left, true count +1.2.` A system whose tags do not add up to 0 has the running count alone, from
    /// one that leaves 4 for a whole shoe. nil where the table does not show the cards seen.
    func status(_ table: TableSnapshot) -> SafeText? {
        guard let system = system ?? CountingSystem(name: "hi-lo"), table.seenCards != nil, let left = table.cardsLeft else {
            return nil
        }
        let running = Self.running(system, table)
        let start = "\(SafeText(system.name)): running count \(Wording.signed(running))" as SafeText
        guard system.isBalanced else { return "\(start); a full shoe begins at \(Wording.signed(Self.start(system, table)))." }
        let decks = "\(start), \(Self.tenths(Int64((10 * left + 26) / 52))) decks left" as SafeText
        guard left > 0 else { return decks + "." }
        let count = Int64((520 * Double(running) / Double(left)).rounded())
        return "\(decks), true count \(count > 0 ? "+" : count < 0 ? "−" : "")\(Self.tenths(Int64(count.magnitude)))."
    }

    /// nil before the first answer.
    var summary: SafeText? {
        answers == 0
            ? nil : "Running count: \(right) of \(answers) right, \(Self.tenths(time / Int64(answers) / 100)) s on average."
    }

    private static func running(_ system: CountingSystem, _ table: TableSnapshot) -> Int {
        start(system, table) + system.runningCount(of: table.seenCards ?? [])
    }

    /// The running count of a full shoe: 0 where the tags of a pack add up to 0 (Vancura and Fuchs: 4 − 4 · decks).
    private static func start(_ system: CountingSystem, _ table: TableSnapshot) -> Int {
        -4 * system.tags.reduce(0, +) * ((table.rules?.decks ?? 1) - 1)
    }

    /// `4`, `4.2`.
    private static func tenths(_ tenths: Int64) -> SafeText {
        tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
    }
}

extension TableSnapshot {
    /// The cards seen since the shuffle, by rank, the ace first; nil where the table does not show them.
    fileprivate var seenCards: [Int]? {
        guard case .seen(let seen) = self[.seen] else { return nil }
        return Rank.allCases.map { seen[$0] }
    }
}
