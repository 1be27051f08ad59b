import ClientCore
import Fairness

/// Findings about a shuffle as sentences: none while all is well. Pure.
enum ShuffleNarrator {
    /// An alarm is left out: it names the file of its evidence.
    static func sentences(_ finding: ShoeFinding) -> [Sentence] {
        switch finding {
        case .noCeremonies: [Sentence(.refusal, "This table's shuffle cannot be verified: the server has no provable one.")]
        // The round that went with the table was a round of a shoe of which cards were seen.
        case .notVerified(let report, .restarted) where report.watched.seen == 0: []
        case .notVerified(let report, let cause):
            [Sentence(cause == .restarted ? .link : .refusal, unverified(report.shoe, cause))]
        case .givenUp(.withheld(let names), let shoe, _):
            [
                Sentence(
                    .table, "The server says that \(list(names, "is", "are")) away: shoe \(shoe) is shuffled again without them.")
            ]
        case .givenUp(.gotUp(let names), let shoe, _):
            [Sentence(.table, "\(list(names, "has", "have")) left: shoe \(shoe) is shuffled again without them.")]
        case .givenUp(_, _, let times) where times >= loud:
            [
                Sentence(
                    .alarm,
                    """
                    \(times) SHUFFLES WERE ABANDONED after you contributed. Your connection is slow, or the host is choosing among \
                    shuffles.
                    """)
            ]
        case .givenUp(.named, let shoe, _):
            [
                Sentence(
                    .refusal,
                    """
                    The server says that you held back your contribution to shoe \(shoe). This program sent it: it came too late, or the \
                    server ignores it.
                    """)
            ]
        case .givenUp(.unseen, let shoe, _):
            [Sentence(.refusal, "A shuffle of shoe \(shoe) was abandoned after you contributed, for no visible reason.")]
        case .verified, .contradicted, .evidence: []
        }
    }

    /// A server has as many attempts to spare for a shoe.
    private static let loud = 3

    /// `8 shoes, 7 verified, 1 not verified, rules verified`; nil before the end of the first.
    static func summary(_ shoes: ShoeTally) -> SafeText? {
        guard shoes.total > shoes.open else { return nil }
        let others: SafeText = shoes.withoutPlayer == 0 ? "" : " (\(shoes.withoutPlayer) shuffled without you)"
        if isHonest(shoes) {
            let ended = shoes.total - shoes.open
            return "Rules and shuffle were honest: \(shoes.verified) of \(ended) \(ended == 1 ? "shoe" : "shoes") verified"
        }
        var words: [SafeText] = [
            shoes.total == 1 ? "1 shoe" : "\(shoes.total) shoes", "\(shoes.verified) verified\(others)",
        ]
        if shoes.notVerified > 0 { words.append("\(shoes.notVerified) not verified") }
        if shoes.open > 0 { words.append("\(shoes.open) not finished") }
        if shoes.givenUp > 0 { words.append(shoes.givenUp == 1 ? "1 shuffle abandoned" : "\(shoes.givenUp) shuffles abandoned") }
        if shoes.contradicted > 0 { words.append("\(shoes.contradicted) NOT HONEST") }
        let areRulesKnown = shoes.tables > 0 && shoes.tables == shoes.tablesWithRules
        words.append(shoes.areRulesFalse ? "RULES NOT HONEST" : areRulesKnown ? "rules verified" : "rules not verified")
        if shoes.hasUnknownRules { words.append("payments not compared: a table had rules that this client does not know") }
        return words.joined()
    }

    /// ``summary(_:)`` where it stands among other lines.
    static func sentence(_ shoes: ShoeTally) -> SafeText? {
        summary(shoes).map { isHonest(shoes) ? "\($0)." : "Shuffles of this session: \($0)." }
    }

    /// Whether nothing is left to say about any shoe.
    private static func isHonest(_ shoes: ShoeTally) -> Bool {
        shoes.tables > 0 && shoes.tables == shoes.tablesWithRules && !shoes.areRulesFalse && !shoes.hasUnknownRules
            && shoes.contradicted == 0
            && shoes.givenUp == 0 && shoes.withoutPlayer == 0 && shoes.verified + shoes.open == shoes.total
    }

    static func alarm(_ report: ShoeReport, _ fault: ShoeFault) -> SafeText {
        "SHOE \(report.shoe) IS NOT HONEST: \(SafeText(fault.description, columns: 300))."
    }

    /// `bob is`, `bob and eve are`.
    private static func list(_ names: [String], _ one: SafeText, _ many: SafeText) -> SafeText {
        "\(names.map { SafeText.player($0) }.listed) \(names.count == 1 ? one : many)"
    }

    private static func unverified(_ shoe: Int, _ cause: UnverifiedCause) -> SafeText {
        switch cause {
        case .left: "The shuffle of shoe \(shoe) could not be verified: you left while it was in play."
        case .restarted: "The server restarted: the round was lost, and shoe \(shoe) with it."
        case .refused: "The shuffle of shoe \(shoe) could not be verified: the server does not reveal its secret."
        case .unanswered: "The shuffle of shoe \(shoe) could not be verified: the server did not reply."
        }
    }
}
