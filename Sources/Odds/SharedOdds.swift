import Rules
import Synchronization

/// Charts and expected values by the rules that matter to them, computed once in a process.
///
/// Tables that differ in bets, clocks, seats or penetration alone share them. A lock is held while the values of one set of rules are computed:
/// threads that want the same ones wait for them, and no others.
public final class SharedOdds: Sendable {
    public static let shared = SharedOdds()

    private final class Entry: Sendable {
        let chart = Mutex<StrategyChart?>(nil)
        let values = Mutex<ExpectedValues?>(nil)
    }

    /// Sets of rules kept.
    private static let capacity = 64
    private let entries = Mutex<[HouseRules: Entry]>([:])

    /// The best chart. Takes a tenth of a second for rules that are new: not for a thread that others wait for.
    public func chart(for rules: HouseRules) -> StrategyChart {
        let key = Self.key(rules)
        return entry(key).chart.withLock { chart in
            let known = chart ?? StrategyChart(derivedFor: key)
            chart = known
            return known
        }
    }

    /// The best chart if it is known; never waits.
    public func knownChart(for rules: HouseRules) -> StrategyChart? {
        entry(Self.key(rules)).chart.withLockIfAvailable { $0 } ?? nil
    }

    /// All values. Takes some tenths of a second for rules that are new: not for a thread that others wait for.
    public func values(for rules: HouseRules) -> ExpectedValues {
        let key = Self.key(rules)
        return entry(key).values.withLock { values in
            let known = values ?? ExpectedValues(for: key, chart: chart(for: key))
            values = known
            return known
        }
    }

    private func entry(_ key: HouseRules) -> Entry {
        entries.withLock { entries in
            if let entry = entries[key] { return entry }
            if entries.count >= Self.capacity { entries = [:] }
            let entry = Entry()
            entries[key] = entry
            return entry
        }
    }

    /// The default rules with those that matter changed.
    static func key(_ rules: HouseRules) -> HouseRules {
        let matters = zip(HouseRules.fields, rules.fieldValues).filter(\.0.changesOdds).map(\.1)
        guard let key = try? HouseRules(matters) else {
            preconditionFailure("rules that agree do so without the ones that do not matter")
        }
        return key
    }
}
