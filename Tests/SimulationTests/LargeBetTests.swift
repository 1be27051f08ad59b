import Rules
import Synchronization
import TableEngine
import TestKit
import Testing

@testable import RoundSimulation

/// Bets of any size are paid in proportion where every payout is whole: the same cards at a million times the bet are a million times the chips.
struct LargeBetTests {
    private static let rules: HouseRules = {
        do {
            return try HouseRules([
                ("minimumBet", .integer(10)), ("maximumBet", .integer(1_000_000_000)), ("betStep", .integer(10)),
                ("surrender", .text("late")),
            ])
        } catch {
            preconditionFailure("\(error)")
        }
    }()

    private func simulator(bet: Int, rounds: Int = 4000, seats: Int = 7, threads: Int = 2) throws -> Simulator {
        try Simulator(
            rules: Self.rules, chart: StrategyChart(publishedFor: Self.rules), rounds: rounds, seed: 3, seats: seats, bet: bet,
            threads: threads, blockRounds: 2000)
    }

    private func expectProportion(_ large: SimulationResult, _ small: SimulationResult, _ factor: Int) {
        let times = Int128(factor)
        #expect(large.rounds == small.rounds && large.hands == small.hands && large.blackjacks == small.blackjacks)
        #expect(large.net == small.net * times && large.wagered == small.wagered * times)
        #expect(large.initialBets == small.initialBets * times && large.insuranceNet == small.insuranceNet * times)
        #expect(large.squares == small.squares * UInt128(factor) * UInt128(factor))
        #expect(abs(large.standardDeviation - small.standardDeviation) < 1e-9 && small.standardDeviation > 0.5)
        #expect(abs(large.edge - small.edge) < 1e-12)
    }

    @Test(arguments: [1000, 200_000, 5_000_000, 100_000_000])
    func theFiguresOfALargeBet_areThoseOfASmallOneTimesTheFactor(_ factor: Int) throws {
        expectProportion(try simulator(bet: 10 * factor).run(), try simulator(bet: 10).run(), factor)
    }

    /// Somebody who plays at random loses four bets of ten: a thousand of the largest bets are more than a player may bring.
    @Test(arguments: [1000, 100_000_000])
    func whoeverPlaysAtRandom_neverRunsOutOfChips(_ factor: Int) throws {
        let small = try simulator(bet: 10, rounds: 6000, seats: 1).runAtRandom(log: { _ in })
        expectProportion(try simulator(bet: 10 * factor, rounds: 6000, seats: 1).runAtRandom(log: { _ in }), small, factor)
        #expect(small.edge < -0.3)
    }

    @Test func amountsBeyond64Bits_addUp() {
        var block = RoundTally()
        block.receive(.settled(seat: 1, hand: 0, .lose, stake: 1 << 62, paid: 0))
        block.receive(.roundEnded(until: Timestamp(milliseconds: 0)))
        var sum = SimulationResult()
        for _ in 0..<8 { sum.add(block) }
        #expect(sum.rounds == 8 && sum.wagered == 1 << 65 && sum.net == -1 << 65 && sum.squares == 1 << 127)
        #expect(sum.json.contains("\"wagered\":\(Int128(1) << 65),"))
    }

    @Test func theMostRounds_areDividedIntoBlocksWithoutOverflow() throws {
        let result = try simulator(bet: 10, rounds: .max).run(until: { true })
        #expect(result.rounds == 0 && result.isPartial && result.edge == 0 && result.standardError == 0)
    }

    @Test func aSimulationThatIsStopped_tellsOfTheRoundsPlayedUntilThen() throws {
        let asked = Atomic(0)
        let result = try simulator(bet: 10, rounds: 100_000, threads: 1).run(until: {
            asked.add(1, ordering: .relaxed).newValue > 5
        })
        // Asked before each block, and before each round in it.
        #expect(result.isPartial && (1..<2000).contains(result.rounds) && result.initialBets == Int128(result.rounds) * 7 * 10)
        #expect(result.json.contains("\"partial\":true"))
        let whole = try simulator(bet: 10).run()
        #expect(!whole.isPartial)
    }
}
