import Dispatch
import Rules
import Synchronization
import TableEngine

/// The edge of a chart over whole shoes, dealt to the cut card: of one seat that bets the same in every round.
///
/// A shoe has more rounds where they take few cards, large ones, and so fewer good ones: a cut card costs a flat bettor something. A round that is
/// dealt in every shoe has the edge of a fresh one, whatever its number, since no order of the cards is likelier than another. The cost comes
/// from the last rounds alone, which are dealt in some shoes only. So only they are counted: up to the usual number of rounds those that
/// the cut card prevents, which are played all the same, and beyond it those that are dealt. Each is compared with the fresh edge. That leaves a
/// fiftieth of the variance of all rounds with six decks, and a twentieth with one.
public struct DealtEdge: Sendable {
    /// The player's, in bets per round.
    public let edge: Double
    public let standardError: Double
    /// Whether rounds run out of cards too often to be compared with a fresh shoe: then all rounds are simulated.
    public let isPlain: Bool

    /// - Parameters:
    ///   - fresh: the chart's exact edge from a fresh shoe, with the rounding of the bet.
    ///   - bet: chips; one that the house accepts.
    ///   - precision: the standard error at which the simulation ends; it also ends after 36 million rounds.
    ///   - blockCards: dealt by one table. Another number gives other figures.
    public init(
        of chart: StrategyChart, under rules: HouseRules, fresh: Double, bet: Int, seed: UInt64 = 1, threads: Int = 1,
        precision: Double = 5e-5, blockCards: Int = 1_000_000
    ) throws(SimulationError) {
        if rules.continuousShuffle {
            (edge, standardError, isPlain) = (fresh, 0, false)
            return
        }
        let plain = try Simulator(rules: rules, chart: chart, rounds: 20_000_000, seed: seed, bet: bet, threads: threads)
        let shoes = Shoes(rules: rules, chart: chart, fresh: fresh, bet: bet, seed: seed, blockCards: blockCards)
        if let sums = shoes.run(threads: threads, precision: precision) {
            (edge, standardError, isPlain) = (fresh + sums.difference, sums.standardError, false)
        } else {
            let result = plain.run()
            (edge, standardError, isPlain) = (result.edge, result.standardError, true)
        }
    }
}

/// Sums over shoes.
private struct ShoeSums: Sendable {
    var shoes = 0
    /// Rounds that were dealt before the cut card.
    var rounds = 0
    /// Of each shoe: the win of the rounds counted, in bets, less the fresh edge.
    var sum = 0.0
    var squares = 0.0
    /// Shoes that ran out.
    var exhausted = 0
    /// Shoes by the number of their rounds; only to find the usual number.
    var lengths: [Int: Int] = [:]

    mutating func add(_ other: ShoeSums) {
        shoes += other.shoes
        rounds += other.rounds
        sum += other.sum
        squares += other.squares
        exhausted += other.exhausted
        lengths.merge(other.lengths, uniquingKeysWith: +)
    }

    /// By how much a round as dealt differs from a fresh one.
    var difference: Double { sum / Double(rounds) }

    var standardError: Double {
        let mean = sum / Double(shoes)
        return max(0, squares / Double(shoes) - mean * mean).squareRoot() * Double(shoes).squareRoot() / Double(rounds)
    }

    /// A round out of cards has another edge, by a bet at most nearly always: here that changes the result by a tenth of the precision.
    var mayRunOut: Bool { Double(exhausted) > 1e-5 * Double(rounds) }
}

private struct Shoes: Sendable {
    let rules: HouseRules
    let chart: StrategyChart
    let fresh: Double
    let bet: Int
    let seed: UInt64
    let blockCards: Int

    /// Blocks that are begun before the precision is looked at: the same number on any number of threads.
    private static let batch = 8
    private static let mostBatches = 24

    private var blockShoes: Int { 1 + blockCards / rules.cardsBeforeCut }

    /// - Returns: nil if shoes run out.
    func run(threads: Int, precision: Double) -> ShoeSums? {
        guard let wide = try? rules.with([("penetration", .number(0.95))]) else { return nil }
        let pilot = play(block: 1_000_000, shoes: 1000, usual: 0, wide)
        let usual = pilot.lengths.sorted { $0.key < $1.key }.reduce(into: (count: 0, median: 0)) { found, length in
            if 2 * found.count < pilot.shoes { found.median = length.key }
            found.count += length.value
        }.median
        var sums = ShoeSums()
        for batch in 0..<Self.mostBatches {
            let blocks = Mutex([Int: ShoeSums]())
            DispatchQueue.concurrentPerform(iterations: min(threads, Self.batch)) { worker in
                for block in stride(from: worker, to: Self.batch, by: min(threads, Self.batch)) {
                    let found = play(block: Self.batch * batch + block, shoes: blockShoes, usual: usual, wide)
                    blocks.withLock { $0[block] = found }
                }
            }
            // In order, so that sums are rounded the same on any number of threads.
            for (_, block) in blocks.withLock({ $0.sorted { $0.key < $1.key } }) { sums.add(block) }
            if sums.mayRunOut { return nil }
            if sums.standardError <= precision { break }
        }
        return sums
    }

    /// - Parameters:
    ///   - usual: rounds that are played in every shoe, also behind the house's cut card.
    ///   - wide: the rules with a cut card far behind.
    private func play(block: Int, shoes: Int, usual: Int, _ wide: HouseRules) -> ShoeSums {
        let rounds = shoes * (rules.cardsBeforeCut / 4 + 1)
        var game = SimulatedTable(rules: wide, seats: 1, seed: seed, block: block, bet: bet, rounds: rounds)
        var (chart, tally, sums) = (chart, RoundTally(), ShoeSums())
        let (cut, end) = (rules.cardsBeforeCut, wide.cardsBeforeCut)
        for _ in 0..<shoes {
            var (played, dealt, drawn, difference) = (0, 0, 0, 0.0)
            while drawn < cut || played < usual {
                let (isDealt, before) = (drawn < cut, tally.net)
                if drawn >= end {
                    sums.exhausted += 1
                    break
                }
                game.play(bet: bet, by: &chart, into: &tally)
                played += 1
                if isDealt { dealt += 1 }
                if isDealt != (played <= usual) {
                    let win = Double(tally.net - before) / Double(bet) - fresh
                    difference += isDealt ? win : -win
                }
                drawn = game.table.cardsDrawn
                if drawn > rules.cardsInShoe { sums.exhausted += 1 }
            }
            game.endShoe()
            sums.rounds += dealt
            sums.sum += difference
            sums.squares += difference * difference
            if usual == 0 { sums.lengths[dealt, default: 0] += 1 }
        }
        sums.shoes = shoes
        return sums
    }
}
