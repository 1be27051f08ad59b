import Dispatch
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
    /// Bets and play by the count; nil: the same bet in every round, by the chart.
    public var counting: CountedPlay?

    /// Rounds per block: enough to amortise a new table and its first shuffle. Another number gives other figures.
    let blockRounds: Int

    /// - Throws: the table's rejection of the bet.
    public init(
        rules: HouseRules, chart: StrategyChart, rounds: Int, seed: UInt64, seats: Int = 1, bet: Int? = nil, threads: Int = 1,
        counting: CountedPlay? = nil, blockRounds: Int? = nil
    ) throws(SimulationError) {
        let bet = bet ?? rules.minimumBet
        guard rounds >= 1 else { throw SimulationError("rounds cannot be \(rounds): it must be 1 or more") }
        guard threads >= 1 else { throw SimulationError("threads cannot be \(threads): it must be 1 or more") }
        guard (1...rules.seats).contains(seats) else {
            throw SimulationError("seats cannot be \(seats): these rules have 1 to \(rules.seats)")
        }
        if counting != nil, seats != 1 { throw SimulationError("seats cannot be \(seats): one player counts") }
        let bets = counting?.ramp.map(\.chips) ?? [bet]
        for bet in bets where bet < rules.minimumBet || bet > rules.maximumBet || bet % rules.betStep != 0 {
            throw SimulationError(
                "bet cannot be \(bet): these rules take \(rules.minimumBet) to \(rules.maximumBet) in steps of \(rules.betStep)")
        }
        self.rules = rules
        self.chart = chart
        self.rounds = rounds
        self.seed = seed
        self.seats = seats
        self.bet = bets.max() ?? bet
        self.threads = threads
        self.counting = counting
        // A counter's bankroll lasts for many rounds. More than ten million might have more chips than an integer.
        self.blockRounds = blockRounds ?? (counting == nil ? 100_000 : min(10_000_000, max(100_000, rounds / 64)))
    }

    /// Plays all rounds.
    /// - Parameters:
    ///   - progress: called with the number of rounds played, at times and from any thread.
    ///   - isStopped: called often and from any thread; true ends the run with the rounds played so far.
    public func run(
        progress: (@Sendable (Int) -> Void)? = nil, until isStopped: @Sendable () -> Bool = { false }
    ) -> SimulationResult {
        let blocks = (rounds - 1) / blockRounds + 1
        let whole = Mutex((result: SimulationResult(), counts: [Int: CountFigures](), merged: 0))
        let clock = ContinuousClock()
        let started = clock.now
        let workers = min(threads, blocks)
        DispatchQueue.concurrentPerform(iterations: workers) { worker in
            for block in stride(from: worker, to: blocks, by: workers) {
                guard !isStopped() else { return }
                let (tally, counts) = play(block: block, until: isStopped)
                let played = whole.withLock { whole in
                    whole.result.add(tally)
                    whole.counts[block] = counts
                    // In order, so that sums are rounded the same on any number of threads.
                    while let next = whole.counts.removeValue(forKey: whole.merged) {
                        if whole.result.counts?.add(next) == nil { whole.result.counts = next }
                        whole.merged += 1
                    }
                    return whole.result.rounds
                }
                progress?(played)
            }
        }
        let seconds = started.duration(to: clock.now) / .seconds(1)
        return whole.withLock { whole in
            // Behind a block that was stopped.
            for (_, counts) in whole.counts.sorted(by: { $0.key < $1.key }) {
                if whole.result.counts?.add(counts) == nil { whole.result.counts = counts }
            }
            whole.result.isPartial = whole.result.rounds < rounds
            whole.result.seconds = seconds
            return whole.result
        }
    }

    private func play(block: Int, until isStopped: () -> Bool) -> (RoundTally, CountFigures?) {
        if let counting { return play(block: block, counting, until: isStopped) }
        var (game, chart, tally) = (table(block: block), chart, RoundTally())
        for _ in 0..<min(blockRounds, rounds - block * blockRounds) where !isStopped() {
            game.play(bet: bet, by: &chart, into: &tally)
        }
        return (tally, nil)
    }

    func table(block: Int) -> SimulatedTable {
        SimulatedTable(rules: rules, seats: seats, seed: seed, block: block, bet: bet, rounds: blockRounds)
    }
}

extension HouseRules {
    /// The digest that a table shows, in hexadecimal digits.
    public var digestText: String { digest.hex }
}

/// Why a simulation cannot run, in one line for people.
public struct SimulationError: Error, Equatable, Sendable, CustomStringConvertible {
    public let description: String

