/// How a hand ended, before the dealer's result.
@frozen
public enum HandEnd: UInt8, CaseIterable, Sendable {
    /// Stands or was doubled; the dealer's hand decides.
    case stood
    /// A two-card 21 of a hand that was not split.
    case blackjack
    case bust
    case surrendered
    /// A blackjack that took even money.
    case evenMoney
    /// As many cards as the charlie rule requires, not bust.
    case charlie
}

/// The result of a hand.
@frozen
public enum Outcome: UInt8, CaseIterable, Sendable {
    /// A blackjack, paid by the house's rate.
    case blackjack
    // `HouseRules.settle` relies on the order of these three.
    case win
    case push
    case lose
    case bust
    case surrender
    case evenMoney
    case charlie

    /// The name on the wire.
    public var name: String { key.description }

    /// ``name``, to be written and compared without a string.
    @inlinable
    package var key: StaticString {
        switch self {
        case .blackjack: "blackjack"
        case .win: "win"
        case .push: "push"
        case .lose: "lose"
        case .bust: "bust"
        case .surrender: "surrender"
        case .evenMoney: "evenMoney"
        case .charlie: "charlie"
        }
    }
}

/// A hand that only the dealer's cards can still affect.
@frozen
public struct FinishedHand: Sendable, BitwiseCopyable {
    public var end: HandEnd
    public var total: Int
    /// All chips on this hand.
    public var stake: Int
    /// The part of `stake` that a dealer's blackjack takes under the original-bets rule: the bet on the first hand, 0 on split
    /// hands.
    public var original: Int

    @inlinable
    public init(end: HandEnd, total: Int, stake: Int, original: Int) {
        self.end = end
        self.total = total
        self.stake = stake
        self.original = original
    }
}

/// The outcome and payout of a hand.
@frozen
public struct Settlement: Hashable, Sendable, BitwiseCopyable {
    public var outcome: Outcome
    /// Chips returned to the player, the stake included.
    public var paid: Int

    @inlinable
    public init(_ outcome: Outcome, paid: Int) {
        self.outcome = outcome
        self.paid = paid
    }
}

extension HouseRules {
    // Forced inlining: without, a round takes 5.9 % more instructions with one seat, 10.5 % with seven (bjbench engine).

    /// Settles a finished hand against the dealer's finished hand.
    ///
    /// Ignores the dealer's value for hands that settle without the dealer (`canSettleEarly`).
    @inlinable @inline(always)
    public func settle(_ hand: FinishedHand, against dealer: HandValue) -> Settlement {
        // The common case, without a branch on the cards.
        if hand.end == .stood, !dealer.isTwoCard21 { return compare(hand, dealer.total) }
        switch hand.end {
        case .evenMoney: return Settlement(.evenMoney, paid: hand.stake * 2)
        case .charlie: return Settlement(.charlie, paid: hand.stake * 2)
        case .surrendered where surrender != .late || !dealer.isTwoCard21:
            return Settlement(.surrender, paid: HouseRules.surrenderReturn(of: hand.stake))
        case .stood, .blackjack, .bust, .surrendered: break
        }
        if dealer.isTwoCard21 { return settleAgainstBlackjack(hand) }
        switch hand.end {
        case .bust: return Settlement(.bust, paid: 0)
        case .blackjack: return Settlement(.blackjack, paid: hand.stake + blackjackPays.winnings(on: hand.stake))
        default: break
        }
        return compare(hand, dealer.total)
    }

    @inlinable @inline(always)
    func compare(_ hand: FinishedHand, _ dealerTotal: Int) -> Settlement {
        // Signs instead of comparisons: the branches would be unpredictable. A bust dealer counts 0.
        let beaten = dealerTotal & (dealerTotal &- 22) &>> 63
        let behind = UInt(bitPattern: beaten &- hand.total)
        // 2 for a win, 1 for a push, 0 for a loss, in the order of the cases.
        let stakesBack = Int(bitPattern: behind &>> 63 &+ (behind &- 1) &>> 63)
        let outcome = unsafeBitCast(Outcome.lose.rawValue &- UInt8(truncatingIfNeeded: stakesBack), to: Outcome.self)
        return Settlement(outcome, paid: hand.stake * stakesBack)
    }

    @inlinable @inline(always)
    func settleAgainstBlackjack(_ hand: FinishedHand) -> Settlement {
        if hand.end == .blackjack { return Settlement(.push, paid: hand.stake) }
        let taken = holeCard == .original ? hand.original : hand.stake
        let outcome: Outcome = taken == 0 ? .push : hand.end == .bust ? .bust : .lose
        return Settlement(outcome, paid: hand.stake - taken)
    }

    /// Whether a hand that ended so is settled before the dealer's cards are known.
    ///
    /// After a peek only standing hands wait. Without a hole card, so do all hands that a dealer's blackjack may still affect.
    @inlinable @inline(always)
    public func canSettleEarly(_ hand: FinishedHand, upCard: Rank, seatHasExtraBets: Bool) -> Bool {
        let blackjackIsOpen = holeCard != .peek && upCard.canMakeBlackjack
        return switch hand.end {
        case .stood: false
        case .evenMoney, .charlie: true
        case .blackjack: !blackjackIsOpen
        case .surrendered: !blackjackIsOpen || surrender != .late
        case .bust: !blackjackIsOpen || holeCard != .original || !seatHasExtraBets
        }
    }
}

/// Payouts in whole chips. Fractions round in the player's favour.
extension HouseRules.BlackjackPays {
    /// The win of a blackjack, without its stake: rounded up.
    @inlinable
    public func winnings(on stake: Int) -> Int {
        switch self {
        case .threeToTwo: (stake * 3 + 1) / 2
        case .sixToFive: (stake * 6 + 4) / 5
        case .sevenToFive: (stake * 7 + 4) / 5
        case .twoToOne: stake * 2
        case .oneToOne: stake
        }
    }
}

extension HouseRules {
    /// The chips returned on surrender: half the bet, rounded up.
    @inlinable
    public static func surrenderReturn(of stake: Int) -> Int { (stake + 1) / 2 }

    /// The most insurance: half the bet, rounded down, since more than half would break the rule of the game.
    @inlinable
    public static func insuranceLimit(for bet: Int) -> Int { bet / 2 }

    /// The chips returned for an insurance bet when the dealer has a blackjack: the stake and 2:1 on it.
    @inlinable
    public static func insuranceReturn(of stake: Int) -> Int { stake * 3 }
}
