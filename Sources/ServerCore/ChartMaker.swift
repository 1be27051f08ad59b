import Dispatch
import Odds
import Rules
import Sockets
import Synchronization
import TableModel
import Wire

/// Computes the chart of a set of rules once, on a background thread, and caches the encoded line. Rules with equal values share the
/// computation (`SharedOdds`).
///
/// The lock is never held during a computation, so a loop does not wait for one.
package final class ChartMaker: Sendable {
    /// Charts kept: 10 to 25 kB each.
    static let capacity = 64
    /// Sets of rules that may wait for their chart.
    static let queueCapacity = 16
    /// Requests that may wait for one chart.
    static let waitingCapacity = 256

    package typealias Completion = @Sendable (PlayerQuestion) -> Void

    private struct Job {
        let rules: HouseRules
        var waiting: [(question: PlayerQuestion, done: Completion)] = []
        var edgeDone: (@Sendable (Int) -> Void)?
    }

    private struct State {
        var lines: [HouseRules: [UInt8]] = [:]
        /// Rules of `lines`, least recently used first.
        var order: [HouseRules] = []
        var jobs: [Job] = []
        var isBusy = false
        /// Charts computed so far.
        var computed = 0

        /// Whether the new job must start the work.
        mutating func starts() -> Bool {
            defer { isBusy = true }
            return !isBusy
        }

        /// Makes a chart the most recently used one, and evicts the least recently used one beyond capacity.
        mutating func touch(_ rules: HouseRules) {
            order.removeAll { $0 == rules }
            order.append(rules)
            if order.count > ChartMaker.capacity { lines[order.removeFirst()] = nil }
        }
    }

    private let state = Mutex(State())
    private let queue: BackgroundQueue

    /// - Parameter system: nil for a queue of its own.
    package init(on system: (any SimulatedSystem)? = nil) {
        queue = BackgroundQueue(label: "bj.charts", qos: .background, on: system)
    }

    /// Charts computed so far.
    var computed: Int { state.withLock { $0.computed } }

    /// Answers a question at once if the chart is known, otherwise later.
    /// - Parameters:
    ///   - done: called on the background thread for a question that is answered later.
    /// - Returns: false if too many wait.
    package func ask(_ question: PlayerQuestion, for rules: HouseRules, done: @escaping Completion) -> Bool {
        let (isTaken, starts, line) = state.withLock { state -> (Bool, Bool, [UInt8]?) in
            if let line = state.lines[rules] {
                state.touch(rules)
                return (true, false, line)
            }
            if let index = state.jobs.firstIndex(where: { $0.rules == rules }) {
                guard state.jobs[index].waiting.count < Self.waitingCapacity else { return (false, false, nil) }
                state.jobs[index].waiting.append((question, done))
                return (true, false, nil)
            }
            guard state.jobs.count(where: { !$0.waiting.isEmpty }) < Self.queueCapacity else { return (false, false, nil) }
            state.jobs.append(Job(rules: rules, waiting: [(question, done)]))
            return (true, state.starts(), nil)
        }
        if let line { question.line.set(line) }
        if starts { queue.async { [self] in computeNext() } }
        return isTaken
    }

    /// Queues the chart of a table's rules behind those that players wait for.
    /// - Parameter done: called on the background thread with the edge in 1/1000000 of the smallest bet.
    package func prepare(_ rules: HouseRules, done: @escaping @Sendable (Int) -> Void) {
        let starts = state.withLock { state in
            if let index = state.jobs.firstIndex(where: { $0.rules == rules }) {
                state.jobs[index].edgeDone = done
            } else {
                state.jobs.append(Job(rules: rules, edgeDone: done))
            }
            return state.starts()
        }
        if starts { queue.async { [self] in computeNext() } }
    }

    private func computeNext() {
        let rules = state.withLock { state in
            if state.jobs.isEmpty { state.isBusy = false }
            return (state.jobs.first { !$0.waiting.isEmpty } ?? state.jobs.first)?.rules
        }
        guard let rules else { return }
        let start = DispatchTime.now()
        let chart = Self.chart(for: rules)
        let line = ServerMessage.chart(chart).encoded()
        // The job stays in the queue until here: requests meanwhile join it.
        let job = state.withLock { state in
            state.lines[rules] = line
            state.touch(rules)
            state.computed += 1
            return state.jobs.firstIndex { $0.rules == rules }.map { state.jobs.remove(at: $0) }
        }
        for (question, done) in job?.waiting ?? [] {
            question.line.set(line)
            done(question)
        }
        job?.edgeDone?(chart.edge)
        // The pauses leave half a core to the game.
        queue.async(pausingAsLongAsSince: start) { [weak self] in self?.computeNext() }
    }

    /// The message for a set of rules.
    package static func line(for rules: HouseRules) -> [UInt8] { ServerMessage.chart(chart(for: rules)).encoded() }

    private static func chart(for rules: HouseRules) -> ValueChart {
        let edge = SharedOdds.shared.edge(of: rules.minimumBet, under: rules)
        return ValueChart(SharedOdds.shared.values(for: rules), edge: edge, digest: rules.digest.hex)
    }
}

extension ValueChart {
    /// Values in 1/10000 of the bet, the edge in 1/1000000, rounded.
    init(_ values: ExpectedValues, edge: Double, digest: String) {
        func whole(_ value: Double) -> Int { Int((value * 10_000).rounded()) }
        let rows = values.hands.map { hand -> Row in
            // Against 2, 3 … 10, ace.
            let cells = (2...10).map { values[hand, $0] } + [values[hand, 1]]
            func column(_ action: Action) -> [Int]? {
                let known = cells.compactMap { $0[action] }.map(whole)
                return known.isEmpty ? nil : known
            }
            var row = Row(hand.row, cards: hand.cards, stand: cells.map { whole($0.stand) }, hit: cells.map { whole($0.hit) })
            if hand.cards == nil { row.play = (Array(2...10) + [1]).map { values.chart[hand.row, $0] } }
            row.double = column(.double)
            row.split = column(.split)
            row.surrender = column(.surrender)
            row.decline = column(.decline)
            return row
        }
        self.init(
            digest: digest, edge: Int((edge * 1_000_000).rounded()), insurance: values.insurance.map(whole), rows: rows)
    }
}

extension HouseRules {
    /// A sentence about the bet that favours the player most, if one does; nil otherwise. Takes tenths of a second.
    package var doubt: String? {
        let (bet, edge) = SharedOdds.shared.bestBet(under: self)
        let millionths = Int((edge * 1_000_000).rounded())
        guard millionths > 0 else { return nil }
        let decimals = String(millionths % 10_000 + 10_000).dropFirst()
        let isRounded = edge > SharedOdds.shared.values(for: self).edge + 1e-12
        let cause = isRounded ? ", since payments are rounded up: betStep 10 avoids that" : ""
        return "the player wins \(millionths / 10_000).\(decimals)% of bets of \(bet)\(cause)"
    }
}
