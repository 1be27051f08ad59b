import Rules

/// Who plays, as the host knows them; the table only compares. As wide as it is so that a host never runs out of them.
@frozen
public struct PlayerID: RawRepresentable, Hashable, Sendable, BitwiseCopyable {
    public var rawValue: UInt64
    @inlinable
    public init(rawValue: UInt64) { self.rawValue = rawValue }
    /// - Parameter number: 0 or more.
    @inlinable
    public init(_ number: some BinaryInteger) { rawValue = UInt64(number) }
}

/// What the others see of a player.
public struct PlayerProfile: Hashable, Sendable {
    public var name: String
    /// Bots are labelled as such.
    public var isBot: Bool

    public init(name: String, isBot: Bool = false) {
        self.name = name
        self.isBot = isBot
    }
}

/// A card's place in its shoe, counted from 0 in the order of drawing, burned cards included. It says nothing about the card.
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

/// A card on the table: its identity, and its face unless it lies face down.
public struct TableCard: Hashable, Sendable {
    public var id: CardID
    /// nil while the card lies face down.
    public var card: Card?
}

/// A hand at the table: its seat, 1…7, and its place among the seat's hands, 0…3, in the order in which they are played.
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
