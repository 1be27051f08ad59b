/// How a hand ended, before the dealer's hand is known.
@frozen
public enum HandEnd: UInt8, Sendable {
    /// Stands, doubled hands too; the dealer's hand decides.
    case stood
    /// A two-card 21 that came of no split.
    case blackjack
    case bust
    case surrendered
    /// A blackjack for which even money was taken.
    case evenMoney
    /// As many cards as the charlie rule asks for, not bust.
    case charlie
}

/// What became of a hand.
@frozen
public enum Outcome: UInt8, CaseIterable, Sendable {
    /// A blackjack, paid as the house pays it.
    case blackjack
    // In this order: `HouseRules.settle` counts on it.
    case win
    case push
    case lose
    case bust
    case surrender
    case evenMoney
    case charlie

    /// The word for it, as on the wire.
    public var name: String {
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

/// A hand of which only the dealer's cards can still change the result.
@frozen
public struct FinishedHand: Sendable, BitwiseCopyable {
    public var end: HandEnd
    public var total: Int
    /// All chips on this hand.
    public var stake: Int
    /// The part of `stake` that a dealer's blackjack takes where it takes original bets only: the seat's bet on its first hand,
    /// 0 on hands that came of a split.
    public var original: Int

    @inlinable
    public init(end: HandEnd, total: Int, stake: Int, original: Int) {
        self.end = end
        self.total = total
        self.stake = stake
        self.original = original
    }
}

/// What a hand comes to.
@frozen
public struct Settlement: Hashable, Sendable, BitwiseCopyable {
    public var outcome: Outcome
    /// Chips that go back to the player, the stake included.
    public var paid: Int

    @inlinable
    public init(_ outcome: Outcome, paid: Int) {
        self.outcome = outcome
        self.paid = paid
    }
}

extension HouseRules {
    /// What a finished hand comes to against the dealer's finished hand.
    ///
    /// For hands that end without the dealer (`canSettleEarly`) the dealer's value is not looked at.
    @inlinable @inline(always)
    public func settle(_ hand: FinishedHand, against dealer: HandValue) -> Settlement {
        // Most hands: without a jump that depends on the cards.
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
        // By signs, not by comparing, for a jump here would be one that no processor can foresee. A bust dealer counts as nothing.
        let beaten = dealerTotal & (dealerTotal &- 22) &>> 63
        let behind = UInt(bitPattern: beaten &- hand.total)
        // 2 for a win, 1 for a push, 0 for a loss: the cases are in that order.
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

    /// Whether a hand that ended so is settled at once, before the dealer's cards are known.
    ///
    /// Where the dealer has looked under the up card (or the up card makes no blackjack) only standing hands wait. Without a hole
    /// card a blackjack waits while the dealer may still match it, a late surrender while the dealer may still refuse it, and a
    /// lost bet with doubled or split chips while those may still come back.
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
