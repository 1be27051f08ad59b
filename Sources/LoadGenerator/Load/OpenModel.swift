/// An open model: due times of actions, in microseconds on one clock, a Poisson process independent of the server; and the bots that act. An
/// action due while no bot can act counts its latency from then, which avoids coordinated omission.
struct OpenModel: Sendable {
    /// An action that a bot is to take.
    struct Assignment: Equatable, Sendable {
        var bot: Int
        var intended: Int64
        /// When both were there: the action due and the bot able.
        var possible: Int64
        /// Whether the action had to wait for a bot.
        var waited: Bool
    }

    private var random: SeededRandom
    private let mean: Double
    private let end: Int64
    /// The moment of the next action, not rounded, so that rounding does not add up.
    private var following: Double
    // Slices: taking the first is as cheap as adding, and what is taken goes when the storage grows.
    private var due: ArraySlice<Int64> = []
    private var able: ArraySlice<(bot: Int, since: Int64)> = []
    /// Actions that were due while as many as allowed waited already.
    private(set) var dropped = 0

    /// The most actions that may wait.
    static let mostWaiting = 1_000_000

    /// - Parameters:
    ///   - perSecond: mean rate of due actions.
    ///   - random: a stream of its own.
    init(perSecond: Double, from start: Int64, until end: Int64, random: SeededRandom) {
        self.random = random
        self.end = end
        mean = 1_000_000 / perSecond
        following = Double(start) + mean * self.random.exponential()
    }

    /// The moment of the next action that will be due; nil after the last.
    var next: Int64? { following < Double(end) ? Int64(following) : nil }

    /// How many actions wait for a bot.
    var waiting: Int { due.count }

    /// Queues the actions that became due.
    mutating func advance(to now: Int64) {
        while let moment = next, moment <= now {
            if due.count < Self.mostWaiting { due.append(moment) } else { dropped += 1 }
            following += mean * random.exponential()
        }
    }

    /// A bot may act from now on.
    mutating func add(_ bot: Int, at now: Int64) { able.append((bot, now)) }

    /// The oldest due action and the bot that has been able longest; nil without such a pair.
    /// - Parameter isAble: whether a bot still can act; one that cannot is dropped.
    mutating func take(where isAble: (Int) -> Bool) -> Assignment? {
        guard !due.isEmpty else { return nil }
        while let candidate = able.popFirst() {
            guard isAble(candidate.bot) else { continue }
            guard let intended = due.popFirst() else { return nil }
            return Assignment(
                bot: candidate.bot, intended: intended, possible: max(intended, candidate.since),
                waited: candidate.since > intended)
        }
        return nil
    }

    /// The oldest due moment, for events that need no bot.
    mutating func takeDue() -> Int64? { due.popFirst() }

    /// Takes all remaining due moments.
    mutating func giveUp() -> [Int64] {
        defer { due = [] }
        return Array(due)
    }
}
