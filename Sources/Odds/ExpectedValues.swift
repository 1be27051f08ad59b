import Rules

/// The best chart under a set of house rules, its edge, and the expected value of every action, for each hand by total against each up card.
///
/// Exact for a full shoe of the house's decks: drawn cards leave it.
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

    /// The best chart: no change of one cell gains.
    public let chart: StrategyChart
    /// The player's expected win per round with the chart, in bets: negative where the house wins.
    public let edge: Double
    /// Every hand with something to decide, in the order of a chart; then, under a charlie rule, those by their number of cards.
    public let hands: [Hand]
    /// The gain of the largest insurance, half the bet, by the number of ten-valued cards in the hand: 0, 1, 2. In bets.
    ///
    /// Even money gains as much: it settles a blackjack, which has one ten.
    public let insurance: [Double]
    private let values: [[Hand: [Action: Double]]]

    /// Computes all values: tenths of a second of a processor, so not for a thread that others wait for.
    public init(for rules: HouseRules) { self.init(for: rules, chart: StrategyChart(derivedFor: rules)) }

    /// - Parameter chart: the best one.
    init(for rules: HouseRules, chart: StrategyChart, decks: Int? = nil) {
        let (hands, shoe) = (Hand.all(rules), Composition(decks: decks ?? rules.decks))
        var (edge, values) = (0.0, [[Hand: [Action: Double]]]())
        for up in 1...10 {
            let solver = UpCardSolver(rules, shoe, up: up, Stakes(rules, bet: nil))
            edge += shoe[up] / shoe.total * solver.win(chart)
            values.append(solver.cells(chart, hands))
        }
        (self.chart, self.edge, self.hands, self.values) = (chart, edge, hands, values)
        insurance = (0...2).map { tens in
            let blackjack = (shoe[10] - Double(tens)) / (shoe.total - 3)
            return rules.insurance ? (3 * blackjack - 1) / 2 : 0
        }
    }

    /// The mean values of a row's two-card hands against an up card of `up` points, 1 (ace)…10, played on by the chart: of each action that the
    /// rules allow, in units of the bet, at the moment of the decision. After a peek, the dealer is known to have no blackjack. A split is into
    /// two hands, or more where that is better. `decline` is playing on where surrender is asked before the dealer peeks, to be compared with
    /// surrender; the others apply after the peek. ``insurance`` has insurance.
    ///
    /// - Precondition: the hand is one of ``hands``.
    public subscript(hand: Hand, up: Int) -> [Action: Double] {
        // Four twos cannot be held against a two of one deck: such a hand has the values of its row.
        guard values.indices.contains(up - 1), let value = values[up - 1][hand] ?? values[up - 1][Hand(hand.row)] else {
            preconditionFailure("a chart has hands of `hands`, and columns 1 to 10")
        }
        return value
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
}

extension StrategyChart {
    /// Basic strategy for a house's own rules: no change of one cell gains. Takes a tenth of a second of a processor.
    public init(derivedFor rules: HouseRules) { self.init(derivedFor: rules, shoe: Composition(decks: rules.decks)) }

    /// - Parameter bet: chips, whose rounding counts; nil for none.
    package init(derivedFor rules: HouseRules, shoe: Composition, bet: Int? = nil) {
        self.init(startingFor: rules)
        let stakes = Stakes(rules, bet: bet)
        for up in 1...10 where shoe[up] > 0 { UpCardSolver(rules, shoe, up: up, stakes).improve(&self) }
    }

    /// A rough chart, to be improved.
    fileprivate init(startingFor rules: HouseRules) {
        self.init(name: "basic", doubleAfterSplit: rules.doubleAfterSplit)
        for row in Row.all {
            for up in 1...10 {
                switch row {
                case .hard(let total): self[row, up] = total >= 17 || total >= 12 && (2...6).contains(up) ? .stand : .hit
                case .soft(let total): self[row, up] = total >= 18 ? .stand : .hit
                case .pair(let points): self[row, up] = points == 10 ? .stand : .hit
                }
            }
        }
    }
}
