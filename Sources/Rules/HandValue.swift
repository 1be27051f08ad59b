/// The running value of a hand, updated card by card.
///
/// An ace counts 11 unless the total would exceed 21, then 1, so at most one ace counts 11 (N.J. Admin. Code 13:69F-2.2(b)).
@frozen
public struct HandValue: Hashable, Sendable, BitwiseCopyable {
    /// Bits 0–7: the hard total; then the number of cards; then whether an ace is among them. Adding a card is one addition.
    @usableFromInline let bits: UInt32

    @inlinable
    init(bits: UInt32) { self.bits = bits }

    /// The value of an empty hand: 0.
    @inlinable
    public init() { bits = 0 }

    /// The value of `count` cards with hard total `hard`.
    @inlinable
    package init(hard: UInt8, count: UInt8, hasAce: Bool) {
        bits = UInt32(hard) | UInt32(count) &<< 8 | (hasAce ? 1 &<< 16 : 0)
    }

    /// The total with every ace as 1.
    @inlinable
    public var hard: UInt8 { UInt8(truncatingIfNeeded: bits) }

    /// The number of cards.
    @inlinable
    public var count: UInt8 { UInt8(truncatingIfNeeded: bits &>> 8) }

    public init(_ cards: some Sequence<Card>) {
        self.init()
        for card in cards { add(card.rank) }
    }

    @inlinable
    public mutating func add(_ rank: Rank) {
        self = adding(rank)
    }

    @inlinable
    public func adding(_ rank: Rank) -> HandValue {
        adding(increment: HandValue.increment(of: rank))
    }

    /// The increment of a card: its points, one card, and whether it is an ace, in the layout of `bits`.
    @inlinable
    public static func increment(of rank: Rank) -> UInt32 {
        UInt32(truncatingIfNeeded: rank.points) | 1 &<< 8 | (rank.isAce ? 1 &<< 16 : 0)
    }

    /// Adds a card by its precomputed `increment(of:)`.
    @inlinable
    public func adding(increment: UInt32) -> HandValue {
        // No hand has enough cards for a field to overflow into the next.
        HandValue(bits: (bits &+ (increment & 0xffff)) | (increment & 1 &<< 16))
    }

    /// The best total: an ace counts 11 unless the hand would bust.
    @inlinable
    public var total: Int { Int(hard) &+ (isSoft ? 10 : 0) }

    /// Whether an ace counts 11.
    @inlinable
    public var isSoft: Bool { (bits & (1 &<< 16 | 0xff)) &- 1 &<< 16 <= 11 }

    /// More than 21.
    @inlinable
    public var isBust: Bool { hard > 21 }

    /// The hard total and the presence of an ace in six bits: the index of an open hand in lookup tables.
    ///
    /// Open hands count at most 21 with every ace as 1, so nothing is cut off.
    @inlinable
    public var tableIndex: Int { Int(truncatingIfNeeded: bits & 31 | bits &>> 11 & 32) }

    /// The number of values of `tableIndex`.
    public static var tableSize: Int { 64 }

    /// 21 with two cards. A blackjack only if the hand was not split.
    @inlinable
    public var isTwoCard21: Bool { bits == 1 &<< 16 | 2 &<< 8 | 11 }
}

extension HandValue: CustomStringConvertible {
    /// `soft 17`, `hard 12`, `bust 24`.
    public var description: String {
        isBust ? "bust \(total)" : isSoft ? "soft \(total)" : "hard \(total)"
    }
}
