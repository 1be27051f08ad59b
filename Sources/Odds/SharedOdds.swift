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
    ///
    /// - Parameter bet: chips, whose rounding counts: a chart for a bet that is rounded is not kept.
    public func chart(for rules: HouseRules, bet: Int = 10) -> StrategyChart {
        if Self.isRounded(bet) { return StrategyChart(derivedFor: rules, shoe: Composition(decks: rules.decks), bet: bet) }
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

    /// The player's mean win, in bets, of this very bet with the best chart for it; rounding counts. Takes as long as ``values(for:)``.
    public func edge(of bet: Int, under rules: HouseRules) -> Double {
        Self.isRounded(bet) ? Edge(of: chart(for: rules, bet: bet), under: rules, bet: bet).total : values(for: rules).edge
    }

    /// Ten chips are paid without a rest at every rate.
    private static func isRounded(_ bet: Int) -> Bool { bet % 10 != 0 }

    /// The bet that favours the player most, since payments are rounded in the player's favour, and its edge.
    public func bestBet(under rules: HouseRules) -> (bet: Int, edge: Double) {
        // Ten bets have every remainder that the step allows; larger bets with the same one gain less.
        let last = min(rules.maximumBet, rules.minimumBet + 9 * rules.betStep)
        let bets = stride(from: rules.minimumBet, through: last, by: rules.betStep).map { ($0, Stakes(rules, bet: $0)) }
        var best = (bet: rules.minimumBet, edge: -Double.infinity)
        for (bet, stakes) in bets
        where !bets.contains(where: { $1.returns(atLeast: stakes) && ($0 < bet || !stakes.returns(atLeast: $1)) }) {
            let edge = edge(of: bet, under: rules)
            if edge > best.edge { best = (bet, edge) }
        }
        return best
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
        let matters = HouseRules.fields.filter(\.changesOdds).map { ($0.key, $0.read(rules)) }
        guard let key = try? HouseRules(matters) else {
            preconditionFailure("rules that agree do so without the ones that do not matter")
        }
        return key
    }
}
