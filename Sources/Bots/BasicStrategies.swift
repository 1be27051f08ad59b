import Dispatch
import Odds
import Rules
import Synchronization

/// Basic strategy by the rules of a table: one chart for all bots of the process, computed beside the loops.
public final class BasicStrategies: Sendable {
    /// Called on a background thread when a chart that a bot lacked is known.
    private let onReady: @Sendable () -> Void
    /// Charts that are being computed for these bots.
    private let pending = Mutex<Set<HouseRules>>([])

    public init(onReady: @escaping @Sendable () -> Void = {}) { self.onReady = onReady }

    /// Whether a chart is being computed for these bots.
    package var isPreparing: Bool { pending.withLock { !$0.isEmpty } }

    /// Computes the chart, if it is not known; not on a loop. Bots that start after it bet at once, so that a seeded game is the same every time.
    public static func prepare(for rules: HouseRules) { _ = SharedOdds.shared.chart(for: rules) }

    /// The chart; nil while it is computed, after which `onReady` is called.
    func chart(for rules: HouseRules) -> StrategyChart? {
        if let chart = SharedOdds.shared.knownChart(for: rules) { return chart }
        if pending.withLock({ $0.insert(rules).inserted }) {
            DispatchQueue.global(qos: .utility).async { [self] in
                Self.prepare(for: rules)
                pending.withLock { _ = $0.remove(rules) }
                onReady()
            }
        }
        return nil
    }
}
