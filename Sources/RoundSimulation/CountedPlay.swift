import Odds
import Rules
import TableEngine

/// How a card counter plays, alone at a table: the true count before a round, rounded down, decides the bet.
///
/// The true count is the running count of all cards seen, divided by the decks not seen, burned cards among them.
public struct CountedPlay: Sendable {
    /// The basis of decisions about hands.
    public enum Play: Sendable {
        /// The simulator's chart.
        case chart
        case composition(CompositionPlay)
        /// Charts, each from a true count at the moment of the decision; the first one also below.
        case indexes([(from: Double, chart: StrategyChart)])
    }

    /// A true count, and the bet from there up.
    public struct Bet: Hashable, Sendable {
        public let from: Int
        public let chips: Int

        public init(from: Int, chips: Int) { (self.from, self.chips) = (from, chips) }
    }

    /// A balanced one.
    public var system: CountingSystem
    /// In order; the first one is also made below.
    public var ramp: [Bet]
    /// Below this true count the counter leaves: the next round is the first of another shoe. At most 0.
    public var leaveBelow: Int?
    /// Chips, for the risk of ruin.
    public var bankroll: Int?
    public var play: Play

    public init(
        system: CountingSystem, ramp: [Bet], leaveBelow: Int? = nil, bankroll: Int? = nil, play: Play = .chart
    ) {
        precondition(system.isBalanced && !ramp.isEmpty && leaveBelow ?? 0 <= 0, "a true count of a fresh shoe is 0")
        (self.system, self.ramp, self.leaveBelow, self.bankroll) = (system, ramp, leaveBelow, bankroll)
        self.play = play
    }

    /// True counts with figures of their own; the first and the last stand for those beyond, too.
    static let counts = -10...10

    fileprivate static func row(of count: Int) -> Int {
        min(max(count, counts.lowerBound), counts.upperBound) - counts.lowerBound
    }

    fileprivate func bet(at count: Int) -> Int { (ramp.last { $0.from <= count } ?? ramp[0]).chips }
}

// MARK: - Counting

/// The count between rounds, when all cards drawn have been seen except burned ones.
private struct RunningCount {
    let tags: [Int]
    private(set) var running = 0
    private(set) var unseen = 0
    /// The index of the first card that is not counted.
    private var next = 0

    init(_ system: CountingSystem) { tags = system.tags }

    /// The true count, rounded down, before the table's next round.
    mutating func follow(_ table: Table) -> Int {
        if table.isShuffleDue {
            (running, unseen, next) = (0, table.rules.cardsInShoe, table.rules.burn)
        } else {
            running += table.sum(of: tags, drawnFrom: next)
            unseen -= table.cardsDrawn - next
            next = table.cardsDrawn
        }
        let cards = 52 * running
        return (cards < 0 ? cards - unseen + 1 : cards) / unseen
    }
}

/// Sees the cards of a round as they are dealt, and plays by them. Once the shoe is shuffled within a round, the cards of that round alone count.
private final class WatchingPlayer: Strategy, FactSink {
    private let play: CountedPlay.Play
    private let tags: [Int]
    /// The running count before the round, and with its cards.
    private var (before, running) = (0, 0)
    private var unseen = 1
    /// By hand: the sum of the codes of its cards. And the points of the pair that all are from; 0: not split.
    private var hands: [UInt64] = [0, 0, 0, 0]
    private var split = 0

    init(_ counting: CountedPlay) { (play, tags) = (counting.play, counting.system.tags) }

    func start(_ count: RunningCount) {
        (before, running, unseen, split) = (count.running, count.running, count.unseen, 0)
        for hand in hands.indices { hands[hand] = 0 }
    }

