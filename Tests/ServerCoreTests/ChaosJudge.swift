import TableEngine

/// Follows the facts of one table, at which nobody takes a bet back, leaves or closes: each bet is placed once, dealt once and settled once.
struct ChaosJudge {
    /// The history of a seat, from facts.
    struct Seat: Equatable {
        var bets = 0
        var chipsBet = 0
        var decisions = 0
        var roundsDealt = 0
    }

    private(set) var seats = [Seat](repeating: Seat(), count: 8)
    private(set) var faults: [String] = []
    private(set) var rounds = 0
    private(set) var hands = 0
    private(set) var timeOuts = 0
    private var openBets: [Int: Int] = [:]
    /// The hands of each seat in this round, and those that are settled.
    private var dealt: [Int: Int] = [:]
    private var settled: Set<HandID> = []

    mutating func take(_ facts: [Fact]) { for fact in facts { take(fact) } }

    private mutating func take(_ fact: Fact) {
        switch fact {
        case .betPlaced(let seat, let amount):
            if amount == 0 { faults.append("the bet of seat \(seat) was given back") }
            if openBets[seat] != nil { faults.append("seat \(seat) has bet twice") }
            openBets[seat] = amount
            seats[seat].bets += 1
            seats[seat].chipsBet += amount
        case .bettingAbandoned: faults.append("the betting was given up")
        case .left(let player, _): faults.append("player \(player.rawValue) has lost the seat")
        case .roundStarted:
            rounds += 1
            for seat in openBets.keys { seats[seat].roundsDealt += 1 }
            (dealt, openBets, settled) = (openBets.mapValues { _ in 1 }, [:], [])
        case .split(let seat, _, _):
            dealt[seat, default: 0] += 1
            seats[seat].decisions += 1
        case .settled(let seat, let hand, _, _, _):
            hands += 1
            if !settled.insert(HandID(seat: seat, hand: hand)).inserted {
                faults.append("hand \(hand) of seat \(seat) was settled twice")
            }
        case .roundEnded:
            if settled.count != dealt.values.reduce(0, +) { faults.append("\(settled.count) hands are settled, of \(dealt)") }
        default: takeDecision(fact)
        }
    }

    private mutating func takeDecision(_ fact: Fact) {
        switch fact {
        case .hit(let seat, _), .stood(let seat, _, .chosen), .doubled(let seat, _, _), .surrendered(let seat),
            .insured(let seat, _),
            .evenMoneyTaken(let seat), .declined(let seat, timedOut: false):
            seats[seat].decisions += 1
        case .stood(_, _, .timedOut), .declined(_, timedOut: true): timeOuts += 1
        default: break
        }
    }
}
