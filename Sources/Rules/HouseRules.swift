/// Everything a house may choose about its table, validated: a value of this type is always playable, and contradicts itself nowhere.
///
/// Each property is one key of a rules file; see ``HouseRules/init(_:)``.
public struct HouseRules: Hashable, Sendable {
    /// Packs of 52 in the shoe: 1…8.
    public internal(set) var decks = 6
    /// What the dealer does with a soft 17.
    public internal(set) var soft17 = Soft17.stand
    /// What a blackjack pays.
    public internal(set) var blackjackPays = BlackjackPays.threeToTwo
    /// Whether the dealer takes a hole card and looks at it, and what a dealer's blackjack takes if not.
    public internal(set) var holeCard = HoleCard.peek
    /// Which two-card totals may be doubled.
    public internal(set) var double = Doubling.any
    /// Only where hands are doubled and split at all.
    public internal(set) var doubleAfterSplit = true
    /// Whether a double may add less than the bet.
    public internal(set) var doubleForLess = false
    /// Hands one seat may come to by splitting: 1…4; 1 = no split.
    public internal(set) var maxHands = 4
    public internal(set) var resplitAces = false
    public internal(set) var hitSplitAces = false
    /// What makes two cards a pair.
    public internal(set) var splitBy = SplitBy.value
    public internal(set) var surrender = Surrender.none
    public internal(set) var insurance = true
    /// Only with insurance, and where a blackjack pays 3:2: elsewhere insuring one comes to something else.
    public internal(set) var evenMoney = true
    /// Chips.
    public internal(set) var minimumBet = 10
    /// Chips.
    public internal(set) var maximumBet = 500
    /// Chips; every bet is a multiple of it.
    public internal(set) var betStep = 5
    /// Seats at the table: 1…7.
    public internal(set) var seats = 7
    /// Seats one player may hold: 1…`seats`.
    public internal(set) var seatsPerPlayer = 1
    /// The part of the shoe that is dealt before the cut card shows: 0.3…0.95.
    public internal(set) var penetration = 0.75
    /// Cards burned, unseen, after each shuffle: 0…10.
    public internal(set) var burn = 1
    /// A fresh shoe every round.
    public internal(set) var continuousShuffle = false
    /// A hand of this many cards that is not bust wins at once: 0 (no such rule), 5, 6 or 7.
    public internal(set) var charlie = 0
    /// Whether a player who sits down may bet before the next shuffle.
    public internal(set) var midShoeEntry = true
    /// Seconds from the first bet until the betting closes: 1…600.
    public internal(set) var bettingSeconds = 20
    /// Seconds for each decision: 1…600.
    public internal(set) var decisionSeconds = 15
    /// Seconds to answer what is asked of all at once, insurance and early surrender: 1…600.
    public internal(set) var insuranceSeconds = 10

    /// The default house.
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
        /// The dealer looks under an ace or a ten before anybody acts.
        case peek
        /// European: no hole card; a dealer's blackjack takes all bets, doubled and split ones too.
        case none
        /// European: no hole card; a dealer's blackjack takes the original bets only.
        case original
    }

    public enum Doubling: String, CaseIterable, Sendable {
        case any
        case nineToEleven = "9-11"
        case tenToEleven = "10-11"
        case eleven = "11"
        case none

        /// Whether a hand of two cards with this value may be doubled; the narrow rules speak of hard totals (A,8 is not 9).
        @inlinable @inline(always)
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

        @inlinable @inline(always)
        public func isPair(_ first: Rank, _ second: Rank) -> Bool {
            // Without a jump: a deal asks it of every hand.
            (first == second) != ((self == .value) && first != second && first.isTenValued && second.isTenValued)
        }
    }

    public enum Surrender: String, CaseIterable, Sendable {
        case none
        /// After the dealer has looked; a dealer's blackjack takes the whole bet.
        case late
        /// Before the dealer looks: half the bet is safe from a blackjack.
        case early
        /// Early, but not when the dealer shows an ace.
        case earlyNotAce = "early-not-ace"
    }

    /// Cards in a full shoe.
    @inlinable
    public var cardsInShoe: Int { decks * 52 }

    /// How many cards are drawn, burned ones included, before the cut card shows: to the nearest card.
    public var cardsBeforeCut: Int { Int(Double(cardsInShoe) * penetration + 0.5) }

}
