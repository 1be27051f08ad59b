import Dispatch
import Odds
import Rules
import Sockets
import Synchronization
import TableEngine
import TableModel
import Wire

/// Computes on a background thread what actions are worth: first the decisions that wait, then the edges of next rounds, of which nothing is
/// kept, then charts, of which one at least comes after each ``turn`` questions. The chart of a set of rules is computed once, and its encoded line cached. Rules with equal values share the computation
/// (`SharedOdds`).
///
/// The lock is never held during a computation, so a loop does not wait for one.
package final class ChartMaker: Sendable {
    /// Charts kept: 10 to 25 kB each.
    static let capacity = 64
    /// Sets of rules that may wait for their chart.
    static let queueCapacity = 16
    /// Requests that may wait for one chart; decisions and edges that may wait.
    static let waitingCapacity = 256

    /// Questions at most while a player waits for a chart.
    static let turn = 64

    private typealias Waiting = (question: PlayerQuestion, done: PlayerQuestion.Completion)

    private struct Job {
        let rules: HouseRules
        var waiting: [Waiting] = []
        var edgeDone: (@Sendable (Int) -> Void)?
    }

    private struct State {
        var lines: [HouseRules: [UInt8]] = [:]
        /// Rules of `lines`, least recently used first.
        var order: [HouseRules] = []
        /// Decisions and edges, oldest first.
        var questions: [WaitingQuestion] = []
        var jobs: [Job] = []
        var isBusy = false
        /// Questions since the last chart.
        var questionsInTurn = 0
        /// Charts computed so far.
        var computed = 0

        /// Whether the new job must start the work.
        mutating func starts() -> Bool {
            defer { isBusy = true }
            return !isBusy
        }

        /// The next question: a decision, if one waits, otherwise an edge and all questions about the same.
        mutating func next() -> [Waiting] {
            let all = questions.compactMap { waiting in waiting.question.map { ($0, waiting.done) } as Waiting? }
            let edge = all.first?.question.subject
            let next =
                all.first { $0.question.subject.kind == .value }.map { [$0] }
                ?? all.filter { edge?.isSameEdge(as: $0.question.subject) == true }
            questions.removeAll { waiting in waiting.question == nil || next.contains { $0.question === waiting.question } }
            return next
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

    /// Answers a question at once if it is about a known chart, otherwise later.
    /// - Parameters:
    ///   - done: called on the background thread for a question that is answered later.
    /// - Returns: false if too many wait.
    package func ask(_ question: PlayerQuestion, done: @escaping PlayerQuestion.Completion) -> Bool {
        let (isTaken, starts, line) = state.withLock { state -> (Bool, Bool, [UInt8]?) in
            guard case .chart(let rules) = question.subject else {
                state.questions.removeAll { $0.question == nil }
                guard state.questions.count < Self.waitingCapacity else { return (false, false, nil) }
                state.questions.append(WaitingQuestion(question: question, done: done))
                return (true, state.starts(), nil)
            }
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
        let (questions, rules) = state.withLock { state -> ([Waiting], HouseRules?) in
            let isChartsTurn = state.questionsInTurn >= Self.turn && state.jobs.contains { !$0.waiting.isEmpty }
            let questions = isChartsTurn ? [] : state.next()
            state.questionsInTurn = questions.isEmpty ? 0 : state.questionsInTurn + 1
            if questions.isEmpty, state.jobs.isEmpty { state.isBusy = false }
            return (questions, (state.jobs.first { !$0.waiting.isEmpty } ?? state.jobs.first)?.rules)
        }
        let start = DispatchTime.now()
        if let first = questions.first {
            let line = first.question.answerLines(from: nil)
            for (question, done) in questions {
                question.line.set(line)
                done(question, nil)
            }
        } else if let rules {
            compute(rules)
        } else {
            return
        }
        // The pauses leave half a core to the game.
        queue.async(pausingAsLongAsSince: start) { [weak self] in self?.computeNext() }
    }

    private func compute(_ rules: HouseRules) {
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
            done(question, nil)
        }
        job?.edgeDone?(chart.edge)
    }

    /// The message for a set of rules.
    package static func line(for rules: HouseRules) -> [UInt8] { ServerMessage.chart(chart(for: rules)).encoded() }

    private static func chart(for rules: HouseRules) -> ValueChart {
        let edge = SharedOdds.shared.edge(of: rules.minimumBet, under: rules)
        return ValueChart(SharedOdds.shared.values(for: rules), edge: edge, digest: rules.digest.hex)
    }
}

extension Composition {
    /// A full shoe without the cards seen. After a shoe that ran out twice in a round there may be more of them than of packs.
    fileprivate init(decks: Int, without seen: SeenCards) {
        self.init(decks: decks)
        for rank in Rank.allCases { self[rank] = max(0, self[rank] - Double(seen[rank])) }
    }

    fileprivate func adding(_ cards: [Rank]) -> Composition { cards.reduce(into: self) { $0[$1] += 1 } }
}

extension ChartMaker {
    /// The mean win of the smallest bet with the best chart after the cards seen, in 1/1000000; of a full shoe where these leave too few to play.
    static func edge(under rules: HouseRules, _ seen: SeenCards) -> Int {
        let bet = rules.minimumBet
        let rest = Composition(decks: rules.decks, without: seen)
        let shoe = rest.points >= 48 ? rest : Composition(decks: rules.decks)
        let edge = Edge(of: SharedOdds.shared.chart(for: rules, bet: bet), under: rules, shoe: shoe, bet: bet).total
        return Int((edge * 1_000_000).rounded())
    }
}

extension OpenDecision {
    /// The shoe as the player sees it, with the hand's own cards and the up card. Where the table does not help those who count, a full one; of a
    /// split pair the other card is known to be gone, too.
    private var shoe: Composition {
        guard rules.assist else {
            var shoe = Composition(decks: rules.decks)
            if situation.origin != .dealt { shoe[cards[0]] -= 1 }
            return shoe
        }
        return Composition(decks: rules.decks, without: seen).adding(cards + [situation.upCard])
    }

    /// The values as the message has them. Takes milliseconds.
    package var values: DecisionValues {
        let decision = Odds.Decision(
            cards, up: situation.upCard, origin: situation.origin, hands: situation.handsAtSeat, isFirst: asked.hand.hand == 0)
        func values(_ shoe: Composition) -> [Action: Double]? {
            decision.values(
                of: asked.legal, under: rules, shoe: shoe, doubling: share(rules.doubleAmounts(for: situation)),
                insuring: share(rules.insuranceAmounts(bet: situation.bet, bankroll: situation.bankroll)), playing: playing
            )
        }
        // Where the cards that are left could run out, those of fresh packs.
        let full = Composition(decks: rules.decks)
        let exact = values(shoe) ?? values(full.adding(cards + [situation.upCard])) ?? [:]
        let chart = SharedOdds.shared.chart(for: rules).action(
            value: asked.value, pair: asked.pair, upCard: asked.upCard, legal: asked.legal)
        // Of equals the chart's.
        let best = exact.max { ($0.value, $0.key == chart ? 1 : 0) < ($1.value, $1.key == chart ? 1 : 0) }?.key ?? chart
        return DecisionValues(
            turn: turn, seat: asked.hand.seat, hand: asked.hand.hand + 1,
            actions: exact.mapValues { Int(($0 * 10_000).rounded()) }, best: best, chart: chart)
    }

    /// The most chips of an action, in bets.
    private func share(_ chips: Range<Int>) -> Double { Double(max(0, chips.upperBound - 1)) / Double(situation.bet) }
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
            var row = Row(hand.row, cards: hand.cards, stand: [], hit: [])
            if hand.cards == nil { row.play = (Array(2...10) + [1]).map { values.chart[hand.row, $0] } }
            for action in Action.allCases { row.values[action] = column(action) }
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
