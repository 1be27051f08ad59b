import Rules

extension Catalog {
    private static let bet = Shape.whole(HouseRules.betRange)
    private static let seconds = Shape.whole(HouseRules.secondsRange)

    private static func choice<Choice: CaseIterable & RawRepresentable<String>>(_ type: Choice.Type) -> Shape {
        .word(type.allCases.map(\.rawValue))
    }

    /// The keys of a rules file, in the order in which rules are shown.
    package static let rules: [Field] = [
        .optional("decks", .whole(1...8), "packs of 52 in the shoe"),
        .optional("soft17", choice(HouseRules.Soft17.self), "what the dealer does with a soft 17"),
        .optional("blackjackPays", choice(HouseRules.BlackjackPays.self), "what a blackjack pays"),
        .optional(
            "holeCard", choice(HouseRules.HoleCard.self),
            "whether the dealer takes a hole card and looks for blackjack; without one, a blackjack of the dealer's takes all bets (`none`) or the original ones (`original`)"
        ),
        .optional("double", choice(HouseRules.Doubling.self), "which totals of two cards may be doubled"),
        .optional("doubleAfterSplit", .flag, "whether split hands may be doubled"),
        .optional("doubleForLess", .flag, "whether a double may add less than the bet"),
        .optional("maxHands", .whole(1...4), "hands that one seat may come to by splitting"),
        .optional("resplitAces", .flag, "whether split aces may be split again"),
        .optional("hitSplitAces", .flag, "whether split aces may take more than one card"),
        .optional("splitBy", choice(HouseRules.SplitBy.self), "what makes a pair: equal points or equal ranks"),
        .optional(
            "surrender", choice(HouseRules.Surrender.self),
            "whether half the bet may be given up: after the dealer has looked for blackjack, before, or before but not against an ace"
        ),
        .optional("insurance", .flag, "whether insurance is offered when the dealer shows an ace"),
        .optional("evenMoney", .flag, "whether a blackjack may then be paid 1:1 at once; where blackjacks pay 3:2 only"),
        .optional("minimumBet", bet, "chips"),
        .optional("maximumBet", bet, "chips"),
        .optional("betStep", bet, "chips; every bet is a multiple of it"),
        .optional("seats", .whole(1...7), "seats at the table"),
        .optional("seatsPerPlayer", .whole(1...7), "seats that one player may have"),
        .optional("penetration", .number(0.3...0.95), "the part of the shoe that is dealt before the cut card shows"),
        .optional("burn", .whole(0...10), "cards that are burned after each shuffle"),
        .optional("continuousShuffle", .flag, "a fresh shoe every round"),
        .optional(
            "charlie", .either([.whole(0...0), .whole(5...7)]),
            "a hand of so many cards that is not bust wins at once; 0: no such rule"),
        .optional("midShoeEntry", .flag, "whether who sits down may bet before the next shuffle"),
        .optional("bettingSeconds", seconds, "from the first bet until the betting closes"),
        .optional("decisionSeconds", seconds, "for each decision"),
        .optional("insuranceSeconds", seconds, "to answer what all are asked at once"),
    ]
}
