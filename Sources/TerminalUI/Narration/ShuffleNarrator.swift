import ClientCore
import Fairness

/// Findings about a shuffle as sentences. Pure.
enum ShuffleNarrator {
    /// An alarm is left out: it names the file of its evidence.
    /// - Parameter isSeated: a spectator contributes nothing, so nothing is missing; nor does it in a game of one's own.
    static func sentences(_ finding: ShoeFinding, isSeated: Bool) -> [Sentence] {
        switch finding {
        case .noCeremonies:
            [Sentence(.table, "This shoe has no provable shuffle: nobody can check its cards.")]
        case .voided(let cause, let shoe): [Sentence(.table, "Shoe \(shoe) is made again: \(why(cause)).")]
        case .notIncluded(let cause, let shoe): [Sentence(.refusal, why(cause, shoe))]
        case .seatLost(let table):
            [
                Sentence(
                    .refusal,
                    "You had a seat at \(SafeText(table, columns: 32)) when the connection was lost: the server says that you have none."
                )
            ]
        case .namedUnanswered(let shoe):
            [
                Sentence(
                    .refusal,
                    """
                    The server says that you held back your contribution to shoe \(shoe). This program sent it in time: either the \
                    connection failed, or the server ignores it.
                    """)
            ]
        case .namedAfterRefusal(let shoe):
            [
                Sentence(
                    .alarm,
                    """
                    THE SERVER REFUSED YOUR CONTRIBUTION to shoe \(shoe), and then says that you held it back. An honest server takes it.
                    """)
            ]
        case .revealTooSlow(let shoe, let milliseconds):
            [
                Sentence(
                    .refusal,
                    """
                    Your connection is too slow for the shuffle of shoe \(shoe): the answer to your contribution took \
                    \(seconds(milliseconds)), and the server waits 1 or 2 seconds.
                    """)
            ]
        case .leftOpen(let report):
            [
                Sentence(
                    .refusal,
                    "Shuffle \(SafeText(report.tag)) is not verified yet\(seen(report)): its proof is asked for when the shoe may be over."
                )
            ]
        case .rejectedOften(let times):
            [
                Sentence(
                    .alarm,
                    """
                    \(times) SHUFFLES WERE GIVEN UP after you had contributed, and you could not see why. A host that does so on purpose \
                    chooses among shuffles.
                    """)
            ]
        case .verified(let report): [Sentence(.shuffle, verified(report, isSeated: isSeated))]
        case .unproven(let report, let reason):
            [Sentence(.refusal, "Shuffle \(SafeText(report.tag)) cannot be verified\(seen(report)): \(why(reason)).")]
        case .failed, .evidence: []
        }
    }

    /// Shoes without a proof when the program ends; nil for none.
    static func open(_ count: Int) -> SafeText? {
        guard count > 0 else { return nil }
        return count == 1
            ? "The last shuffle could not be verified: its shoe was not finished when you went."
            : "\(count) shuffles could not be verified: their shoes were not finished when you went."
    }

    static func alarm(_ report: ShoeReport, _ fault: ShoeFault) -> SafeText {
        "SHOE \(SafeText(report.tag)) IS NOT HONEST: \(SafeText(fault.description, columns: 300))."
    }

    private static func verified(_ report: ShoeReport, isSeated: Bool) -> SafeText {
        let cards: SafeText =
            switch report.seen {
            case 0: "no card of it was seen."
            case 1: "the 1 card seen of \(report.total) was in the promised order."
            default: "all \(report.seen) cards seen of \(report.total) were in the promised order."
            }
        let missed: SafeText = report.gaps == 0 ? "" : " Updates were missed \(times(report.gaps))."
        let others: SafeText = isSeated && !report.isIncluded ? " It was shuffled without you." : ""
        return "Shuffle \(SafeText(report.tag)) verified: \(cards)\(missed)\(others)"
    }

    private static func seen(_ report: ShoeReport) -> SafeText {
        report.total == 0 ? "" : ", \(report.seen) of \(report.total) cards seen"
    }

    private static func why(_ cause: ExclusionCause, _ shoe: Int) -> SafeText {
        let without: SafeText = "Shoe \(shoe) is shuffled without you"
        return switch cause {
        case .committedElsewhere:
            "Shoe \(shoe) has a contribution of yours from another run or device: this one adds nothing."
        case .missed: "\(without): updates were missed while contributions were collected."
        case .seatLost: "\(without): the server said that you had lost your seat."
        case .tooLate: "\(without): your contribution came too late, as the server says."
        case .refused(let code): "\(without): the server refused your contribution (\(SafeText(code, columns: 32)))."
        case .unanswered: "Shoe \(shoe) may be shuffled without you: the server does not confirm your contribution."
        case .revealUnconfirmed: "\(without): the server says that your contribution did not come in time."
        }
    }

    /// With one decimal.
    private static func seconds(_ milliseconds: Int64) -> SafeText {
        let tenths = (milliseconds + 50) / 100
        return "\(tenths / 10).\(tenths % 10) seconds"
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
        case .left: "you left while it was in play"
        case .restarted: "the server lost the table"
        case .refused: "the server does not reveal its secret"
        case .unanswered: "the server does not answer"
        }
    }
}
