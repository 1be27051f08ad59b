import Measuring

/// An open model's bookkeeping: when actions are due, and which bot takes which. Moments are microseconds on one clock; it reads none itself.
///
/// Actions are due at the moments of a Poisson process, whatever the server does. One that is due while no bot may act waits for the first
/// that may, and its time counts from when it was due: that is what keeps a stalled server from being measured only when it answers.
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
    private var due = FirstInFirstOut<Int64>()
    private var able = FirstInFirstOut<(bot: Int, since: Int64)>()
    /// Actions that were due while as many as allowed waited already.
    private(set) var dropped = 0

    /// The most actions that may wait.
    static let mostWaiting = 1_000_000

    /// - Parameters:
    ///   - perSecond: how many actions are due each second, on average.
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

    /// Takes note of what has become due.
    mutating func advance(to now: Int64) {
        while let moment = next, moment <= now {
            if due.count < Self.mostWaiting { due.append(moment) } else { dropped += 1 }
            following += mean * random.exponential()
        }
    }

    /// A bot may act from now on.
    mutating func add(_ bot: Int, at now: Int64) { able.append((bot, now)) }

    /// The oldest action that is due, with the bot that has been able longest; nil when there is no such pair.
    /// - Parameter isAble: whether a bot still may act. One that may not any more is forgotten.
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

    /// The oldest moment that is due, for what needs no bot that is there already.
    mutating func takeDue() -> Int64? { due.popFirst() }

    /// Whatever is still due, which nobody will take any more.
    mutating func giveUp() -> [Int64] {
        var left: [Int64] = []
        while let moment = due.popFirst() { left.append(moment) }
        return left
    }
}

/// A queue whose front moves on, so that taking is as cheap as adding.
struct FirstInFirstOut<Element> {
    private var elements: [Element] = []
    private var front = 0

    var count: Int { elements.count - front }
    var isEmpty: Bool { count == 0 }

    mutating func append(_ element: Element) { elements.append(element) }

    mutating func popFirst() -> Element? {
        guard front < elements.count else { return nil }
        defer {
            front += 1
            if front > 512, front * 2 > elements.count {
                elements.removeFirst(front)
                front = 0
            }
        }
        return elements[front]
    }
}

extension FirstInFirstOut: Sendable where Element: Sendable {}
