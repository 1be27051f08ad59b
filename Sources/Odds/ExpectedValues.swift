import Rules

/// The expected value of every action, for each hand by total against each up card, under a set of house rules.
///
/// Model: the house's own decks, a full shoe without replacement for the dealer; see the module's page for its error.
public struct ExpectedValues: Hashable, Sendable {
    /// A row of the chart, and its hands.
    public struct Hand: Hashable, Sendable {
        public let row: StrategyChart.Row
        /// The number of cards; nil for a row of two cards or any number. Only a charlie rule makes the number matter.
        public let cards: Int?

        public init(_ row: StrategyChart.Row, cards: Int? = nil) {
            self.row = row
            self.cards = cards
        }
    }

    /// Every hand with something to decide, in the order of a chart; then, under a charlie rule, those by their number of cards.
    public let hands: [Hand]
    /// The gain of the largest insurance, half the bet, by the number of ten-valued cards in the hand: 0, 1, 2. In bets; exact.
    ///
    /// Even money gains as much: it settles a blackjack, which has one ten.
    public let insurance: [Double]
    /// The player's expected win per round, in bets: negative where the house wins. For best play by the first two cards, without
    /// insurance.
    public let edge: Double
    private let values: [Hand: [ActionValues]]

    /// Computes all values. Takes some milliseconds of a processor: not for a thread that others wait for.
    public init(for rules: HouseRules) { self.init(for: rules, decks: rules.decks) }

    /// - Parameter decks: instead of the rules'; many thousand are as good as an infinite deck.
    init(for rules: HouseRules, decks: Int) {
        var found = Self.twoCards(rules, decks)
        hands = Hand.all(rules)
        let later = hands.filter { $0.cards != nil }
        if !later.isEmpty { found.values.merge(Self.later(later, rules, decks)) { first, _ in first } }
        values = found.values
        edge = found.edge
        insurance = (0...2).map { tens in
            let blackjack = Double(16 * decks - tens) / Double(52 * decks - 3)
            return rules.insurance ? (3 * blackjack - 1) / 2 : 0
        }
    }

    /// The values of a hand against an up card of `up` points, 1 (ace)…10.
    ///
    /// - Precondition: the hand is one of ``hands``.
    public subscript(hand: Hand, up: Int) -> ActionValues {
        guard let row = values[hand], row.indices.contains(up - 1) else {
            preconditionFailure("a chart has hands of `hands`, and columns 1 to 10")
        }
        return row[up - 1]
    }

    public subscript(row: StrategyChart.Row, up: Int) -> ActionValues { self[Hand(row), up] }

    /// The mean values of every row over its two-card hands, weighted by frequency.
    private static func twoCards(_ rules: HouseRules, _ decks: Int) -> (values: [Hand: [ActionValues]], edge: Double) {
        var values: [Hand: [ActionValues]] = [:]
        var (edge, frequency) = (0.0, 0.0)
        for up in 1...10 {
            let dealer = DealerPaths(up: up, rules: rules)
            var means: [StrategyChart.Row: MeanValues] = [:]
            for first in 1...10 {
                for second in first...10 {
                    var shoe = Composition(decks: decks)
                    let weight = shoe.weight(first, second, up)
                    guard weight > 0 else { continue }
                    for card in [first, second, up] { shoe.remove(card) }
                    let solver = HandSolver(rules: rules, shoe: shoe, up: up, dealer: dealer)
                    let hand = HandValue().adding(Rank(points: first)).adding(Rank(points: second))
                    let pair = first == second ? first : nil
                    if pair != nil {
                        means[.pair(first), default: MeanValues()].add(solver.values(hand, pair: pair), weight: weight)
                    }
                    // A pair that may not be split plays by its total, and only pairs make some totals.
                    let onlyPairsMakeIt = hand.total == 20 && !hand.isSoft
                    if pair == nil || onlyPairsMakeIt {
                        let row = StrategyChart.row(of: hand)
                        means[row, default: MeanValues()].add(solver.values(hand, pair: nil), weight: weight)
                    }
                    edge += weight * solver.round(hand, pair: pair)
                    frequency += weight
                }
            }
            for (row, mean) in means { if let value = mean.mean { values[Hand(row), default: []].append(value) } }
        }
        return (values, edge / frequency)
    }

    /// The values of hands of three cards or more, whose cards are not known.
    private static func later(_ hands: [Hand], _ rules: HouseRules, _ decks: Int) -> [Hand: [ActionValues]] {
        var values: [Hand: [ActionValues]] = [:]
        for up in 1...10 {
            var shoe = Composition(decks: decks)
            shoe.remove(up)
            let solver = HandSolver(rules: rules, shoe: shoe, up: up, dealer: DealerPaths(up: up, rules: rules))
            for hand in hands { values[hand, default: []].append(solver.later(hand.value)) }
        }
        return values
    }
}

extension ExpectedValues.Hand {
    /// Hands with something to decide: less than 21.
    fileprivate static func all(_ rules: HouseRules) -> [Self] {
        let rows = StrategyChart.Row.all.filter { $0 != .hard(21) && $0 != .soft(21) }
        let plain = rows.map { Self($0) }
        guard rules.charlie > 3 else { return plain }
        return plain
            + (3..<rules.charlie).flatMap { cards in
                rows.filter { row in
                    switch row {
                    // Without an ace from two a card; with one that counts 1 from 12.
                    case .hard(let total): total >= min(2 * cards, 12)
                    case .soft(let total): total >= 10 + cards
                    case .pair: false
                    }
                }.map { Self($0, cards: cards) }
            }
    }

    /// - Precondition: not a pair.
    fileprivate var value: HandValue {
        let count = UInt8(cards ?? 0)
        switch row {
        case .hard(let total): return HandValue(hard: UInt8(total), count: count, hasAce: false)
        case .soft(let total): return HandValue(hard: UInt8(total - 10), count: count, hasAce: true)
        case .pair: preconditionFailure("a pair has two cards")
        }
    }
}

extension StrategyChart {
    /// Basic strategy for a house's own rules: the best action of each hand by total.
    public init(_ values: ExpectedValues, for rules: HouseRules) {
        self.init(name: "basic", doubleAfterSplit: rules.doubleAfterSplit)
        for hand in values.hands where hand.cards == nil {
            for up in 1...10 { self[hand.row, up] = values[hand, up].play }
        }
    }

    /// Basic strategy for a house's own rules. Takes some milliseconds, as ``ExpectedValues/init(for:)``.
    public init(derivedFor rules: HouseRules) { self.init(ExpectedValues(for: rules), for: rules) }
}
