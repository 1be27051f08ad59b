/// Something that happened at a table, as every viewer may know it.
///
/// A fact names things by the identifiers that the snapshot has for them: it has no room for a card's face, for chips or for a secret. The
/// table after the change shows as much of them as may be seen.
public enum PublicFact: Hashable, Sendable {
    case table(OfTable)
    case player(String, OfPlayer)
    case sat(player: String, seat: Int)
    case hand(HandIdentifier, OfHand)
    /// A card, by its number.
    case card(Int, OfCard)
    /// A fact of a later version.
    case other

    public enum OfTable: String, CaseIterable, Sendable {
        case shuffled, reshuffled, round, peeked, ended

        /// As Protocol.md has it.
        package var explanation: String {
            switch self {
            case .shuffled: "a new shoe begins"
            case .reshuffled: "the shoe ran out, and is continued"
            case .round: "no more bets: a round begins"
            case .peeked: "the dealer has checked for blackjack and has none"
            case .ended: "the round is over"
            }
        }
    }

    public enum OfPlayer: String, CaseIterable, Sendable {
        case left, leaving, satOut, idled, satIn, away, back

        /// As Protocol.md has it.
        package var explanation: String {
            switch self {
            case .left: "has left the table"
            case .leaving: "leaves when the round is over"
            case .satOut: "sits out, at the player's request"
            case .idled: "sits out, because the time ran out"
            case .satIn: "plays again"
            case .away: "has lost the connection; the seat is kept"
            case .back: "is back"
            }
        }
    }

    public enum OfHand: String, CaseIterable, Sendable {
        case bet, betReturned, hit, doubled, split, stood, surrendered, insured, declined, playedOn, timedOut, insuranceWon,
            insuranceLost, settled

        /// As Protocol.md has it.
        package var explanation: String {
            switch self {
            case .bet: "has bet"
            case .betReturned: "no longer has a bet"
            case .hit: "takes a card, which is dealt next"
            case .doubled: "doubles; the one card is dealt next"
            case .split: "is split: its second card moved to the seat's last hand"
            case .stood: "stands"
            case .surrendered: "surrenders"
            case .insured: "has taken insurance"
            case .declined: "has taken no insurance"
            case .playedOn: "has not surrendered"
            case .timedOut: "the time ran out: the next decision is the server's"
            case .insuranceWon: "the insurance is paid"
            case .insuranceLost: "the insurance is lost"
            case .settled: "has its result"
            }
        }
    }

    public enum OfCard: String, CaseIterable, Sendable {
        case dealt, dealtFaceDown, turned

        /// As Protocol.md has it.
        package var explanation: String {
            switch self {
            case .dealt: "was dealt face up; the diff shows to which hand"
            case .dealtFaceDown: "was dealt to the dealer, face down"
            case .turned: "the dealer has turned it"
            }
        }
    }
}

/// The facts between two revisions of a table.
public enum TableNews: Hashable, Sendable {
    /// In order; also empty if facts are off.
    case facts([PublicFact])
    /// Facts are missing: several revisions are one difference, or the revision's facts are unknown.
    case missed

    /// Nothing is told.
    public static let none = TableNews.facts([])
}
