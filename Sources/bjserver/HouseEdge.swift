import Foundation
import Odds
import Rules

/// The house edge against basic strategy.
enum HouseEdge {
    /// A sentence from simulated rounds with a fixed seed: the same figure every time.
    static func sentence(for rules: HouseRules) -> String {
        let rounds = 20_000_000
        let threads = ProcessInfo.processInfo.activeProcessorCount
        guard
            let simulator = try? Simulator(
                rules: rules, chart: StrategyChart(derivedFor: rules), rounds: rounds, seed: 1, bet: bet(for: rules),
                threads: threads)
        else { preconditionFailure("the bet is valid under the rules") }
        let result = simulator.run()
        func percent(_ value: Double) -> String { "\((value * 10_000).rounded() / 100) %" }
        let who = result.edge <= 0 ? "The house wins" : "The player wins"
        return "\(who) \(percent(abs(result.edge))) of the bets of a player who plays basic strategy "
            + "(± \(percent(2 * result.standardError)), two standard errors of \(rounds / 1_000_000) million rounds)."
    }

    /// A bet whose payouts are all whole chips, if the limits allow one: on a small bet rounding would distort the figure.
    private static func bet(for rules: HouseRules) -> Int {
        let step = rules.betStep
        let most = min(rules.maximumBet, max(rules.minimumBet, 100 * step))
        let whole = stride(from: most, through: rules.minimumBet, by: -step).first { $0 % 10 == 0 }
        return whole ?? rules.minimumBet
    }
}
