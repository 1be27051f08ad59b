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
        case .voided(let cause, let shoe): [Sentence(.table, "Shoe \(shoe) is made again: \(why(cause)).")]
        case .committedElsewhere(let shoe):
            [
                Sentence(
                    .table,
                    "Another device or an earlier run of yours has committed to shoe \(shoe): only that one can reveal.")
            ]
        case .notListed(let shoe):
            [
                Sentence(
                    .refusal,
                    "Shoe \(shoe) is made without you: changes were missed, and its list has closed without your commitment.")
            ]
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

    private static func seen(_ report: ShoeReport) -> SafeText {
        "\(report.seen) of \(report.total) cards seen\(report.gaps == 0 ? "" : ", changes missed \(times(report.gaps))")"
    }

    private static func times(_ count: Int) -> SafeText { count == 1 ? "once" : "\(count) times" }

    private static func list(_ names: [String]) -> SafeText { names.map { SafeText($0, columns: 24) }.joined() }

    private static func why(_ cause: VoidCause) -> SafeText {
        switch cause {
        case .named(let names): "the server says that \(list(names)) withheld a contribution"
        case .namedBefore(let names) where names.count == 1: "\(list(names)) withheld a contribution again"
        case .namedBefore(let names): "one of \(list(names)) withheld a contribution again"
        case .gotUp(let players):
            players.map { player in
                "\(SafeText(player.name, columns: 24)) got up\(player.times == 1 ? "" : " (\(times(player.times)))")"
            }.joined()
        case .unseen: "changes were missed, and with them the cause"
        }
    }

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
