import Rules

/// Counts while rounds are played: a sink that keeps figures instead of facts. All amounts in chips.
///
/// At the largest bets of a full table amounts stay exact for a hundred million rounds; add up tallies of fewer for more.
public struct RoundTally: FactSink, Sendable {
    public private(set) var rounds = 0
    /// Hands settled; a split makes one more.
    public private(set) var hands = 0
    /// The bets that rounds began with.
    public private(set) var initialBets = 0
    /// Everything staked: bets, doubles, splits and insurance.
    public private(set) var wagered = 0
    /// What the players have won, insurance included; negative: lost.
    public private(set) var net = 0
    /// The sum over rounds of the square of the players' net.
    public private(set) var squares: UInt128 = 0
    public var busts: Int { outcomes[Int(Outcome.bust.rawValue)] }
    public var pushes: Int { outcomes[Int(Outcome.push.rawValue)] }
    public var surrenders: Int { outcomes[Int(Outcome.surrender.rawValue)] }
    public private(set) var splits = 0
    public private(set) var doubles = 0
    public private(set) var insuranceBets = 0
    public private(set) var insuranceNet = 0

    /// How often each outcome came, by its raw value: to count is no jump that depends on the cards.
    private var outcomes = InlineArray<8, Int>(repeating: 0)
    private var netBefore = 0
    /// What is bet for the next round, all seats together and each.
    private var pending = 0
    private var placed = InlineArray<8, Int>(repeating: 0)

    public init() {}

    @inline(__always)
    public mutating func receive(_ fact: Fact) {
        switch fact {
        case .betPlaced(let seat, let amount):
            // Seats are 1…7: what is cut off costs less than a check.
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
        default: break
        }
    }

    @inline(always)
    private mutating func start() {
        netBefore = net
        initialBets &+= pending
        pending = 0
        placed = InlineArray(repeating: 0)
    }
}
