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
    /// Seconds from the first bet until betting closes: 1…2,592,000.
    public internal(set) var bettingSeconds = 20
    /// Seconds for each decision: 1…2,592,000.
    public internal(set) var decisionSeconds = 15
    /// Seconds to answer about insurance and early surrender: 1…2,592,000.
    public internal(set) var insuranceSeconds = 10
    /// Whether the table helps those who count: it shows the cards seen, and values are those of the shoe as seen.
    public internal(set) var assist = false

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

    // MARK: Agreement

    // Consistency of rules: a key may depend on others, as no double after a split where nobody may double.
    //
    // A stated key must agree with the others; an absent one takes the value that agrees.

    /// A key that can be true only where others have certain values.
    struct Condition: Sendable {
        let key: String
        let path: WritableKeyPath<HouseRules, Bool> & Sendable
        /// The key on which it depends.
        let other: String
        let isMet: @Sendable (HouseRules) -> Bool
        /// The required value, in words.
        let expected: String
    }

    static let conditions: [Condition] = [
        Condition(
            key: "doubleAfterSplit", path: \.doubleAfterSplit, other: "double", isMet: { $0.double != .none },
            expected: "doubling after a split needs a \"double\" other than \"none\""),
        Condition(
            key: "doubleAfterSplit", path: \.doubleAfterSplit, other: "maxHands", isMet: { $0.maxHands >= 2 },
            expected: "splitting needs \"maxHands\" 2, 3 or 4"),
        Condition(
            key: "doubleForLess", path: \.doubleForLess, other: "double", isMet: { $0.double != .none },
            expected: "doubling for less needs a \"double\" other than \"none\""),
        Condition(
            key: "resplitAces", path: \.resplitAces, other: "maxHands", isMet: { $0.maxHands >= 3 },
            expected: "resplitting needs \"maxHands\" 3 or 4"),
        Condition(
            key: "hitSplitAces", path: \.hitSplitAces, other: "maxHands", isMet: { $0.maxHands >= 2 },
            expected: "splitting needs \"maxHands\" 2, 3 or 4"),
        Condition(
            key: "evenMoney", path: \.evenMoney, other: "insurance", isMet: { $0.insurance },
            expected: "even money is a form of insurance and needs \"insurance\" true"),
        // Only with 3:2 does insuring a blackjack come to exactly 1:1.
        Condition(
            key: "evenMoney", path: \.evenMoney, other: "blackjackPays", isMet: { $0.blackjackPays == .threeToTwo },
            expected: "even money needs \"blackjackPays\" \"3:2\""),
    ]

    /// Gives each conditional key that is not in `stated` the value that agrees with the others.
    mutating func agree(stated: Set<String> = []) {
        for condition in Self.conditions where !stated.contains(condition.key) && !condition.isMet(self) {
            self[keyPath: condition.path] = false
        }
    }

    /// Throws the first contradiction. Keys outside `stated` are reported as defaults.
    func checkAgreement(stated: Set<String>) throws(HouseRulesError) {
        func clash(_ key: String, with other: String, _ expected: String) throws(HouseRulesError) {
            guard let field = Self.fields.first(where: { $0.key == key }),
                let second = Self.fields.first(where: { $0.key == other })
            else { preconditionFailure("both keys are in the list of keys") }
            let origin = stated.contains(other) ? "" : " (the default)"
            throw .contradiction(
                key: key, value: field.read(self), with: "\"\(other)\" \(second.read(self))\(origin)", expected: expected)
        }
        for condition in Self.conditions where self[keyPath: condition.path] && !condition.isMet(self) {
            try clash(condition.key, with: condition.other, condition.expected)
        }
        if minimumBet > maximumBet {
            try stated.contains("minimumBet") || !stated.contains("maximumBet")
                ? clash("minimumBet", with: "maximumBet", "it must be at most \(maximumBet)")
                : clash("maximumBet", with: "minimumBet", "it must be at least \(minimumBet)")
        }
        if minimumBet % betStep != 0 { try clash("minimumBet", with: "betStep", "it must be a multiple of \(betStep)") }
        if maximumBet % betStep != 0 { try clash("maximumBet", with: "betStep", "it must be a multiple of \(betStep)") }
        if seatsPerPlayer > seats { try clash("seatsPerPlayer", with: "seats", "it must be at most \(seats)") }
    }

    // MARK: Canonical

    /// All rules as compact JSON with sorted keys: the input of a table's digest.
    public var canonicalText: String {
        let members = fieldValues.sorted { $0.0 < $1.0 }.map { "\"\($0.0)\":\($0.1)" }
        return "{" + members.joined(separator: ",") + "}"
    }

    // MARK: Description

    /// The rules as sentences for players, most important first. Includes every rule that affects payouts.
    public var sentences: [String] {
        [
            shoeSentence, dealerSentence, holeCardSentence, "A blackjack pays \(blackjackPays.rawValue).", roundingSentence,
            doublingSentence, splittingSentence, splitAcesSentence, surrenderSentence, insuranceSentence, charlieSentence,
            "Bets are \(minimumBet) to \(maximumBet) chips in steps of \(betStep).", seatsSentence,
            assist ? "The table shows the cards seen since the shuffle, and what an action is worth with them gone." : nil,
        ].compactMap { $0 } + clockSentences
    }

    private var shoeSentence: String {
        let shoe = decks == 1 ? "One deck" : "\(decks) decks"
        let burned = burn == 0 ? "no card is burned" : burn == 1 ? "one card is burned" : "\(burn) cards are burned"
        if continuousShuffle { return "\(shoe), shuffled afresh before every round; \(burned) each time." }
        let percent = Int(penetration * 100 + 0.5)
        return "\(shoe), shuffled when \(percent)% have been dealt; \(burned) after each shuffle."
    }

    private var dealerSentence: String {
        soft17 == .stand
            ? "The dealer draws to 16 and stands on all 17s." : "The dealer draws to 16, hits soft 17 and stands on hard 17."
    }

    private var holeCardSentence: String {
        switch holeCard {
        case .peek: "The dealer checks for blackjack under an ace or a ten before anyone acts."
        case .none: "The dealer takes no hole card; a dealer's blackjack takes all bets, doubled and split ones too."
        case .original: "The dealer takes no hole card; a dealer's blackjack takes the original bets only."
        }
    }

    private var roundingSentence: String {
        "Payments are rounded up to whole chips, in the player's favour."
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
        let each = seatsPerPlayer == 1 ? "one per player" : "up to \(seatsPerPlayer) per player"
        return "\(places), \(each)\(midShoeEntry ? "" : "; newcomers wait for the next shuffle")."
    }

    /// None where nobody notices a clock.
    private var clockSentences: [String] {
        if decisionSeconds > Self.noticedSeconds { return [] }
        let asksAll = insurance || surrender == .early || surrender == .earlyNotAce
        let questions = asksAll ? ", \(insuranceSeconds) s for offers such as insurance" : ""
        return [
            "\(bettingSeconds) s to bet, \(decisionSeconds) s for a decision\(questions).",
            "After a time-out the hand stands, or the offer is declined.",
        ]
    }

    // MARK: Fields

    /// Every key of a rules file, in display order.
    public static let keys: [String] = Self.fields.map(\.key)

    /// Rules from keys and values. An absent key takes its default, or the value that agrees with the others.
    ///
    /// - Throws: `HouseRulesError` for an unknown or repeated key, a wrong type, a value out of range, or a contradiction.
    public init(_ fields: [(String, RuleValue)]) throws(HouseRulesError) {
        self.init()
        try write(fields)
    }

    /// Every key with its value; a rule younger than 1.0 only where it differs from its default, so that digests and records of 1.0 stay.
    /// `init(_:)` of it yields the same rules.
    public var fieldValues: [(String, RuleValue)] {
        let usual = HouseRules()
        return Self.fields.filter { !$0.isYounger || $0.read(self) != $0.read(usual) }.map { ($0.key, $0.read(self)) }
    }

    /// A copy with changed keys; dependent keys adapt.
    ///
    /// - Throws: as `init(_:)`.
    public func with(_ changes: [(String, RuleValue)]) throws(HouseRulesError) -> HouseRules {
        var rules = self
        try rules.write(changes)
        return rules
    }

    private mutating func write(_ fields: [(String, RuleValue)]) throws(HouseRulesError) {
        var stated: Set<String> = []
        for (key, value) in fields {
            guard let field = Self.fields.first(where: { $0.key == key }) else {
                throw .unknownKey(key, suggestion: NearestWord.of(key, among: Self.keys, within: 3))
            }
            guard stated.insert(key).inserted else { throw .duplicateKey(key) }
            guard field.values.contain(value), field.write(&self, value) else {
                throw .badValue(key: key, value: value, expected: field.values.expected)
            }
        }
        agree(stated: stated)
        try checkAgreement(stated: stated)
    }

    // MARK: Keys

    /// A key of a rules file: the one declaration of its values, meaning, reader and writer.
    package struct Field: Sendable {
        package let key: String
        package let values: RuleValues
        /// One sentence, or a part of one.
        package let explanation: String
        /// Whether the worth of an action, and so the best strategy, depends on it.
        package let changesOdds: Bool
        /// Whether 1.0 lacks it.
        var isYounger = false
        package let read: @Sendable (HouseRules) -> RuleValue
        /// Sets one of its values. Returns false, without effect, for a wrong type.
        let write: @Sendable (inout HouseRules, RuleValue) -> Bool
    }

    package static let fields: [Field] = [
        integer("decks", \.decks, 1...8, odds: true, "packs of 52 in the shoe"),
        choice("soft17", \.soft17, odds: true, "what the dealer does with a soft 17"),
        choice("blackjackPays", \.blackjackPays, odds: true, "what a blackjack pays"),
        choice(
            "holeCard", \.holeCard, odds: true,
            "whether the dealer takes a hole card and looks for blackjack; without one, a blackjack of the dealer's takes all bets (`none`) or the original ones (`original`)"
        ),
        choice("double", \.double, odds: true, "which totals of two cards may be doubled; a number means a hard total"),
        flag("doubleAfterSplit", \.doubleAfterSplit, odds: true, "whether split hands may be doubled"),
        flag("doubleForLess", \.doubleForLess, odds: false, "whether a double may add less than the bet"),
        integer("maxHands", \.maxHands, 1...4, odds: true, "maximum hands of a seat after splits"),
        flag("resplitAces", \.resplitAces, odds: true, "whether split aces may be split again"),
        flag("hitSplitAces", \.hitSplitAces, odds: true, "whether split aces may take more than one card"),
        choice("splitBy", \.splitBy, odds: true, "what makes a pair: equal points or equal ranks"),
        choice(
            "surrender", \.surrender, odds: true,
            "whether half the bet may be given up: after the dealer has looked for blackjack, before, or before but not against an ace"
        ),
        flag("insurance", \.insurance, odds: true, "whether insurance is offered when the dealer shows an ace"),
        flag(
            "evenMoney", \.evenMoney, odds: false,
            "whether a blackjack may then be paid 1:1 at once; only where blackjacks pay 3:2"),
        integer("minimumBet", \.minimumBet, betRange, odds: false, "chips"),
        integer("maximumBet", \.maximumBet, betRange, odds: false, "chips"),
        integer("betStep", \.betStep, betRange, odds: false, "chips; every bet is a multiple of it"),
        integer("seats", \.seats, 1...7, odds: false, "seats at the table"),
        integer("seatsPerPlayer", \.seatsPerPlayer, 1...7, odds: false, "maximum seats of one player"),
        fraction(
            "penetration", \.penetration, 0.3...0.95, odds: false, "the fraction of the shoe that is dealt before the cut card"),
        integer("burn", \.burn, 0...10, odds: false, "cards that are burned after each shuffle"),
        flag("continuousShuffle", \.continuousShuffle, odds: false, "a fresh shoe every round"),
        integer(
            "charlie", \.charlie, 0...0, 5...7, odds: true,
            "number of cards with which a hand that is not bust wins at once; 0: no such rule"),
        flag("midShoeEntry", \.midShoeEntry, odds: false, "whether newcomers may bet before the next shuffle"),
        integer("bettingSeconds", \.bettingSeconds, secondsRange, odds: false, "from the first bet until the betting closes"),
        integer("decisionSeconds", \.decisionSeconds, secondsRange, odds: false, "for each decision"),
        integer("insuranceSeconds", \.insuranceSeconds, secondsRange, odds: false, "for decisions that all players make at once"),
        flag(
            "assist", \.assist, odds: false, younger: true,
            "whether the table helps those who count: it shows the cards seen, and values are those of the shoe as seen"),
    ]

    /// Limits of bets and steps, in chips. The upper bound lets all bets of a table be added without overflow.
    public static let betRange = 1...1_000_000_000
    /// Allowed time limits, in seconds: up to 30 days, for a table that nobody else plays at.
    public static let secondsRange = 1...2_592_000
    /// A limit of more seconds is as good as none: it is not shown.
    public static let noticedSeconds = 86_400

    private typealias Path<Value> = WritableKeyPath<HouseRules, Value> & Sendable

    private static func integer(
        _ key: String, _ path: Path<Int>, _ ranges: ClosedRange<Int>..., odds: Bool, _ explanation: String
    ) -> Field {
        Field(
            key: key, values: .whole(ranges), explanation: explanation, changesOdds: odds,
            read: { .integer($0[keyPath: path]) }, write: { $0.set(path, $1.wholeNumber) })
    }

    private static func fraction(
        _ key: String, _ path: Path<Double>, _ range: ClosedRange<Double>, odds: Bool, _ explanation: String
    ) -> Field {
        Field(
            key: key, values: .number(range), explanation: explanation, changesOdds: odds,
            read: { .number($0[keyPath: path]) },
            write: { rules, value in if case .number(let number) = value { rules.set(path, number) } else { false } })
    }

    private static func flag(
        _ key: String, _ path: Path<Bool>, odds: Bool, younger: Bool = false, _ explanation: String
    ) -> Field {
        Field(
            key: key, values: .flag, explanation: explanation, changesOdds: odds, isYounger: younger,
            read: { .flag($0[keyPath: path]) },
            write: { rules, value in if case .flag(let flag) = value { rules.set(path, flag) } else { false } })
    }

    private static func choice<Choice>(_ key: String, _ path: Path<Choice>, odds: Bool, _ explanation: String) -> Field
    where Choice: RawRepresentable<String> & CaseIterable & Sendable {
        Field(
            key: key, values: .words(Choice.allCases.map(\.rawValue)), explanation: explanation, changesOdds: odds,
            read: { .text($0[keyPath: path].rawValue) },
            write: { rules, value in if case .text(let text) = value { rules.set(path, Choice(rawValue: text)) } else { false } })
    }

    private mutating func set<Value>(_ path: Path<Value>, _ value: Value?) -> Bool {
        guard let value else { return false }
        self[keyPath: path] = value
        return true
    }

    // MARK: Presets

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

