extension HouseRules {
    /// The rules as sentences for players, most important first. Includes every rule that affects payouts.
    public var sentences: [String] {
        [
            shoeSentence, dealerSentence, holeCardSentence, "A blackjack pays \(blackjackPays.rawValue).", roundingSentence,
            doublingSentence, splittingSentence, splitAcesSentence, surrenderSentence, insuranceSentence, charlieSentence,
            "Bets are \(minimumBet) to \(maximumBet) chips in steps of \(betStep).", seatsSentence, clockSentence,
            "A decision not made in time is a stand; a question not answered in time is a no.",
        ].compactMap { $0 }
    }

    private var shoeSentence: String {
        let shoe = decks == 1 ? "One deck" : "\(decks) decks"
        let burned = burn == 0 ? "no card is burned" : burn == 1 ? "one card is burned" : "\(burn) cards are burned"
        if continuousShuffle { return "\(shoe), shuffled afresh before every round; \(burned) each time." }
        let percent = Int(penetration * 100 + 0.5)
        return "\(shoe), shuffled when \(percent) % have been dealt; \(burned) after each shuffle."
    }

    private var dealerSentence: String {
        soft17 == .stand
            ? "The dealer draws to 16 and stands on all 17s." : "The dealer draws to 16, hits soft 17 and stands on hard 17."
    }

    private var holeCardSentence: String {
        switch holeCard {
        case .peek: "The dealer looks for a blackjack under an ace or a ten before anybody acts."
        case .none: "The dealer takes no hole card; a dealer's blackjack takes all bets, doubled and split ones too."
        case .original: "The dealer takes no hole card; a dealer's blackjack takes the original bets only."
        }
    }

    private var roundingSentence: String {
        "Chips are whole: what does not divide evenly is rounded in the player's favour."
    }

    private var doublingSentence: String {
        let hands =
            switch double {
            case .any: "any two cards"
            case .nineToEleven: "hard 9, 10 or 11"
            case .tenToEleven: "hard 10 or 11"
            case .eleven: "hard 11"
            case .none: ""
            }
        if double == .none { return "No doubling." }
        let after = doubleAfterSplit ? "also after a split" : "not after a split"
        return "Double on \(hands), \(after)\(doubleForLess ? ", for the bet or less" : "")."
    }

    private var splittingSentence: String {
        if maxHands == 1 { return "No splitting." }
        let pair = splitBy == .value ? "Two cards of equal value" : "Two cards of equal rank"
        return "\(pair) may be split, to \(maxHands) hands at most; 21 after a split is no blackjack."
    }

    private var splitAcesSentence: String? {
        if maxHands == 1 { return nil }
        let cards = hitSplitAces ? "Split aces are played like other hands" : "Split aces get one card each"
        return "\(cards)\(resplitAces ? " and may be split again" : "")."
    }

    private var surrenderSentence: String {
        switch surrender {
        case .none: "No surrender."
        case .late: "Late surrender: half the bet back as the first decision, unless the dealer has a blackjack."
        case .early: "Early surrender: half the bet back as the first decision, even if the dealer has a blackjack."
        case .earlyNotAce: "Early surrender: half the bet back as the first decision, but not when the dealer shows an ace."
        }
    }

    private var insuranceSentence: String {
        if !insurance { return "No insurance." }
        let even = evenMoney ? "; a blackjack may take even money" : ""
        return "When the dealer shows an ace, insurance of up to half the bet pays 2:1\(even)."
    }

    private var charlieSentence: String? {
        charlie == 0 ? nil : "A hand of \(charlie) cards that is not bust wins at once, 1:1."
    }

    private var seatsSentence: String {
        let places = seats == 1 ? "One seat" : "\(seats) seats"
        let each = seatsPerPlayer == 1 ? "one a player" : "up to \(seatsPerPlayer) a player"
        return "\(places), \(each)\(midShoeEntry ? "" : "; who sits down mid-shoe may have to wait for the next shuffle")."
    }

    private var clockSentence: String {
        let asksAll = insurance || surrender == .early || surrender == .earlyNotAce
        let questions = asksAll ? ", \(insuranceSeconds) s to answer what is asked of all" : ""
        return "\(bettingSeconds) s to bet, \(decisionSeconds) s for a decision\(questions)."
    }
}
