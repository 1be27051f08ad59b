import Odds
import Rules
import ServerCore

/// The house edge against basic strategy.
enum HouseEdge {
    /// A sentence with the exact edge of a fresh shoe.
    static func sentence(for rules: HouseRules) -> String {
        let bet = rules.minimumBet
        let edge = SharedOdds.shared.edge(of: bet, under: rules)
        let percent = "\((abs(edge) * 1_000_000).rounded() / 10_000)%"
        let who = edge <= 0 ? "The house wins" : "The player wins"
        let doubt = rules.doubt.map { "\nNote: \($0)." } ?? ""
        return "\(who) \(percent) of each bet of \(bet), by the best strategy chart in a fresh shoe (exact).\(doubt)"
    }
}
