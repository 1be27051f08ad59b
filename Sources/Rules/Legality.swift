/// What the rules need to know of a hand to say what may be done with it.
@frozen
public struct HandSituation: Sendable, BitwiseCopyable {
    /// Where a hand came from.
    @frozen
    public enum Origin: UInt8, Sendable { case dealt, split, splitAces }

    public var value: HandValue
    /// Whether the hand is two cards that the rules call a pair.
    public var isPair: Bool
    public var origin: Origin
    /// Hands at this seat now, this one included: 1…4.
    public var handsAtSeat: Int
    public var upCard: Rank
    /// The seat's original bet in chips: what a split or a full double costs.
    public var bet: Int
    /// Chips the player has left, all of his open bets taken off.
    public var bankroll: Int

    @inlinable
    public init(
        value: HandValue, isPair: Bool, origin: Origin, handsAtSeat: Int, upCard: Rank, bet: Int, bankroll: Int
    ) {
        self.value = value
        self.isPair = isPair
        self.origin = origin
        self.handsAtSeat = handsAtSeat
        self.upCard = upCard
        self.bet = bet
        self.bankroll = bankroll
    }
}

extension HouseRules {
    /// What may be done with the hand whose turn it is; empty when nothing is left to decide and the hand stands by itself.
    ///
    /// `stand` is in every other answer. An action that the player cannot pay for is not.
    public func legalActions(for hand: HandSituation) -> ActionSet {
        if hand.value.total >= 21 { return [] }
        // Whoever has taken a third card may only go on or stop.
        if hand.value.count > 2 { return [.hit, .stand] }
        var legal: ActionSet = .stand
        if hand.origin != .splitAces || hitSplitAces { legal.insert(.hit) }
        if allowsDouble(hand), !doubleAmounts(for: hand).isEmpty { legal.insert(.double) }
        if allowsSplit(hand), hand.bankroll >= hand.bet { legal.insert(.split) }
        if hand.origin == .dealt, surrenderIsOfferedInTurn(upCard: hand.upCard) { legal.insert(.surrender) }
        return legal == .stand ? [] : legal
    }

    /// Whether the rules, money aside, allow a double now.
    @inlinable @inline(always)
    public func allowsDouble(_ hand: HandSituation) -> Bool {
        hand.value.count == 2 && (hand.origin == .dealt || doubleAfterSplit)
            && (hand.origin != .splitAces || hitSplitAces) && double.allows(hand.value)
    }

    /// Whether the rules, money aside, allow a split now.
    @inlinable @inline(always)
    public func allowsSplit(_ hand: HandSituation) -> Bool {
        hand.isPair && hand.handsAtSeat < maxHands && (hand.origin != .splitAces || resplitAces)
    }

    /// The chips a double may add: just the bet, or any amount up to it where the rules let one double for less. Empty when
    /// the player has too few.
    @inlinable @inline(always)
    public func doubleAmounts(for hand: HandSituation) -> Range<Int> {
        if doubleForLess { return 1..<max(1, min(hand.bet, hand.bankroll) + 1) }
        return hand.bankroll >= hand.bet ? hand.bet..<hand.bet + 1 : 0..<0
    }

    /// The chips an insurance may take: 1 to half the bet. Empty when that is nothing, or when the player has too few for half
    /// the bet.
    @inlinable @inline(always)
    public func insuranceAmounts(bet: Int, bankroll: Int) -> Range<Int> {
        let limit = HouseRules.insuranceLimit(for: bet)
        return insurance && limit >= 1 && bankroll >= limit ? 1..<limit + 1 : 0..<0
    }

    /// Whether early surrender is asked of everybody before the dealer looks at the hole card. Where nobody looks, or nothing
    /// could be found, it is just the first decision of a turn.
    @inlinable @inline(always)
    public func asksEarlySurrender(upCard: Rank) -> Bool {
        guard holeCard == .peek else { return false }
        return switch surrender {
        case .early: upCard.canMakeBlackjack
        case .earlyNotAce: upCard.isTenValued
        case .none, .late: false
        }
    }

    /// Whether surrender is among the first decisions of a turn.
    @inlinable @inline(always)
    public func surrenderIsOfferedInTurn(upCard: Rank) -> Bool {
        switch surrender {
        case .none: false
        case .late: true
        case .early: !asksEarlySurrender(upCard: upCard)
        case .earlyNotAce: !upCard.isAce && !asksEarlySurrender(upCard: upCard)
        }
    }

    /// Whether the dealer draws another card to a hand worth this. The dealer has no choice, ever.
    @inlinable @inline(always)
    public func dealerDraws(to value: HandValue) -> Bool {
        let total = value.total
        return total < 17 || (total == 17 && value.isSoft && soft17 == .hit)
    }
}
