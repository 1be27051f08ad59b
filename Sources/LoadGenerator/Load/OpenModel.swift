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

/// Tasks by due time in microseconds, first in first out at equal times. A binary heap; reads no clock.
package struct Agenda<Task> {
    private struct Entry {
        var moment: Int64
        var order: UInt64
        var task: Task
        func precedes(_ other: Entry) -> Bool { (moment, order) < (other.moment, other.order) }
    }

    private var entries: [Entry] = []
    private var entered: UInt64 = 0

    package init() {}

    /// The moment of the next task, in microseconds.
    var next: Int64? { entries.first?.moment }

    package mutating func add(_ task: Task, at moment: Int64) {
        entered += 1
        entries.append(Entry(moment: moment, order: entered, task: task))
        var child = entries.count - 1
        while child > 0, entries[child].precedes(entries[(child - 1) / 2]) {
            entries.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    /// The next task that is due, taken out.
    package mutating func take(until now: Int64) -> (moment: Int64, task: Task)? {
        guard let first = entries.first, first.moment <= now else { return nil }
        let last = entries.removeLast()
        guard !entries.isEmpty else { return (first.moment, first.task) }
        entries[0] = last
        var parent = 0
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2] where child < entries.count && entries[child].precedes(entries[least]) {
                least = child
            }
            guard least != parent else { return (first.moment, first.task) }
            entries.swapAt(least, parent)
            parent = least
        }
    }

    package mutating func removeAll(where isRemoved: (Task) -> Bool) {
        // An array in order is a heap.
        entries = entries.filter { !isRemoved($0.task) }.sorted { $0.precedes($1) }
    }
}
