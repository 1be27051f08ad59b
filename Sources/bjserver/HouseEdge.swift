import Foundation
import Odds
import Rules
import ServerCore

/// The house edge against basic strategy.
enum HouseEdge {
    /// A sentence with the exact edge of a fresh shoe, and the one over whole shoes by a simulation with a fixed seed: the same figures every
    /// time.
    static func sentence(for rules: HouseRules) -> String {
        let (bet, threads) = (rules.minimumBet, ProcessInfo.processInfo.activeProcessorCount)
        let chart = SharedOdds.shared.chart(for: rules, bet: bet)
        let fresh = Edge(of: chart, under: rules, bet: bet).total
        guard let dealt = try? DealtEdge(of: chart, under: rules, fresh: fresh, bet: bet, threads: threads) else {
            preconditionFailure("the bet is valid under the rules")
        }
        func percent(_ value: Double, _ places: Double) -> String { "\((value * 100 * places).rounded() / places) %" }
        let who = fresh <= 0 ? "The house wins" : "The player wins"
        let exact =
            "\(who) \(percent(abs(fresh), 10_000)) of bets of \(bet) with the best chart for them in a fresh shoe (exact)"
        let doubt = rules.doubt.map { "\nDoubtful: \($0)." } ?? ""
        if rules.continuousShuffle { return exact + "." + doubt }
        let whole = percent(fresh <= 0 ? -dealt.edge : dealt.edge, 1000)
        let note = dealt.isPlain ? "; by a plain simulation, since the shoe may run out" : ""
        return exact
            + ", and \(whole) in shoes dealt to the cut card (± \(percent(2 * dealt.standardError, 1000)), two standard errors\(note))."
            + doubt
    }
}
