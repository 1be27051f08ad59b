import Rules
import TableEngine

/// A round as people talk about it.
public struct PlayedRound: Equatable, Sendable {
    public var table: String
    /// The table's count of rounds, from 1.
    public var number: Int
    /// The shoe, from 1.
    public var shoe: Int
    /// In milliseconds since 1970.
    public var started: Int64
    /// nil while the round is in play.
    public var ended: Int64?
    /// The record that ended the round; the last one while it is in play.
    public var place: RecordPlace
    /// Whether bets were returned instead of settled.
    public var isVoided = false
    /// In the order of the seats.
    public var seats: [PlayedSeat]
    public var dealer: [Card] = []
    /// Whether the dealer has a card that was never shown. It is not among ``dealer``.
    public var holeIsHidden = false

    /// The total of the cards shown.
    public var dealerValue: HandValue { HandValue(dealer) }
}

/// A seat in a round.
public struct PlayedSeat: Equatable, Sendable {
    /// Name of a player who has left, where only a state is known.
    package static let unknownName = "?"

    /// From 1.
    public var seat: Int
    public var player: PlayerID
    /// The name under which the player sat.
    public var name: String
    /// Chips at the start of the round.
    public var bet: Int
    public var hands: [PlayedHand]
    public var insurance: PlayedInsurance?

    /// Chips won in the settled parts, insurance included; negative: lost.
    public var net: Int { hands.reduce(insurance?.net ?? 0) { $0 &+ $1.net } }
}

public struct PlayedHand: Equatable, Sendable {
    public var cards: [Card] = []
    public var moves: [PlayedMove] = []
    /// All chips on the hand.
    public var stake: Int
    public var isSplit = false
    /// nil until the hand is settled.
    public var settlement: Settlement?

    public var value: HandValue { HandValue(cards) }
    /// 0 until the hand is settled.
    public var net: Int { settlement.map { $0.paid &- stake } ?? 0 }
}

public struct PlayedInsurance: Equatable, Sendable {
    public var stake: Int
    /// Chips returned; nil until it is settled.
    public var paid: Int?

    /// 0 until it is settled.
    public var net: Int { paid.map { $0 &- stake } ?? 0 }
}

/// A move of a hand, and the card that it brought.
public struct PlayedMove: Equatable, Sendable {
    public var action: Action
    /// Chips added.
    public var amount = 0
    public var card: Card?
    /// Whether the time ran out, or the player was leaving.
    public var isDefault = false
}