    func decide(_ decision: TableEngine.Decision) -> Action {
        switch play {
        case .chart: preconditionFailure("a chart plays by itself")
        case .composition(let best):
            return best.action(of: hands[decision.hand.hand], up: decision.upCard, split: split, legal: decision.legal)
        case .indexes(let charts):
            let count = 52 * Double(running) / Double(unseen)
            return charts[charts.indices.last { charts[$0].from <= count } ?? 0].chart.decide(decision)
        }
    }

    func receive(_ fact: Fact) {
        switch fact {
        case .dealt(_, let card, _, let hand):
            hands[hand] += CompositionPlay.code(of: card.rank)
            see(card)
        case .dealtToDealer(_, let card): see(card)
        case .split(_, let hand, let newHand):
            hands[hand] /= 2
            hands[newHand] = hands[hand]
            split = 1 + hands[hand].trailingZeroBitCount / 5
        case .reshuffled(let cards): (running, unseen) = (running - before, cards)
        // Shows no card before the last decision.
        default: break
        }
    }

    private func see(_ card: Card) {
        running += tags[Int(card.rank.rawValue)]
        unseen -= 1
    }
}

extension Simulator {
    func play(block: Int, _ counting: CountedPlay, until isStopped: () -> Bool) -> (RoundTally, CountFigures?) {
        var (game, chart, count) = (table(block: block), chart, RunningCount(counting.system))
        var figures = CountFigures(counting)
        var watched = BothSinks(first: RoundTally(), second: WatchingPlayer(counting))
        let isByChart = if case .chart = counting.play { true } else { false }
        for _ in 0..<min(blockRounds, rounds - block * blockRounds) where !isStopped() {
            var now = count.follow(game.table)
            if let least = counting.leaveBelow, now < least {
                game.endShoe()
                now = count.follow(game.table)
            }
            if game.table.isShuffleDue { figures.endShoe() }
            let (row, before) = (CountedPlay.row(of: now), watched.first.net)
            let bet = figures.bets[row]
            if isByChart {
                game.play(bet: bet, by: &chart, into: &watched.first)
            } else {
                var player = watched.second
                player.start(count)
                game.play(bet: bet, by: &player, into: &watched)
            }
            figures.add(Double(watched.first.net - before), row)
        }
        figures.endShoe()
        return (watched.first, watched.first.rounds > 0 ? figures : nil)
    }
}

// MARK: - Figures

/// The win and the risk of a counter, and the frequency of each count.
public struct CountFigures: Hashable, Sendable {
    public struct Estimate: Hashable, Sendable {
        public let value: Double
        public let standardError: Double

        /// A product of powers of independent estimates, beside the factors that are known.
        fileprivate init(_ value: Double, _ factors: (of: Estimate, power: Double)...) {
            let parts = factors.map { $0.power * $0.of.standardError / $0.of.value }
            self.init(value: value, standardError: abs(value) * parts.reduce(0) { $0 + $1 * $1 }.squareRoot())
        }

        fileprivate init(value: Double, standardError: Double) { (self.value, self.standardError) = (value, standardError) }
    }

    /// The rounds at one true count; the first and the last have those beyond, too. Edge and deviation are in bets.
    public struct Row: Sendable {
        public let count: Int
        public let bet: Int
        public let rounds: Int
        public let frequency: Estimate
        public let edge: Estimate
        public let deviation: Estimate

        fileprivate var figures: [(name: String, figure: Estimate?)] {
            [("frequency", frequency), ("edge", edge), ("deviation", deviation)]
        }
    }

    fileprivate let bets: [Int]
    /// Chips; nil: none was named.
    public let bankroll: Int?
    private var sums = Array(repeating: CountSums.zero, count: CountedPlay.counts.count)
    /// Over shoes: squares of nets, nets times rounds, squares of rounds. Then bankrolls that were lost, and that were doubled before. One that a
    /// block leaves unfinished is not counted: which of the two comes, and how long it takes, are all but independent.
    private var whole = SIMD8<Double>.zero
    /// Of the shoe in play: rounds by row, and the net.
    private var inShoe = Array(repeating: 0.0, count: CountedPlay.counts.count)
    private var netInShoe = 0.0
    private var wealth = 0.0