extension RuleValue {
    /// The value as a whole number: `6` or `6.0`.
    var wholeNumber: Int? {
        switch self {
        case .integer(let number): number
        case .number(let number) where abs(number) < 1e15:
            // `Int(exactly:)` would link the C library's mathematics.
            Double(Int(number)) == number ? Int(number) : nil
        default: nil
        }
    }
}

/// The values that a key of a rules file may have.
package enum RuleValues: Sendable {
    case flag
    case words([String])
    /// Of any of the ranges.
    case whole([ClosedRange<Int>])
    case number(ClosedRange<Double>)

    func contain(_ value: RuleValue) -> Bool {
        switch (self, value) {
        case (.flag, .flag): true
        case (.words(let words), .text(let text)): words.contains(text)
        case (.whole(let ranges), _): value.wholeNumber.map { number in ranges.contains { $0.contains(number) } } ?? false
        case (.number(let range), .number(let number)): range.contains(number)
        default: false
        }
    }

    /// Every one; none for numbers with a fraction.
    package var all: [RuleValue] {
        switch self {
        case .flag: [.flag(false), .flag(true)]
        case .words(let words): words.map(RuleValue.text)
        case .whole(let ranges): ranges.joined().map(RuleValue.integer)
        case .number: []
        }
    }

    /// In words that follow "it must be".
    var expected: String {
        switch self {
        case .flag: return "true or false"
        case .whole(let ranges) where ranges.count == 1:
            return "a whole number from \(ranges[0].lowerBound) to \(ranges[0].upperBound)"
        case .number(let range): return "a number from \(range.lowerBound) to \(range.upperBound)"
        case .words, .whole:
            let names = all.map(\.description)
            return names.dropLast().joined(separator: ", ") + " or " + (names.last ?? "")
        }
    }
}

