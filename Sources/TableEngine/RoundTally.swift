import Rules

/// A sink that counts instead of keeping facts. All amounts in chips.
///
/// Exact for a hundred million rounds at the largest bets of a full table; add up smaller tallies beyond that.
public struct RoundTally: FactSink, Sendable {
    public private(set) var rounds = 0
    /// Hands settled; each split adds one.
    public private(set) var hands = 0
    /// The sum of the bets at the start of rounds.
    public private(set) var initialBets = 0
    /// The sum of all stakes: bets, doubles, splits and insurance.
    public private(set) var wagered = 0
    /// The players' net win, insurance included; negative: lost.
    public private(set) var net = 0
    /// The sum over rounds of the square of the players' net win.
    public private(set) var squares: UInt128 = 0
    /// Blackjacks paid.
    public var blackjacks: Int { outcomes[Int(Outcome.blackjack.rawValue)] + outcomes[Int(Outcome.evenMoney.rawValue)] }
    public var busts: Int { outcomes[Int(Outcome.bust.rawValue)] }
    public var pushes: Int { outcomes[Int(Outcome.push.rawValue)] }
    public var surrenders: Int { outcomes[Int(Outcome.surrender.rawValue)] }
    public private(set) var splits = 0
    public private(set) var doubles = 0
    public private(set) var insuranceBets = 0
    public private(set) var insuranceNet = 0

    /// Counts of outcomes, by raw value.
    private var outcomes = InlineArray<8, Int>(repeating: 0)
    private var netBefore = 0
    /// Bets for the next round: their sum, and each seat's.
    private var pending = 0
    private var placed = InlineArray<8, Int>(repeating: 0)

    public init() {}

    public mutating func receive(_ fact: Fact) {
        switch fact {
        case .betPlaced(let seat, let amount):
            // Seats are 1…7: masking is cheaper than a bounds check.
            pending &+= amount &- placed[seat & 7]
            placed[seat & 7] = amount
        case .roundStarted: start()
        case .split: splits &+= 1
        case .doubled: doubles &+= 1
        case .insuranceSettled(_, let stake, let paid):
            insuranceBets &+= 1
            insuranceNet &+= paid &- stake
            wagered &+= stake
            net &+= paid &- stake
        case .settled(_, _, let outcome, let stake, let paid):
            hands &+= 1
            wagered &+= stake
            net &+= paid &- stake
            outcomes[Int(outcome.rawValue & 7)] &+= 1
        case .roundEnded:
            rounds &+= 1
            // The square of 2⁶³ chips has 126 bits.
            let roundNet = UInt128((net &- netBefore).magnitude)
            squares &+= roundNet &* roundNet
        // Moves no chips.
        default: break
        }
    }

    private mutating func start() {
        netBefore = net
        initialBets &+= pending
        pending = 0
        placed = InlineArray(repeating: 0)
    }
}
