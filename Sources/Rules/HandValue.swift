/// What a hand counts, kept up to date card by card.
///
/// An ace counts 11 unless that makes more than 21, then 1; so at most one ace counts 11 (N.J. Admin. Code 13:69F-2.2(b)).
@frozen
public struct HandValue: Hashable, Sendable, BitwiseCopyable {
    /// The total with every ace as 1.
    public let hard: UInt8
    /// How many cards were counted.
    public let count: UInt8
    /// Whether an ace is among them.
    public let hasAce: Bool

    /// The value of no cards: 0.
    @inlinable @inline(__always)
    public init() {
        hard = 0
        count = 0
        hasAce = false
    }

    @inlinable @inline(__always)
    init(hard: UInt8, count: UInt8, hasAce: Bool) {
        self.hard = hard
        self.count = count
        self.hasAce = hasAce
    }

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
        HandValue(hard: hard &+ UInt8(truncatingIfNeeded: rank.points), count: count &+ 1, hasAce: hasAce || rank.isAce)
    }

    /// The best total: an ace counts 11 where that does not bust the hand.
    @inlinable @inline(__always)
    public var total: Int { Int(hard) &+ (isSoft ? 10 : 0) }

    /// Whether an ace counts 11.
    @inlinable @inline(__always)
    public var isSoft: Bool { hasAce && hard <= 11 }

    /// More than 21.
    @inlinable @inline(__always)
    public var isBust: Bool { hard > 21 }

    /// 21 with two cards. Whether that is a blackjack depends on where the hand came from: after a split it is just 21.
    @inlinable @inline(__always)
    public var isTwoCard21: Bool { count == 2 && hasAce && hard == 11 }
}

extension HandValue: CustomStringConvertible {
    /// As players say it: `soft 17`, `hard 12`, `bust 24`.
    public var description: String {
        isBust ? "bust \(total)" : isSoft ? "soft \(total)" : "hard \(total)"
    }
}
