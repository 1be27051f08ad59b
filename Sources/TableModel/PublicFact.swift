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
    }

    public enum OfPlayer: String, CaseIterable, Sendable {
        case left, leaving, satOut, idled, satIn, away, back
    }

    public enum OfHand: String, CaseIterable, Sendable {
        case bet, betReturned, hit, doubled, split, stood, surrendered, insured, declined, playedOn, timedOut, insuranceWon,
            insuranceLost, settled
    }

    public enum OfCard: String, CaseIterable, Sendable {
        case dealt, dealtFaceDown, turned
    }
}

/// The facts between two revisions of a table.
public enum TableNews: Hashable, Sendable {
    /// In order; empty also where nobody tells.
    case facts([PublicFact])
    /// Changes were left out: several revisions are one difference, or nobody has told of the one.
    case missed

    /// Nothing is told.
    public static let none = TableNews.facts([])
}
