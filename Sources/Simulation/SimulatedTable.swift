import Rules
import TableEngine

/// A table with one player per seat in play, enough chips for every round, and a new shoe whenever needed.
struct SimulatedTable {
    private(set) var table: Table
    private var seeds: SeededStream
    /// Simulations never wait, so the clock stands still.
    private let now = Moment(milliseconds: 0)

    /// The most chips in one command.
    private static let chips = 1_000_000_000_000
    /// The most bets that a seat may lose in a round: four doubled hands, and insurance.
    private static let mostBets = 9

    /// - Parameters:
    ///   - rounds: the number of rounds; chips suffice for them, whatever the cards and the strategy.
    init(rules: HouseRules, seats: Int, seed: UInt64, block: Int, bet: Int, rounds: Int) {
        table = Table(rules: rules, pace: Pace(settledMilliseconds: 0))
        // Seeds are mixed from both numbers, so that streams of blocks do not overlap.
        var mix = SeededStream(seed: seed ^ (UInt64(block) &* 0xd134_2543_de82_ef95))
        seeds = SeededStream(seed: mix.next64() ^ UInt64(block))
        let missing = bet * Self.mostBets * rounds - Self.chips
        for seat in 1...seats {
            let (player, profile) = (PlayerID(UInt32(seat)), PlayerProfile(name: "seat \(seat)", isBot: true))
            perform(.sit(player: player, profile: profile, seat: seat, chips: Self.chips))
            // As a fact: more than one command may bring.
            if missing > 0 { table.apply(.sat(player: player, profile: profile, seat: seat, chips: missing)) }
        }
    }

    private mutating func perform(_ command: Command) {
        var sink = NoFacts()
        do {
            try table.perform(command, at: now, into: &sink)
        } catch {
            preconditionFailure("a simulated table accepts its own commands: \(error)")
        }
    }

    /// Plays one round.
    mutating func play<Player: Strategy, Sink: FactSink>(bet: Int, by player: inout Player, into sink: inout Sink) {
        supplyShoeIfNeeded()
        do {
            try table.playRound(bet: bet, by: &player, at: now, into: &sink)
        } catch {
            preconditionFailure("the bet is legal and strategies choose among legal actions: \(error)")
        }
    }

    /// Plays and counts rounds, shoe after shoe, until all are played or the run is stopped.
    mutating func play(
        _ rounds: Int, bet: Int, by chart: inout StrategyChart, into statistics: inout RoundStatistics,
        until isStopped: () -> Bool
    ) {
        var left = rounds
        while left > 0, !isStopped() {
            supplyShoeIfNeeded()
            do {
                left -= try table.playRounds(min(left, 1000), bet: bet, by: &chart, at: now, into: &statistics)
            } catch {
                preconditionFailure("the bet is legal and a chart chooses among legal actions: \(error)")
            }
        }
    }

    private mutating func supplyShoeIfNeeded() {
        if table.needsShoeSource { perform(.supplyShoe(.seeded(seeds.next64()))) }
    }
}

extension SimulationResult {
    init(_ statistics: RoundStatistics) {
        self.init()
        let tally = statistics.tally
        rounds = tally.rounds
        hands = tally.hands
        initialBets = Int128(tally.initialBets)
        wagered = Int128(tally.wagered)
        net = Int128(tally.net)
        squares = tally.squares
        blackjacks = statistics.blackjacks
        busts = tally.busts
        pushes = tally.pushes
        surrenders = tally.surrenders
        splits = tally.splits
        doubles = tally.doubles
        insuranceBets = tally.insuranceBets
        insuranceNet = Int128(tally.insuranceNet)
        for rank in Rank.allCases {
            let column = rank.isAce ? 9 : rank.points - 2
            for (index, count) in statistics.finals(rank).enumerated() { dealerFinals[column].counts[index] += count }
        }
    }

    mutating func add(_ other: SimulationResult) {
        rounds += other.rounds
        hands += other.hands
        initialBets += other.initialBets
        wagered += other.wagered
        net += other.net
        squares += other.squares
        blackjacks += other.blackjacks
        busts += other.busts
        pushes += other.pushes
        surrenders += other.surrenders
        splits += other.splits
        doubles += other.doubles
        insuranceBets += other.insuranceBets
        insuranceNet += other.insuranceNet
        for up in 0..<10 {
            for index in 0..<7 { dealerFinals[up].counts[index] += other.dealerFinals[up].counts[index] }
        }
    }
}
