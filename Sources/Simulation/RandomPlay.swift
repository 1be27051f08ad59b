import Rules
import TableEngine

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
            var sinks = BothSinks(first: RoundStatistics(), second: RoundLog())
            for _ in 0..<min(blockRounds, rounds - whole.rounds) where !isStopped() {
                game.play(bet: bet, by: &player, into: &sinks)
                sinks.first.count(game.table.review())
                try log(sinks.second.takeLine())
            }
            whole.add(SimulationResult(sinks.first))
            progress?(whole.rounds)
            block += 1
        }
        let elapsed = started.duration(to: clock.now)
        whole.isPartial = whole.rounds < rounds
        whole.seconds = Double(elapsed.components.seconds) + Double(elapsed.components.attoseconds) * 1e-18
        return whole
    }
}
