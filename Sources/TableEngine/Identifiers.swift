import Rules

/// A player, as the host knows them. 64 bits, so that a host never reuses one.
@frozen
public struct PlayerID: RawRepresentable, Hashable, Sendable, BitwiseCopyable {
    public var rawValue: UInt64
    @inlinable
    public init(rawValue: UInt64) { self.rawValue = rawValue }
    /// - Parameter number: 0 or more.
    @inlinable
    public init(_ number: some BinaryInteger) { rawValue = UInt64(number) }
}

/// The public data of a player.
public struct PlayerProfile: Hashable, Sendable {
    public var name: String
    /// Bots are labelled as such.
    public var isBot: Bool
    /// Whether the player's client takes part in the ceremonies of shoes.
    public var contributes: Bool

    public init(name: String, isBot: Bool = false, contributes: Bool = false) {
        self.name = name
        self.isBot = isBot
        self.contributes = contributes
    }
}

/// A card's index in its shoe, from 0 in drawing order, burned cards included. Independent of the card's face.
@frozen
public struct CardID: RawRepresentable, Hashable, Comparable, Sendable, BitwiseCopyable {
    public var rawValue: UInt16
    @inlinable
    public init(rawValue: UInt16) { self.rawValue = rawValue }
    @inlinable
    init(_ index: Int) { rawValue = UInt16(truncatingIfNeeded: index) }
    @inlinable
    public static func < (a: CardID, b: CardID) -> Bool { a.rawValue < b.rawValue }
}

/// A card on the table: its identity, and its face unless it is face down.
public struct TableCard: Hashable, Sendable {
    public var id: CardID
    /// nil while the card is face down.
    public var card: Card?
}

/// A hand at the table: its seat, 1…7, and its index among the seat's hands, 0…3, in playing order.
@frozen
public struct HandID: Hashable, Sendable, BitwiseCopyable {
    public var seat: Int
    public var hand: Int
    @inlinable
    public init(seat: Int, hand: Int) {
        self.seat = seat
        self.hand = hand
    }
}
