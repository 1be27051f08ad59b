import ClientCore
import Fairness

/// Findings about a shuffle as sentences. Pure.
enum ShuffleNarrator {
    /// An alarm is left out: it names the file of its evidence.
    /// - Parameter isSeated: a spectator contributes nothing, so nothing is missing.
    static func sentences(_ finding: ShoeFinding, isSeated: Bool) -> [Sentence] {
        switch finding {
        case .noCeremonies:
            [Sentence(.table, "This house has no provable shuffle: nobody can check its shoes.")]
        case .withheld([], let shoe):
            [Sentence(.table, "Shoe \(shoe) is made again: a player on its list got up.")]
        case .withheld(let names, let shoe):
            [Sentence(.table, "\(list(names)) withheld a contribution to shoe \(shoe): it is made again.")]
        case .verified(let report):
            [Sentence(.shuffle, "Shoe \(SafeText(report.tag)) verified, \(seen(report))\(isSeated ? report.included : "").")]
        case .unproven(let report, let reason):
            [Sentence(.refusal, "Shoe \(SafeText(report.tag)) is unproven, \(seen(report)): \(why(reason)).")]
        case .failed, .evidence: []
        }
    }

    static func alarm(_ report: ShoeReport, _ fault: ShoeFault) -> SafeText {
        "SHOE \(SafeText(report.tag)) IS NOT HONEST: \(SafeText(fault.description, columns: 300))."
    }

    private static func seen(_ report: ShoeReport) -> SafeText { "\(report.seen) of \(report.total) cards seen" }

    private static func list(_ names: [String]) -> SafeText { names.map { SafeText($0, columns: 24) }.joined() }

    private static func why(_ reason: UnprovenReason) -> SafeText {
        switch reason {
        case .restarted: "the server lost the table"
        case .refused: "the server does not reveal its secret"
        case .unanswered: "the server does not answer"
        }
    }
}

extension ShoeReport {
    fileprivate var included: SafeText { isIncluded ? "" : ", shuffled without a contribution of yours" }
}
