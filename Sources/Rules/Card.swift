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

/// One of the thirteen ranks, ace first; the raw value 0…12 is its index within a suit.
@frozen
public enum Rank: UInt8, CaseIterable, Sendable {
    case ace, two, three, four, five, six, seven, eight, nine, ten, jack, queen, king

    /// The points of the card, an ace as 1: 1…10. Source: N.J. Admin. Code 13:69F-2.2(b).
    @inlinable
    public var points: Int { min(Int(rawValue) &+ 1, 10) }

    /// A rank with these points, 1…10; the ten for 10.
    ///
    /// - Precondition: `points` is in 1…10.
    public init(points: Int) {
        guard let rank = Rank(rawValue: UInt8(points - 1)), rank.rawValue <= Rank.ten.rawValue else {
            preconditionFailure("ranks count 1 to 10")
        }
        self = rank
    }

    @inlinable
    public var isAce: Bool { self == .ace }

    /// Ten, jack, queen or king.
    @inlinable
    public var isTenValued: Bool { rawValue >= Rank.ten.rawValue }

    /// Whether a dealer with this up card may have a blackjack.
    @inlinable
    public var canMakeBlackjack: Bool { isAce || isTenValued }

    /// The character in a card's text: `A`, `2`…`9`, `T`, `J`, `Q`, `K`.
    public var letter: Character { Self.letters[Int(rawValue)] }

    private static let letters = Array("A23456789TJQK")

    /// The rank of a letter, upper or lower case.
    public init?(letter: Character) {
        guard letter.isASCII, let index = Self.letters.firstIndex(of: Character(letter.uppercased())) else { return nil }
        self = Rank.allCases[index]
    }
}

/// One of the four suits, which have no effect on the game.
@frozen
public enum Suit: UInt8, CaseIterable, Sendable {
    case spades, hearts, diamonds, clubs

    /// The letter in a card's text: `S`, `H`, `D`, `C`.
    public var letter: Character { Self.letters[Int(rawValue)] }

    /// ♠ ♥ ♦ ♣.
    public var symbol: Character { Self.symbols[Int(rawValue)] }

    private static let letters = Array("SHDC")
    private static let symbols = Array("♠♥♦♣")

    /// The suit of a letter, upper or lower case.
    public init?(letter: Character) {
        // Of another script, ſ is an S in upper case, too.
        guard letter.isASCII, let index = Self.letters.firstIndex(of: Character(letter.uppercased())) else { return nil }
        self = Suit.allCases[index]
    }
}