    fileprivate init(_ counting: CountedPlay) {
        (bets, bankroll) = (CountedPlay.counts.map(counting.bet), counting.bankroll)
    }

    fileprivate mutating func add(_ net: Double, _ row: Int) {
        let square = net * net
        sums[row] += [1, net, square, square * square, 0, 0, 0, 0]
        inShoe[row] += 1
        netInShoe += net
        guard let bankroll else { return }
        wealth += net
        if abs(wealth) < Double(bankroll) { return }
        whole[wealth < 0 ? 3 : 4] += 1
        wealth = 0
    }

    fileprivate mutating func endShoe() {
        let rounds = inShoe.reduce(0, +)
        for row in sums.indices where inShoe[row] > 0 {
            sums[row] += [0, 0, 0, 0, inShoe[row] * inShoe[row], inShoe[row] * rounds, 0, 0]
            inShoe[row] = 0
        }
        whole += [netInShoe * netInShoe, netInShoe * rounds, rounds * rounds, 0, 0, 0, 0, 0]
        netInShoe = 0
    }

    mutating func add(_ other: CountFigures) {
        for row in sums.indices { sums[row] += other.sums[row] }
        whole += other.whole
    }
}

/// In chips, over the rounds at a count.
private typealias CountSums = SIMD8<Double>

extension CountSums {
    fileprivate var rounds: Double { self[0] }
    fileprivate var mean: Double { self[1] / self[0] }
    /// Over shoes: squares of the rounds at this count, and these times all rounds.
    fileprivate var shoes: (squares: Double, products: Double) { (self[4], self[5]) }

    /// Its error has the fourth moment about 0: the mean is some hundredths of a deviation.
    fileprivate var deviation: CountFigures.Estimate {
        let variance = Swift.max(1e-12, self[2] / rounds - mean * mean)
        let error = Swift.max(0, self[3] / rounds - variance * variance) / rounds
        return .init(value: variance.squareRoot(), standardError: (error / variance).squareRoot() / 2)
    }
}

extension CountFigures {
    /// The mean of a sum over all rounds, with the error of a ratio between shoes: rounds of one shoe are not independent.
    private func mean(_ sum: Double, _ shoes: (squares: Double, products: Double)) -> Estimate {
        let rounds = sums.reduce(0) { $0 + $1.rounds }
        let mean = sum / rounds
        let residuals = shoes.squares - 2 * mean * shoes.products + mean * mean * whole[2]
        return Estimate(value: mean, standardError: max(0, residuals).squareRoot() / rounds)
    }

    /// Counts with two rounds or more.
    public var rows: [Row] {
        zip(CountedPlay.counts, zip(bets, sums)).filter { $1.1.rounds > 1 }.map { count, row in
            let (bet, sums, deviation) = (Double(row.0), row.1, row.1.deviation)
            return Row(
                count: count, bet: row.0, rounds: Int(sums.rounds), frequency: mean(sums.rounds, sums.shoes),
                edge: Estimate(value: sums.mean / bet, standardError: deviation.value / sums.rounds.squareRoot() / bet),
                deviation: Estimate(value: deviation.value / bet, standardError: deviation.standardError / bet))
        }
    }

    /// Bankrolls that were lost before they were doubled, and the others.
    public var bankrolls: (lost: Int, doubled: Int) { (Int(whole[3]), Int(whole[4])) }

