import Dispatch
import Foundation
import Rules
import Synchronization
import TableEngine

/// Plays rounds through the table that servers use, without a network.
///
/// Figures do not depend on the number of threads: rounds are played in blocks, each with its own table and seed.
public struct Simulator: Sendable {
    public var rules: HouseRules
    public var chart: StrategyChart
    public var rounds: Int
    public var seed: UInt64
    /// Seats in play: 1…`rules.seats`.
    public var seats: Int
    /// Chips per seat and round; a bet that the house accepts.
    public var bet: Int
    public var threads: Int

    /// Rounds per block: enough to amortise a new table and its first shuffle. Another number gives other figures.
    let blockRounds: Int

    /// - Throws: the table's rejection of the bet.
    public init(
        rules: HouseRules, chart: StrategyChart, rounds: Int, seed: UInt64, seats: Int = 1, bet: Int? = nil, threads: Int = 1
    ) throws(SimulationError) {
        try self.init(
            rules: rules, chart: chart, rounds: rounds, seed: seed, seats: seats, bet: bet, threads: threads, blockRounds: 100_000
        )
    }

    init(
        rules: HouseRules, chart: StrategyChart, rounds: Int, seed: UInt64, seats: Int, bet: Int? = nil, threads: Int,
        blockRounds: Int
    ) throws(SimulationError) {
        let bet = bet ?? rules.minimumBet
        guard rounds >= 1 else { throw .badRounds(rounds) }
        guard threads >= 1 else { throw .badThreads(threads) }
        guard (1...rules.seats).contains(seats) else { throw .badSeats(seats, most: rules.seats) }
        guard bet >= rules.minimumBet, bet <= rules.maximumBet, bet % rules.betStep == 0 else {
            throw .badBet(bet, minimum: rules.minimumBet, maximum: rules.maximumBet, step: rules.betStep)
        }
        self.rules = rules
        self.chart = chart
        self.rounds = rounds
        self.seed = seed
        self.seats = seats
        self.bet = bet
        self.threads = threads
        self.blockRounds = blockRounds
    }

    /// Plays all rounds.
    /// - Parameters:
    ///   - progress: called with the number of rounds played, at times and from any thread.
    ///   - isStopped: called often and from any thread; true ends the run with the rounds played so far.
    public func run(
        progress: (@Sendable (Int) -> Void)? = nil, until isStopped: @Sendable () -> Bool = { false }
    ) -> SimulationResult {
        let blocks = (rounds - 1) / blockRounds + 1
        let whole = Mutex((result: SimulationResult(), played: 0))
        let clock = ContinuousClock()
        let started = clock.now
        let workers = min(threads, blocks)
        DispatchQueue.concurrentPerform(iterations: workers) { worker in
            for block in stride(from: worker, to: blocks, by: workers) {
                guard !isStopped() else { return }
                let result = play(block: block, until: isStopped)
                let played = whole.withLock { whole in
                    whole.result.add(result)
                    whole.played += result.rounds
                    return whole.played
                }
                progress?(played)
            }
        }
        let elapsed = started.duration(to: clock.now)
        return whole.withLock { whole in
            whole.result.isPartial = whole.result.rounds < rounds
            whole.result.seconds = Double(elapsed.components.seconds) + Double(elapsed.components.attoseconds) * 1e-18
            return whole.result
        }
    }

    private func play(block: Int, until isStopped: () -> Bool) -> SimulationResult {
        var game = table(block: block)
        var chart = chart
        var statistics = RoundStatistics()
        game.play(min(blockRounds, rounds - block * blockRounds), bet: bet, by: &chart, into: &statistics, until: isStopped)
        return SimulationResult(statistics)
    }

    func table(block: Int) -> SimulatedTable {
        SimulatedTable(rules: rules, seats: seats, seed: seed, block: block, bet: bet, rounds: blockRounds)
    }
}

/// Why a simulation cannot run.
public enum SimulationError: Error, Hashable, Sendable, CustomStringConvertible {
    case badRounds(Int)
    case badThreads(Int)
    case badSeats(Int, most: Int)
    case badBet(Int, minimum: Int, maximum: Int, step: Int)

    /// One line for people.
    public var description: String {
        switch self {
        case .badRounds(let rounds): "rounds cannot be \(rounds): it must be 1 or more"
        case .badThreads(let threads): "threads cannot be \(threads): it must be 1 or more"
        case .badSeats(let seats, let most): "seats cannot be \(seats): these rules have 1 to \(most)"
        case .badBet(let bet, let minimum, let maximum, let step):
            "bet cannot be \(bet): these rules take \(minimum) to \(maximum) in steps of \(step)"
        }
    }
}
