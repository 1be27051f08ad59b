import Rules

/// The public state of a player.
public struct PlayerView: Hashable, Sendable {
    public var id: PlayerID
    public var profile: PlayerProfile
    /// In chips, without open bets.
    public var bankroll: Int
    /// The seats, from 1, in order.
    public var seats: [Int]
    public var isConnected: Bool
    /// Disconnected for longer than the grace period.
    public var isAway: Bool
    public var isSittingOut: Bool
    public var isLeaving: Bool
    public var missedRounds: Int
}

/// The public state of a hand.
public struct HandView: Hashable, Sendable {
    public var id: HandID
    public var cards: [TableCard]
    public var value: HandValue
    /// All chips on the hand.
    public var stake: Int
    public var isSplit: Bool
    public var isDoubled: Bool
    /// Why the hand takes no more cards; nil while it does.
    public var end: HandEnd?
    /// nil until the hand is settled.
    public var settlement: Settlement?
}

/// A legal action and its cost.
public struct LegalAction: Hashable, Sendable {
    public var action: Action
    /// The chips that may be added; 0...0 for an action without a cost.
    public var cost: ClosedRange<Int>
}

/// The public state of a seat.
public struct SeatView: Hashable, Sendable {
    /// From 1.
    public var seat: Int
    /// nil: the seat is free.
    public var player: PlayerID?
    /// Chips bet for the next round; 0: none.
    public var bet: Int
    /// The owner of the hands here, who may have left.
    public var owner: PlayerID?
    /// The bet at the start of this round; 0 without a hand.
    public var original: Int
    public var insurance: Int
    /// Chips returned for the insurance; nil until it is settled.
    public var insurancePaid: Int?
    /// Whether the seat has an open question.
    public var isAsked: Bool
    public var hands: [HandView]
}

/// The public figures of a shoe.
package struct ShoeView: Hashable, Sendable {
    /// From 1; 0 before the first shuffle.
    package var number: Int
    package var decks: Int
    /// Cards drawn, burned ones included.
    package var drawn: Int
    package var remaining: Int
    /// The number of cards before the cut card.
    package var cut: Int
    /// Whether the next round begins with a shuffle.
    package var shufflesNext: Bool
}
