import Rules

/// The player's exact expected win per round of a fresh shoe, in bets: negative where the house wins.
public struct Edge: Hashable, Sendable {
    /// By the points of the dealer's up card, 1 (ace)…10, from index 0: its chance, and the win against it.
    public let chances: [Double]
    public let wins: [Double]

    public var total: Double { zip(chances, wins).reduce(0) { $0 + $1.0 * $1.1 } }

    /// The edge of a chart, as `StrategyChart.action` plays it.
    ///
    /// - Parameters:
    ///   - shoe: nil for a full one.
    ///   - bet: chips, whose rounding counts; nil for none.
    public init(of chart: StrategyChart, under rules: HouseRules, shoe: Composition? = nil, bet: Int? = nil) {
        self.init(rules, shoe, bet) { $0.win(chart) }
    }

    /// The edge of best play by the cards of the hand. Takes some tenths of a second of a processor.
    public init(ofBestPlayUnder rules: HouseRules, shoe: Composition? = nil, bet: Int? = nil) {
        self.init(rules, shoe, bet) { $0.bestWin() }
    }

    private init(_ rules: HouseRules, _ shoe: Composition?, _ bet: Int?, win: (UpCardSolver) -> Double) {
        let shoe = shoe ?? Composition(decks: rules.decks)
        let stakes = Stakes(rules, bet: bet)
        let chances = (1...10).map { shoe[$0] / shoe.total }
        self.chances = chances
        wins = (1...10).map { chances[$0 - 1] == 0 ? 0 : win(UpCardSolver(rules, shoe, up: $0, stakes)) }
    }
}

/// The house's payments, in bets.
struct Stakes {
    /// The win of a blackjack.
    let blackjack: Double
    /// The part of the bet that a surrender returns.
    let surrenderReturn: Double
    /// The largest insurance.
    let insurance: Double

    /// - Parameter bet: chips, whose rounding counts; nil for none.
    init(_ rules: HouseRules, bet: Int?) {
        // Ten chips are paid without a rest at every rate.
        let bet = bet ?? 10
        blackjack = Double(rules.blackjackPays.winnings(on: bet)) / Double(bet)
        surrenderReturn = Double(HouseRules.surrenderReturn(of: bet)) / Double(bet)
        insurance = Double(HouseRules.insuranceLimit(for: bet)) / Double(bet)
    }

    /// Whether a chart that never insures wins as much as with other stakes, or more.
    func returns(atLeast other: Stakes) -> Bool { blackjack >= other.blackjack && surrenderReturn >= other.surrenderReturn }
}
