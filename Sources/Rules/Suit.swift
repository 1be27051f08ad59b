/// One of the four suits, which have no effect on the game.
@frozen
public enum Suit: UInt8, CaseIterable, Sendable {
    case spades, hearts, diamonds, clubs

    /// The letter in a card's text: `S`, `H`, `D`, `C`.
    public var letter: Character {
        switch self {
        case .spades: "S"
        case .hearts: "H"
        case .diamonds: "D"
        case .clubs: "C"
        }
    }

    /// ♠ ♥ ♦ ♣.
    public var symbol: Character {
        switch self {
        case .spades: "♠"
        case .hearts: "♥"
        case .diamonds: "♦"
        case .clubs: "♣"
        }
    }

    /// The suit of a letter, upper or lower case.
    public init?(letter: Character) {
        switch letter {
        case "S", "s": self = .spades
        case "H", "h": self = .hearts
        case "D", "d": self = .diamonds
        case "C", "c": self = .clubs
        default: return nil
        }
    }
}
