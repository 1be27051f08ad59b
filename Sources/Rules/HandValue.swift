/// What a hand counts, kept up to date card by card.
///
/// An ace counts 11 unless that makes more than 21, then 1; so at most one ace counts 11 (N.J. Admin. Code 13:69F-2.2(b)).
@frozen
public struct HandValue: Hashable, Sendable, BitwiseCopyable {
    /// The hard total in the lowest byte, then the number of cards, then whether an ace is among them: so a card is one addition.
    @usableFromInline let bits: UInt32

    @inlinable @inline(__always)
    init(bits: UInt32) { self.bits = bits }

    /// The value of no cards: 0.
    @inlinable @inline(__always)
    public init() { bits = 0 }

    /// The value of `count` cards that make `hard` with every ace as 1.
    @inlinable @inline(__always)
    package init(hard: UInt8, count: UInt8, hasAce: Bool) {
        bits = UInt32(hard) | UInt32(count) &<< 8 | (hasAce ? 1 &<< 16 : 0)
    }

    /// The total with every ace as 1.
    @inlinable @inline(__always)
    public var hard: UInt8 { UInt8(truncatingIfNeeded: bits) }

    /// How many cards were counted.
    @inlinable @inline(__always)
    public var count: UInt8 { UInt8(truncatingIfNeeded: bits &>> 8) }

    /// Whether an ace is among them.
    @inlinable @inline(__always)
    public var hasAce: Bool { bits >= 1 &<< 16 }

    public init(_ cards: some Sequence<Card>) {
        self.init()
        for card in cards { add(card.rank) }
    }

    @inlinable @inline(__always)
    public mutating func add(_ rank: Rank) {
        self = adding(rank)
    }

    @inlinable @inline(__always)
    public func adding(_ rank: Rank) -> HandValue {
        adding(increment: HandValue.increment(of: rank))
    }

    /// What a card of this rank adds: its points, one card, and whether it is an ace, laid out as `bits` is.
    @inlinable @inline(__always)
    public static func increment(of rank: Rank) -> UInt32 {
        UInt32(truncatingIfNeeded: rank.points) | 1 &<< 8 | (rank.isAce ? 1 &<< 16 : 0)
    }

    /// The value with one more card, for those who keep `increment(of:)` ready for every card.
    @inlinable @inline(__always)
    public func adding(increment: UInt32) -> HandValue {
        // No hand has so many cards that one field would run over into the next.
        HandValue(bits: (bits &+ (increment & 0xffff)) | (increment & 1 &<< 16))
    }

    /// The best total: an ace counts 11 where that does not bust the hand.
    @inlinable @inline(__always)
    public var total: Int { Int(hard) &+ (isSoft ? 10 : 0) }

    /// Whether an ace counts 11.
    @inlinable @inline(__always)
    public var isSoft: Bool { (bits & (1 &<< 16 | 0xff)) &- 1 &<< 16 <= 11 }

    /// More than 21.
    @inlinable @inline(__always)
    public var isBust: Bool { hard > 21 }

    /// The hard total and whether an ace is among the cards, in six bits: the place of an open hand in tables by value. Open hands count
    /// at most 21 with every ace as 1, so nothing is cut off.
    @inlinable @inline(__always)
    public var tableIndex: Int { Int(truncatingIfNeeded: bits & 31 | bits &>> 11 & 32) }

    /// As many as there are values of `tableIndex`.
    public static var tableSize: Int { 64 }

    /// 21 with two cards. Whether that is a blackjack depends on where the hand came from: after a split it is just 21.
    @inlinable @inline(__always)
    public var isTwoCard21: Bool { bits == 1 &<< 16 | 2 &<< 8 | 11 }
}

extension HandValue: CustomStringConvertible {
    /// As players say it: `soft 17`, `hard 12`, `bust 24`.
    public var description: String {
        isBust ? "bust \(total)" : isSoft ? "soft \(total)" : "hard \(total)"
    }
}
