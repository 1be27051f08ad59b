import Odds
import Rules
import Synchronization

/// Basic strategy by rules, derived once for all bots that share it.
public final class BasicStrategies: Sendable {
    /// Charts kept at most.
    private let capacity: Int
    private let charts = Mutex<[HouseRules: StrategyChart]>([:])

    public convenience init() { self.init(capacity: 64) }

    init(capacity: Int) { self.capacity = capacity }

    /// Charts kept.
    var count: Int { charts.withLock { $0.count } }

    /// Takes some milliseconds for rules that are new, during which other bots wait; else less than a microsecond.
    func chart(for rules: HouseRules) -> StrategyChart {
        charts.withLock { charts in
            if let chart = charts[rules] { return chart }
            let chart = StrategyChart(derivedFor: rules)
            if charts.count >= capacity { charts = [:] }
            charts[rules] = chart
            return chart
        }
    }
}
