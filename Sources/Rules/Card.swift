/// A playing card in one byte: `code` = suit · 13 + rank, suits in the order ♠ ♥ ♦ ♣, ranks ace to king.
@frozen
public struct Card: Hashable, Sendable, BitwiseCopyable {
    /// 0…51.
    public let code: UInt8

    /// - Precondition: `code` is in 0…51.
    @inlinable
    public init(code: UInt8) {
        precondition(code < 52, "a card's code is 0…51")
        self.code = code
    }

    @inlinable
    public init(_ rank: Rank, _ suit: Suit) {
        code = suit.rawValue * 13 + rank.rawValue
    }

    @inlinable
    public var rank: Rank {
        // Every remainder of 13 is a rank: the cast avoids a second range check.
        unsafeBitCast(code % 13, to: Rank.self)
    }

    @inlinable
    public var suit: Suit { unsafeBitCast(code / 13, to: Suit.self) }

    /// All 52 cards in the order of their codes.
    public static var deck: [Card] { (0..<52).map(Card.init(code:)) }
}

extension Card: CustomStringConvertible, LosslessStringConvertible {
    /// Rank and suit in two characters: `AS`, `TD`, `KH`.
    public var description: String { String([rank.letter, suit.letter]) }

    /// Parses `KH` or `kh`; a ten is `TD` or `10D`.
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
