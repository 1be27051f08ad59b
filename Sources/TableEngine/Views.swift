import Rules

/// A player as everybody sees him.
public struct PlayerView: Hashable, Sendable {
    public var id: PlayerID
    public var profile: PlayerProfile
    /// In chips, all open bets taken off.
    public var bankroll: Int
    /// The seats, from 1, in order.
    public var seats: [Int]
    public var isConnected: Bool
    /// Not connected, and longer than the period of grace.
    public var isAway: Bool
    public var isSittingOut: Bool
    public var isLeaving: Bool
    public var missedRounds: Int
}

/// A hand as everybody sees it.
public struct HandView: Hashable, Sendable {
    public var id: HandID
    public var cards: [TableCard]
    public var value: HandValue
    /// All chips on the hand.
    public var stake: Int
    public var isSplit: Bool
    public var isDoubled: Bool
    /// Whether the hand takes no more cards, and why.
    public var end: HandEnd?
    /// What it came to; nil until it is settled.
    public var settlement: Settlement?
}

/// An action that is legal now, and what it costs.
public struct LegalAction: Hashable, Sendable {
    public var action: Action
    /// The chips that may be added; 0...0 for an action that costs nothing.
    public var cost: ClosedRange<Int>
}

/// A seat as everybody sees it.
public struct SeatView: Hashable, Sendable {
    /// From 1.
    public var seat: Int
    /// nil: the seat is free.
    public var player: PlayerID?
    /// Chips bet for the next round; 0: none.
    public var bet: Int
    /// Whose hands lie here: someone who has left by now, perhaps.
    public var owner: PlayerID?
    /// The bet that this round began with; 0 without a hand.
    public var original: Int
    public var insurance: Int
    /// Chips that came back for the insurance; nil until it is settled.
    public var insurancePaid: Int?
    /// Whether the seat still has to answer the question that is put to all.
    public var isAsked: Bool
    public var hands: [HandView]
}

/// The figures of a shoe that everybody may know.
public struct ShoeView: Hashable, Sendable {
    /// From 1; 0 before the first shuffle.
    public var number: Int
    public var decks: Int
    /// Cards drawn, burned ones included.
    public var drawn: Int
    public var remaining: Int
    /// The cut card lies behind this many cards.
    public var cut: Int
    /// Whether the next round begins with a shuffle.
    public var shufflesNext: Bool
}