    init(_ description: String) { self.description = description }
}

/// A table with one player per seat in play, enough chips for every round, and a new shoe whenever needed.
struct SimulatedTable {
    private(set) var table: Table
    private var seeds: SeededStream
    /// Simulations never wait, so the clock stands still.
    private let now = Timestamp(milliseconds: 0)

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

    mutating func endShoe() { table.endShoe() }

    private mutating func supplyShoeIfNeeded() {
        if table.needsShoeSource { perform(.supplyShoe(.seeded(seeds.next64()))) }
    }
}

extension SimulationResult {
    mutating func add(_ tally: RoundTally) {
        rounds += tally.rounds
        hands += tally.hands
        initialBets += Int128(tally.initialBets)
        wagered += Int128(tally.wagered)
        net += Int128(tally.net)
        squares += tally.squares
        blackjacks += tally.blackjacks
        busts += tally.busts
        pushes += tally.pushes
        surrenders += tally.surrenders
        splits += tally.splits
        doubles += tally.doubles
        insuranceBets += tally.insuranceBets
        insuranceNet += Int128(tally.insuranceNet)
    }
}

/// The result of a simulation. Amounts in chips, exact for any number of rounds.
///
/// The edge is the player's: negative means that the house wins.
public struct SimulationResult: Hashable, Sendable {
    public internal(set) var rounds = 0
    /// Whether the run was stopped early. The figures cover the rounds played.
    public internal(set) var isPartial = false
    public internal(set) var hands = 0
    public internal(set) var initialBets: Int128 = 0
    public internal(set) var wagered: Int128 = 0
    public internal(set) var net: Int128 = 0
    /// Blackjacks paid.
    public internal(set) var blackjacks = 0
    public internal(set) var busts = 0
    public internal(set) var pushes = 0
    public internal(set) var surrenders = 0
    public internal(set) var splits = 0
    public internal(set) var doubles = 0
    public internal(set) var insuranceBets = 0
    public internal(set) var insuranceNet: Int128 = 0
    /// The sum over rounds of the square of the players' net win.
    public internal(set) var squares: UInt128 = 0
    public internal(set) var seconds = 0.0
    /// nil without counting.
    public internal(set) var counts: CountFigures?

    /// The players' net win per chip of initial bets.
    public var edge: Double { initialBets == 0 ? 0 : Double(net) / Double(initialBets) }

    /// The standard deviation of a round's net win, in units of its initial bets.
    public var standardDeviation: Double {
        guard rounds > 1, initialBets > 0 else { return 0 }
        let mean = Double(net) / Double(rounds)
        let variance = max(0, Double(squares) / Double(rounds) - mean * mean) * Double(rounds) / Double(rounds - 1)
        return variance.squareRoot() / (Double(initialBets) / Double(rounds))
    }

    /// The standard error of the edge. Rounds of one shoe are treated as independent, which is nearly exact.
    public var standardError: Double { rounds == 0 ? 0 : standardDeviation / Double(rounds).squareRoot() }

    public var handsPerSecond: Double { seconds > 0 ? Double(hands) / seconds : 0 }

    /// One JSON object, on one line.
    public var json: String {
        let figures: [(String, any CustomStringConvertible)] = [
            ("rounds", rounds), ("hands", hands), ("initialBets", initialBets), ("wagered", wagered), ("net", net),
            ("edge", edge),
            ("standardError", standardError), ("standardDeviation", standardDeviation), ("blackjacks", blackjacks),
            ("busts", busts), ("pushes", pushes), ("surrenders", surrenders), ("splits", splits), ("doubles", doubles),
            ("insuranceBets", insuranceBets), ("insuranceNet", insuranceNet), ("partial", isPartial), ("seconds", seconds),
            ("handsPerSecond", handsPerSecond),
        ]
        let fields = (figures + (counts.map { [("counts", $0.json)] } ?? [])).map { "\"\($0)\":\($1)" }
        return "{\(fields.joined(separator: ","))}"
    }

    /// A line for each count, and one for all rounds; edges and deviations in bets.
    public var csv: String {
        let bet = rounds == 0 ? 0 : Double(initialBets) / Double(rounds)
        let lines =
            ["count,bet,rounds,frequency,frequencyError,edge,edgeError,deviation,deviationError"] + (counts?.csvLines ?? [])
        return (lines + ["all,\(bet),\(rounds),1.0,0.0,\(edge),\(standardError),\(standardDeviation),"]).joined(separator: "\n")
    }
}