/// The value of a key in a rules file, as read from JSON.
public enum RuleValue: Hashable, Sendable {
    case text(String)
    /// A number without a fraction.
    case integer(Int)
    case number(Double)
    case flag(Bool)
    /// A list, an object or null, which no rule accepts, by its name.
    case other(String)
}

extension RuleValue: CustomStringConvertible {
    /// The JSON text: `"hit"`, `6`, `0.75`, `true`.
    public var description: String {
        switch self {
        case .text(let text): "\"\(text)\""
        case .integer(let number): "\(number)"
        case .number(let number): "\(number)"
        case .flag(let flag): "\(flag)"
        case .other(let word): word
        }
    }
}

/// Why a set of rules was refused: the key, its value, and the values allowed.
public enum HouseRulesError: Error, Hashable, Sendable {
    /// An unknown key; `suggestion` is the nearest known one, if any is near.
    case unknownKey(String, suggestion: String?)
    case duplicateKey(String)
    /// A wrong type, or a value out of range; `expected` names the allowed values.
    case badValue(key: String, value: RuleValue, expected: String)
    /// Two keys contradict each other; `expected` names a value that agrees.
    case contradiction(key: String, value: RuleValue, with: String, expected: String)
    case unknownPreset(String)
}

extension HouseRulesError: CustomStringConvertible {
    /// One line for people.
    public var description: String {
        switch self {
        case .unknownKey(let key, let suggestion):
            "unknown rule \(Self.shown(.text(key)))"
                + (suggestion.map { ": did you mean \"\($0)\"?" } ?? ": the rules are \(Self.allKeys)")
        case .duplicateKey(let key):
            "rule \"\(key)\" is given twice"
        case .badValue(let key, let value, let expected):
            "rule \"\(key)\" cannot be \(Self.shown(value)): it must be \(expected)"
        case .contradiction(let key, let value, let other, let expected):
            "rule \"\(key)\" cannot be \(value) with \(other): \(expected)"
        case .unknownPreset(let name):
            "unknown preset \(Self.shown(.text(name))): "
                + (NearestWord.of(name, among: HouseRules.presetNames, within: 3).map { "did you mean \"\($0)\"? The" } ?? "the")
                + " presets are \(HouseRules.presetNames.joined(separator: ", "))"
        }
    }

    /// A refused value, of a text its first 60 characters.
    private static func shown(_ value: RuleValue) -> String {
        if case .text(let text) = value, text.count > 60 { "\"\(text.prefix(60))…\"" } else { value.description }
    }

    private static var allKeys: String { HouseRules.keys.joined(separator: ", ") }
}
