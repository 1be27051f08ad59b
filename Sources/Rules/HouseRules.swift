/// The rules of a house, validated: every value is playable and consistent.
///
/// Each property is a key of a rules file; see ``HouseRules/init(_:)``.
public struct HouseRules: Hashable, Sendable {
    /// Packs of 52 in the shoe: 1…8.
    public internal(set) var decks = 6
    /// The dealer's play on a soft 17.
    public internal(set) var soft17 = Soft17.stand
    /// The payout of a blackjack.
    public internal(set) var blackjackPays = BlackjackPays.threeToTwo
    /// Whether the dealer takes and peeks at a hole card; without one, the chips that a dealer's blackjack takes.
    public internal(set) var holeCard = HoleCard.peek
    /// Two-card totals that may be doubled.
    public internal(set) var double = Doubling.any
    /// Requires doubling and splitting.
    public internal(set) var doubleAfterSplit = true
    /// Whether a double may add less than the bet.
    public internal(set) var doubleForLess = false
    /// The most hands of one seat after splits: 1…4; 1 = no split.
    public internal(set) var maxHands = 4
    public internal(set) var resplitAces = false
    public internal(set) var hitSplitAces = false
    /// The definition of a pair.
    public internal(set) var splitBy = SplitBy.value
    public internal(set) var surrender = Surrender.none
    public internal(set) var insurance = true
    /// Requires insurance and a 3:2 blackjack; otherwise insuring a blackjack does not come to 1:1.
    public internal(set) var evenMoney = true
    /// Chips.
    public internal(set) var minimumBet = 10
    /// Chips.
    public internal(set) var maximumBet = 500
    /// Chips; every bet is a multiple.
    public internal(set) var betStep = 5
    /// Seats at the table: 1…7.
    public internal(set) var seats = 7
    /// Seats one player may hold: 1…`seats`.
    public internal(set) var seatsPerPlayer = 1
    /// The part of the shoe dealt before the cut card: 0.3…0.95.
    public internal(set) var penetration = 0.75
    /// Cards burned face down after each shuffle: 0…10.
    public internal(set) var burn = 1
    /// A fresh shoe every round.
    public internal(set) var continuousShuffle = false
    /// A hand of this many cards that is not bust wins at once: 0 (off), 5, 6 or 7.
    public internal(set) var charlie = 0
    /// Whether a new player may bet before the next shuffle.
    public internal(set) var midShoeEntry = true
    /// Seconds from the first bet until betting closes: 1…600.
    public internal(set) var bettingSeconds = 20
    /// Seconds for each decision: 1…600.
    public internal(set) var decisionSeconds = 15
    /// Seconds to answer about insurance and early surrender: 1…600.
    public internal(set) var insuranceSeconds = 10

    /// The default rules.
    public init() {}
}

extension HouseRules {
    public enum Soft17: String, CaseIterable, Sendable { case stand, hit }

    public enum BlackjackPays: String, CaseIterable, Sendable {
        case threeToTwo = "3:2"
        case sixToFive = "6:5"
        case sevenToFive = "7:5"
        case twoToOne = "2:1"
        case oneToOne = "1:1"
    }

    public enum HoleCard: String, CaseIterable, Sendable {
        /// The dealer peeks under an ace or a ten before the first turn.
        case peek
        /// European: no hole card; a dealer's blackjack takes all bets, including doubles and splits.
        case none
        /// European: no hole card; a dealer's blackjack takes only the original bets.
        case original
    }

    public enum Doubling: String, CaseIterable, Sendable {
        case any
        case nineToEleven = "9-11"
        case tenToEleven = "10-11"
        case eleven = "11"
        case none

        /// Whether a two-card hand with this value may be doubled. Limited rules refer to hard totals (A,8 is not 9).
        @inlinable
        public func allows(_ value: HandValue) -> Bool {
            switch self {
            case .any: true
            case .nineToEleven: !value.isSoft && (9...11).contains(value.total)
            case .tenToEleven: !value.isSoft && (10...11).contains(value.total)
            case .eleven: !value.isSoft && value.total == 11
            case .none: false
            }
        }
    }

    public enum SplitBy: String, CaseIterable, Sendable {
        /// Equal points: a king and a ten are a pair.
        case value
        /// Equal rank: a king and a king.
        case rank

        @inlinable
        public func isPair(_ first: Rank, _ second: Rank) -> Bool {
            // Branch-free: evaluated for every hand dealt.
            (first == second) != ((self == .value) && first != second && first.isTenValued && second.isTenValued)
        }
    }

    public enum Surrender: String, CaseIterable, Sendable {
        case none
        /// After the dealer has peeked; a dealer's blackjack takes the whole bet.
        case late
        /// Before the dealer peeks: half the bet is safe from a blackjack.
        case early
        /// Early, except against an ace.
        case earlyNotAce = "early-not-ace"
    }

    /// Cards in a full shoe.
    @inlinable
    public var cardsInShoe: Int { decks * 52 }

    /// The number of cards drawn before the cut card, burned ones included, rounded to the nearest card.
    public var cardsBeforeCut: Int { Int(Double(cardsInShoe) * penetration + 0.5) }

}
