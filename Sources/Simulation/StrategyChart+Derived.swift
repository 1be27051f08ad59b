import Rules

/// Basic strategy derived for a house's own rules.
extension StrategyChart {
    /// The best play of each starting hand, by total, for the decks and rules.
    ///
    /// Each row takes the best play on average over its hands, weighted by frequency. See the module's page for the method.
    public init(derivedFor rules: HouseRules) {
        self.init(name: "basic", doubleAfterSplit: rules.doubleAfterSplit)
        for up in 1...10 {
            let dealer = DealerPaths(up: up, rules: rules)
            var values: [Row: PlayValues] = [:]
            for first in 1...10 {
                for second in first...10 {
                    var shoe = Composition(decks: rules.decks)
                    let weight = shoe.weight(first, second, up)
                    guard weight > 0 else { continue }
                    shoe.remove(first)
                    shoe.remove(second)
                    shoe.remove(up)
                    let solver = HandSolver(rules: rules, shoe: shoe, up: up, dealer: dealer)
                    let hand = HandValue().adding(Rank(points: first)).adding(Rank(points: second))
                    if first == second {
                        values[.pair(first), default: PlayValues()].add(solver.values(hand, pair: first), weight)
                    }
                    // A pair that may not be split plays by its total, and only pairs make some totals.
                    let onlyPairsMakeIt = hand.total == 20 && !hand.isSoft
                    if first != second || onlyPairsMakeIt {
                        values[StrategyChart.row(of: hand), default: PlayValues()].add(solver.values(hand, pair: nil), weight)
                    }
                }
            }
            for (row, value) in values { self[row, up] = value.play }
        }
        for up in 1...10 { self[.hard(21), up] = .stand }
    }
}

/// The expected value of each play, in bets; nil: not allowed.
struct PlayValues {
    var weight = 0.0
    var stand = 0.0
    var hit = 0.0
    var double: Double? = 0
    var split: Double? = 0
    var surrender: Double? = 0

    mutating func add(_ other: PlayValues, _ weight: Double) {
        self.weight += weight
        stand += weight * other.stand
        hit += weight * other.hit
        double = sum(double, other.double, weight)
        split = sum(split, other.split, weight)
        surrender = sum(surrender, other.surrender, weight)
    }

    private func sum(_ a: Double?, _ b: Double?, _ weight: Double) -> Double? {
        guard let a, let b else { return nil }
        return a + weight * b
    }

    /// The best play, with the best unconditional one as its alternative.
    var play: StrategyChart.Play {
        let plain = max(stand, hit)
        let below = max(plain, double ?? plain)
        if let surrender, surrender > max(below, split ?? below) {
            if let split, split > plain { return .surrenderElseSplit }
            return stand > hit ? .surrenderElseStand : .surrenderElseHit
        }
        if let split, split > below { return .split }
        if let double, double > plain { return stand > hit ? .doubleElseStand : .doubleElseHit }
        return stand > hit ? .stand : .hit
    }
}
