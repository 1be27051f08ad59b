import ClientCore
import Rules
import TableModel
import Wire

/// A player's history and statement, for the screen and the plain front end.
extension Wording {
    /// The rounds, newest first.
    func lines(of history: HandHistory) -> [SafeText] {
        guard !history.rounds.isEmpty else { return ["No hands played: \(searched(history.since))."] }
        let rest: SafeText = history.isCut ? "Older rounds are not listed" : "That is all"
        return history.rounds.flatMap { lines(of: $0) } + ["\(rest): \(searched(history.since))."]
    }

    /// The rounds of this session, newest first, where the server has no history.
    func lines(ofSession rounds: [PastRound]) -> [SafeText] {
        guard !rounds.isEmpty else { return ["You have played no hand in this session."] }
        return ["Your hands in this session, newest first:"] + rounds.flatMap { lines(of: $0) }
    }

    /// The chips of a player without an account.
    func balance(of state: ClientState) -> SafeText {
        let chips = (state.player?.chips ?? state.login?.chips ?? 0) + state.stakes.reduce(0, +)
        let bets: SafeText = state.stakes.isEmpty ? "" : ", \(state.stakes.reduce(0, +)) of them on the table"
        return "You have \(chips) chips\(bets). Without an account they last as long as this session."
    }

    /// Hands that the player leaves in play: `You left a hand in play, which stands: 9H 7D, 16, bet 10.`; nil for none.
    func leftHands(of state: ClientState) -> SafeText? {
        guard let snapshot = state.snapshot, !state.handsInPlay.isEmpty else { return nil }
        let hands = state.handsInPlay.map { hand -> SafeText in
            "\(self.hand(snapshot.cards(in: .hand(hand)), snapshot.total(hand))), bet \(snapshot.bet(hand) ?? 0)"
        }
        let what: SafeText = hands.count == 1 ? "a hand in play, which stands" : "\(hands.count) hands in play, which stand"
        return "You left \(what): \(hands.joined("; "))."
    }

    /// Bets for a round that has not begun: `Your bet of 10 is returned.`; nil for none.
    static func leftBets(of state: ClientState) -> SafeText? {
        let bets = state.openBets
        guard let first = bets.first else { return nil }
        return bets.count == 1
            ? "Your bet of \(first) is returned."
            : "Your bets of \(bets.map { "\($0)" as SafeText }.joined(" and ")) are returned."
    }

    private func lines(of round: PastRound) -> [SafeText] {
        let ending: SafeText = round.isVoided ? "voided, bets returned" : signed(round.net)
        let time = SafeText(UniversalTime.minutes(round.time))
        let title: SafeText = "\(time) UTC, \(SafeText(round.table, columns: 32)), round \(round.round): \(ending)"
        let seats = round.seats.map { seat -> SafeText in
            var parts = seat.hands.map { hand -> SafeText in
                "\(cards(hand.cards)), \(hand.total.safeText), \(hand.result.word) \(signed(hand.result.net))"
            }
            if let insurance = seat.insurance { parts.append("insurance \(signed(insurance.net))") }
            return "  seat \(seat.seat), bet \(seat.bet): \(parts.joined("; "))"
        }
        return [title] + seats + ["  dealer: \(hand(round.dealer, round.dealerTotal))"]
    }

    /// Balance, chips issued, and what each day's play came to.
    func lines(of statement: BalanceStatement) -> [SafeText] {
        var lines: [SafeText] = [
            "You have \(statement.balance) chips, open bets included; the house has given you \(statement.issued) so far."
        ]
        if let opened = statement.opened {
            lines.append("Your account was opened on \(SafeText(UniversalTime.minutes(opened))) UTC.")
        }
        lines += statement.days.map { day -> SafeText in
            let rounds: SafeText = day.rounds == 1 ? "1 round" : "\(day.rounds) rounds"
            let place: SafeText = "\(SafeText(UniversalTime.day(day.day))), \(SafeText(day.table, columns: 32))"
            return "\(place): \(rounds), won \(day.won), lost \(day.lost), in all \(signed(day.net))"
        }
        lines += statement.issues.map { issue -> SafeText in
            "\(SafeText(UniversalTime.minutes(issue.time))) UTC: \(reason(issue.reason)), \(signed(issue.chips))"
        }
        return lines + [statement.isCut ? "Older entries are not listed: \(searched(statement.since))." : "That is all."]
    }

    private func reason(_ reason: String) -> SafeText {
        switch reason {
        case BalanceStatement.Issue.opened: "your first chips"
        case BalanceStatement.Issue.rebuy: "new chips of the house"
        case BalanceStatement.Issue.credit: "a correction by the host"
        default: SafeText(reason, columns: 40)
        }
    }

    private func searched(_ since: Int64) -> SafeText {
        "the server looked back to \(SafeText(UniversalTime.minutes(since))) UTC"
    }
}
