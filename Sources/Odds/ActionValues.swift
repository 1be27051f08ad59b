import Rules

/// The expected value of each action of a hand, in units of its bet, at the moment of the decision.
///
/// nil: the rules do not allow the action, for this hand or at all. After a peek, the dealer is known to have no blackjack.
public struct ActionValues: Hashable, Sendable {
    public internal(set) var stand: Double
    public internal(set) var hit: Double
    public internal(set) var double: Double?
    public internal(set) var split: Double?
    public internal(set) var surrender: Double?
    /// Playing on, where surrender is asked before the dealer peeks; compare it with ``surrender``. The others apply after the peek.
    public internal(set) var decline: Double?

    /// The value of an action; nil where it is not allowed, and for insurance, which ``ExpectedValues/insurance`` has.
    public subscript(action: Action) -> Double? {
        switch action {
        case .stand: stand
        case .hit: hit
        case .double: double
        case .split: split
        case .surrender: surrender
        case .decline: decline
        case .insurance, .evenMoney: nil
        }
    }

    /// The best play for a chart, with the best unconditional one as its alternative.
    public var play: StrategyChart.Play {
        let plain = max(stand, hit)
        let below = max(plain, double ?? plain)
        if let surrender, surrender > decline ?? max(below, split ?? below) {
            if let split, split > plain { return .surrenderElseSplit }
            return stand > hit ? .surrenderElseStand : .surrenderElseHit
        }
        if let split, split > below { return .split }
        if let double, double > plain { return stand > hit ? .doubleElseStand : .doubleElseHit }
        return stand > hit ? .stand : .hit
    }
}

/// The weighted mean of values.
struct MeanValues {
    private var weight = 0.0
    private var sum: ActionValues?

    mutating func add(_ values: ActionValues, weight: Double) {
        self.weight += weight
        let old = sum
        func plus(_ path: KeyPath<ActionValues, Double?>) -> Double? {
            guard let value = values[keyPath: path] else { return nil }
            return (old?[keyPath: path] ?? 0) + weight * value
        }
        sum = ActionValues(
            stand: (old?.stand ?? 0) + weight * values.stand, hit: (old?.hit ?? 0) + weight * values.hit, double: plus(\.double),
            split: plus(\.split), surrender: plus(\.surrender), decline: plus(\.decline))
    }

    /// nil before any value with a weight.
    var mean: ActionValues? {
        guard let sum, weight > 0 else { return nil }
        return ActionValues(
            stand: sum.stand / weight, hit: sum.hit / weight, double: sum.double.map { $0 / weight },
            split: sum.split.map { $0 / weight }, surrender: sum.surrender.map { $0 / weight },
            decline: sum.decline.map { $0 / weight })
    }
}
