/// A playing card in one byte: `code` = suit · 13 + rank, suits in the order ♠ ♥ ♦ ♣, ranks ace to king.
@frozen
public struct Card: Hashable, Sendable, BitwiseCopyable {
    /// 0…51.
    public let code: UInt8

    /// The card with a code of 0…51; anything else is a mistake of the caller's and traps.
    @inlinable @inline(always)
    public init(code: UInt8) {
        precondition(code < 52, "a card's code is 0…51")
        self.code = code
    }

    @inlinable @inline(always)
    public init(_ rank: Rank, _ suit: Suit) {
        code = suit.rawValue * 13 + rank.rawValue
    }

    @inlinable @inline(always)
    public var rank: Rank {
        // Every remainder of 13 is a rank; a cast spares the hot path a second range check.
        unsafeBitCast(code % 13, to: Rank.self)
    }

    @inlinable @inline(always)
    public var suit: Suit { unsafeBitCast(code / 13, to: Suit.self) }

    /// All 52 cards in the order of their codes.
    public static var deck: [Card] { (0..<52).map(Card.init(code:)) }
}

extension Card: CustomStringConvertible, LosslessStringConvertible {
    /// Rank and suit in two characters: `AS`, `TD`, `KH`.
    public var description: String { String([rank.letter, suit.letter]) }

    /// Reads `KH` or `kh`; a ten may be written `TD` or `10D`.
    public init?(_ text: String) {
        guard let last = text.last, let suit = Suit(letter: last) else { return nil }
        let head = text.dropLast()
        if head == "10" {
            self.init(.ten, suit)
        } else if head.count == 1, let first = head.first, let rank = Rank(letter: first) {
            self.init(rank, suit)
        } else {
            return nil
        }
    }
}
