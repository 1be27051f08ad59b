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
    public var letter: Character {
        switch self {
        case .ace: "A"
        case .two: "2"
        case .three: "3"
        case .four: "4"
        case .five: "5"
        case .six: "6"
        case .seven: "7"
        case .eight: "8"
        case .nine: "9"
        case .ten: "T"
        case .jack: "J"
        case .queen: "Q"
        case .king: "K"
        }
    }

    /// The rank of a letter, upper or lower case.
    public init?(letter: Character) {
        for rank in Rank.allCases where rank.letter == letter {
            self = rank
            return
        }
        switch letter {
        case "a": self = .ace
        case "t": self = .ten
        case "j": self = .jack
        case "q": self = .queen
        case "k": self = .king
        default: return nil
        }
    }
}