/// Plays uniformly among the legal actions, including insurance and even money.
struct RandomStrategy: Strategy {
    private var random: SeededStream

    init(seed: UInt64) { random = SeededStream(seed: seed) }

    mutating func decide(_ decision: Decision) -> Action {
        let actions = decision.legal.actions
        return actions[random.below(actions.count)]
    }
}

/// Records a round in order and writes it as a JSON object.
struct RoundLog: FactSink {
    private struct Seat {
        var bet = 0
        var insurance = 0
        var evenMoney = false
        var actions = ""
        var net = 0
        var hands: [Int] = [0]
    }

    private var cards: [String] = []
    private var dealer: [String] = []
    private var seats: [Int: Seat] = [:]
    private var hole = 0

    mutating func receive(_ fact: Fact) {
        switch fact {
        case .betPlaced(let seat, let amount): seats[seat, default: Seat()].bet = amount
        case .dealt(_, let card, _, _): cards.append("\(card)")
        case .dealtToDealer(_, let card):
            cards.append("\(card)")
            dealer.append("\(card)")
        case .holeDealt:
            // The face is filled in when revealed.
            hole = cards.count
            cards.append("")
        case .holeRevealed(_, let card):
            cards[hole] = "\(card)"
            dealer.append("\(card)")
        case .hit(let seat, _): seats[seat]?.actions += "H"
        case .stood(let seat, _, .chosen): seats[seat]?.actions += "S"
        case .doubled(let seat, _, _): seats[seat]?.actions += "D"
        case .split(let seat, _, _):
            seats[seat]?.actions += "P"
            seats[seat]?.hands.append(0)
        case .surrendered(let seat): seats[seat]?.actions += "R"
        case .insured(let seat, let amount): seats[seat]?.insurance = amount
        case .evenMoneyTaken(let seat): seats[seat]?.evenMoney = true
        case .insuranceSettled(let seat, let stake, let paid): seats[seat]?.net += paid - stake
        case .settled(let seat, let hand, _, let stake, let paid):
            seats[seat]?.net += paid - stake
            seats[seat]?.hands[hand] += paid - stake
        // No card, action or chips.
        default: break
        }
    }

    /// The round as one line; empties the log.
    mutating func takeLine() -> String {
        let seats = seats.sorted { $0.key < $1.key }.map { number, seat in
            let hands = seat.hands.map { "{\"net\":\($0)}" }.joined(separator: ",")
            return "{\"seat\":\(number),\"bet\":\(seat.bet),\"insurance\":\(seat.insurance),\"evenMoney\":\(seat.evenMoney),"
                + "\"actions\":\"\(seat.actions)\",\"net\":\(seat.net),\"hands\":[\(hands)]}"
        }
        let line = "{\"cards\":\(list(cards)),\"seats\":[\(seats.joined(separator: ","))],\"dealer\":\(list(dealer))}"
        self = RoundLog()
        return line
    }

    private func list(_ cards: [String]) -> String {
        "[" + cards.map { "\"\($0)\"" }.joined(separator: ",") + "]"
    }
}

/// Two sinks as one.
struct BothSinks<First: FactSink, Second: FactSink>: FactSink {
    var first: First
    var second: Second

    mutating func receive(_ fact: Fact) {
        first.receive(fact)
        second.receive(fact)
    }
}

extension Simulator {
    /// Plays all rounds at random on one thread and passes the log line of each round to `log`, in order.
    /// - Parameter isStopped: called before each round; true ends the run with the rounds played so far.
    public func runAtRandom<Failure: Error>(
        log: (String) throws(Failure) -> Void, progress: ((Int) -> Void)? = nil, until isStopped: () -> Bool = { false }
    ) throws(Failure) -> SimulationResult {
        let clock = ContinuousClock()
        let started = clock.now
        var whole = SimulationResult()
        var block = 0
        while whole.rounds < rounds, !isStopped() {
            var game = table(block: block)
            var player = RandomStrategy(seed: seed &+ UInt64(block) &* 0x9e37_79b9_7f4a_7c15 &+ 1)
            var sinks = BothSinks(first: RoundTally(), second: RoundLog())
            for _ in 0..<min(blockRounds, rounds - whole.rounds) where !isStopped() {
                game.play(bet: bet, by: &player, into: &sinks)
                try log(sinks.second.takeLine())
            }
            whole.add(sinks.first)
            progress?(whole.rounds)
            block += 1
        }
        whole.isPartial = whole.rounds < rounds
        whole.seconds = started.duration(to: clock.now) / .seconds(1)
        return whole
    }
}