    /// All figures by name; nil where nothing is won, or no bankroll was named.
    ///
    /// - `flatEdge`: the edge of the same play with one bet at all counts.
    /// - `winPer100`, `deviationPer100`: of 100 rounds, in chips.
    /// - `n0`: rounds until the expected win is one standard deviation, variance ÷ win² (Brett Harris).
    /// - `score`: the win of 100 rounds with bets of such a size that 10,000 chips have a risk of ruin of e⁻², 13.5 % (Schlesinger, *Blackjack
    ///   Attack*): by the formula below these are 1,000,000 ÷ N0.
    /// - `ruin`: the risk to lose the bankroll ever, exp(−2 · win · bankroll ÷ variance) (Schlesinger).
    /// - `simulatedRuin`: the same risk r from the part p of bankrolls that are lost before they are doubled. A doubled one has to be lost
    ///   twice: r = p + (1 − p)r², so r = p ÷ (1 − p). nil where all or none were lost, which have no error.
    public var figures: [(name: String, figure: Estimate?)] {
        let (all, edges) = (sums.reduce(.zero, +), rows.map { ($0.frequency.value, $0.edge) })
        let (win, deviation) = (mean(all[1], (whole[0], whole[1])), all.deviation)
        let flatError = edges.reduce(0) { $0 + $1.0 * $1.0 * $1.1.standardError * $1.1.standardError }.squareRoot()
        let ratio = win.value / deviation.value
        func ruin(_ bankroll: Int) -> Estimate {
            if ratio <= 0 { return Estimate(value: 1, standardError: 0) }
            let power = Estimate(2 * ratio / deviation.value * Double(bankroll), (win, 1), (deviation, -2))
            let risk = Self.exp(-power.value)
            return Estimate(value: risk, standardError: risk * power.standardError)
        }
        let trials = max(1, whole[3] + whole[4])
        let part = min(0.5, whole[3] / trials)
        let error = (part * (1 - part) / trials).squareRoot() / ((1 - part) * (1 - part))
        let simulated = Estimate(value: part / (1 - part), standardError: error)
        return [
            ("flatEdge", Estimate(value: edges.reduce(0) { $0 + $1.0 * $1.1.value }, standardError: flatError)),
            ("winPer100", Estimate(value: 100 * win.value, standardError: 100 * win.standardError)),
            ("deviationPer100", Estimate(10 * deviation.value, (deviation, 1))),
            ("n0", ratio > 0 ? Estimate(1 / (ratio * ratio), (deviation, 2), (win, -2)) : nil),
            ("score", ratio > 0 ? Estimate(1e6 * ratio * ratio, (deviation, -2), (win, 2)) : nil),
            ("ruin", bankroll.map(ruin)), ("simulatedRuin", whole[3] > 0 && whole[4] > 0 ? simulated : nil),
        ]
    }

    /// e to the power of x ≤ 0, to 1e-9 of it: this module imports no mathematics.
    private static func exp(_ x: Double) -> Double {
        if x < -700 { return 0 }
        var (term, sum) = (1.0, 1.0)
        for power in 1...12 {
            term *= x / 1024 / Double(power)
            sum += term
        }
        return (0..<10).reduce(sum) { power, _ in power * power }
    }

    var json: String {
        func members(_ figures: [(name: String, figure: Estimate?)]) -> String {
            figures.map { name, figure in
                let (value, error) = figure.map { ("\($0.value)", "\($0.standardError)") } ?? ("null", "null")
                return "\"\(name)\":\(value),\"\(name)Error\":\(error)"
            }.joined(separator: ",")
        }
        let rows = rows.map { row in
            "{\"count\":\(row.count),\"bet\":\(row.bet),\"rounds\":\(row.rounds),\(members(row.figures))}"
        }
        let ends = "\"bankrollsLost\":\(bankrolls.lost),\"bankrollsDoubled\":\(bankrolls.doubled)"
        return "{\(members(figures)),\(ends),\"rows\":[\(rows.joined(separator: ","))]}"
    }

    /// A line for each row.
    var csvLines: [String] {
        rows.map { row in
            let cells = row.figures.map { $1.map { "\($0.value),\($0.standardError)" } ?? "," }
            return "\(row.count),\(row.bet),\(row.rounds)," + cells.joined(separator: ",")
        }
    }
}
