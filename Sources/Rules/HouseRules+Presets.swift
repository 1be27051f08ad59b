extension HouseRules {
    /// The names for `init(preset:)`.
    public static let presetNames = ["vegas-strip", "downtown", "atlantic-city", "european", "single-deck", "six-five"]

    /// A well-known set of rules.
    ///
    /// - Throws: `.unknownPreset`, which lists the names.
    public init(preset name: String) throws(HouseRulesError) {
        self.init()
        switch name {
        case "vegas-strip":
            // Four decks, dealer stands on all 17s, doubles on any two cards and after splits, no surrender.
            decks = 4
        case "downtown":
            // Double deck as dealt in downtown Las Vegas: the dealer hits soft 17.
            decks = 2
            soft17 = .hit
        case "atlantic-city":
            // Eight decks, dealer stands on all 17s, late surrender.
            decks = 8
            surrender = .late
        case "european":
            // No hole card, doubles on 9 to 11 only, one split.
            holeCard = .none
            double = .nineToEleven
            maxHands = 2
        case "single-deck":
            // One deck at 3:2: the dealer hits soft 17, no double after a split.
            decks = 1
            soft17 = .hit
            doubleAfterSplit = false
            penetration = 0.6
        case "six-five":
            // A blackjack pays 6:5, which alone costs the player 1.4 %.
            blackjackPays = .sixToFive
            soft17 = .hit
        default:
            throw .unknownPreset(name)
        }
        agree()
    }
}
