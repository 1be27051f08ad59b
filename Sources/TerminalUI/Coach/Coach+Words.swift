import ClientCore
import Rules

extension Coach {
    /// The state after ``toggle()``.
    var announcement: SafeText {
        isOn
            ? "The coach is on: the best action is marked, the others show their cost in bets. Your mistakes are counted."
            : "The coach is off. Your mistakes are still counted."
    }

    /// The player's decisions against the best ones; nil before any hand, and without a chart.
    var summary: SafeText? {
        let late: SafeText = tally.timeOuts == 0 ? "" : " \(tally.timeOuts) ran out of time."
        guard tally.decisions > 0 else {
            let words: SafeText = late.isEmpty ? "there was nothing to decide." : "you decided nothing.\(late)"
            return tally.hands > 0 && !charts.isEmpty ? "You vs. basic strategy: \(words)" : nil
        }
        let decisions: SafeText = tally.decisions == 1 ? "1 decision" : "\(tally.decisions) decisions"
        guard tally.mistakes > 0 else { return "You vs. basic strategy: \(decisions), no mistake.\(late)" }
        let mistakes: SafeText = tally.mistakes == 1 ? "1 mistake" : "\(tally.mistakes) mistakes"
        // Hundredths of a chip, rounded up: a mistake costs something.
        let cost = tally.cost / 100 + (tally.cost % 100 > 0 ? 1 : 0)
        let chips = cost % 100 == 0 ? "\(cost / 100)" : "\(cost / 100)." + (cost % 100 < 10 ? "0" : "") + "\(cost % 100)"
        return "You vs. basic strategy: \(decisions), \(mistakes) with an expected loss of \(SafeText(chips)) chips.\(late)"
    }
}

extension Advice {
    /// `best`, or the cost of an action in bets: `−0.02`. Empty without a value.
    func note(on action: Action) -> SafeText {
        guard let cost = cost(of: action) else { return "" }
        return cost == 0 ? "best" : "−\(Self.bets(cost))"
    }

    /// `stand; hit −0.02, double 10 −0.61`, for a front end without a screen.
    var sentence: SafeText {
        let others = costs.filter { $0.cost > 0 }.map { "\($0.action.typed) −\(Self.bets($0.cost))" as SafeText }
        return "Coach: \(bestAction.typed) is best; in bets: \(others.joined())."
    }

    /// Two decimals, four for less than a hundredth.
    private static func bets(_ cost: Int) -> SafeText {
        let (digits, fraction) = cost < 100 ? (4, cost % 10_000) : (2, (cost + 50) / 100 % 100)
        let whole = cost < 100 ? 0 : (cost + 50) / 10_000
        let text = String(fraction)
        return SafeText("\(whole)." + String(repeating: "0", count: digits - text.count) + text)
    }
}

extension Action {
    /// The word for it without a screen.
    var typed: SafeText {
        switch self {
        case .hit: "hit"
        case .stand: "stand"
        case .double: "double"
        case .split: "split"
        case .surrender: "surrender"
        case .insurance: "insurance"
        case .decline: "no"
        case .evenMoney: "even"
        }
    }
}
