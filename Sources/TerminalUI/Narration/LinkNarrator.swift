import ClientCore
import TableModel
import Wire

/// Connection events as sentences: link state, refusals, answers. Pure.
struct LinkNarrator: Sendable {
    var wording: Wording
    /// Players whose chat is hidden.
    var muted: MuteList

    init(wording: Wording, muted: MuteList = MuteList()) {
        self.wording = wording
        self.muted = muted
    }

    /// - Parameter old: the state before the update.
    func sentences(from old: ClientState, to update: ClientUpdate) -> [Sentence] {
        switch update.event {
        case .link: return link(old, update.state)
        case .reply(_, .login(let login)): return [loggedIn(login, isBack: old.login != nil)]
        case .reply(_, .sit(_, _, _, let rebuy?)): return [Sentence(.seat, "The house gives you \(rebuy) new chips.")]
        case .reply(_, .lobby(_, _, let tables)): return tables.map { Sentence(.answer, wording.summary($0)) }
        case .reply(_, .applied("leave", _)),
            .reply(_, .done("logout")) where old.table != nil:
            return [Sentence(.seat, "You have left the table.")]
        case .reply(_, .done("kick")):
            return [Sentence(.answer, "The player has to leave, and may not sit here for some minutes.")]
        case .reply(_, .done("pass")): return [Sentence(.answer, "The table's pass phrase is changed.")]
        case .reply(_, .resume(_, let resumption, let missed)): return missedSentences(missed, resumption)
        case .refused(let refusal): return [Sentence(.refusal, Self.refusal(refusal))]
        case .shoe(let finding): return ShuffleNarrator.sentences(finding, isSeated: update.state.seat != nil)
        case .goodbye("logged_out", _): return [Sentence(.link, "The server says goodbye.")]
        case .goodbye(_, let message):
            return [Sentence(.link, "The server says goodbye: \(message)\(message.hasSuffix(".") ? "" : ".")")]
        case .outOfSync: return [Sentence(.link, "Updates were missed: requesting the table.")]
        case .isWrong: return [Sentence(.link, "The table differs from the server's: requesting it again.")]
        case .chat(let line):
            if muted.contains(line.name) { return [] }
            return [Sentence(.chat, Self.said(line))]
        case .notice(let notice): return Self.notice(notice).map { [Sentence(.seat, $0)] } ?? []
        case .note(let text): return [Sentence(.answer, SafeText(text))]
        case .history(let history): return wording.lines(of: history).map { Sentence(.record, $0) }
        case .statement(let statement): return wording.lines(of: statement).map { Sentence(.record, $0) }
        case .reply, .table, .lobby, .lobbyOutOfSync, .chart, .pinged, .skipped: return []
        }
    }

    private static func said(_ line: ChatLine) -> SafeText {
        "\(SafeText(line.name, columns: 24)): \(SafeText(line.text, columns: 400))"
    }

    /// Settled bets and chat missed while disconnected. Where diffs are resumed, the narrator reports results from the table
    /// itself.
    private func missedSentences(_ missed: Missed, _ resumption: Resumption) -> [Sentence] {
        let results = resumption == .diffs ? [] : missed.results
        return results.map { Sentence(.result, "While you were away: \(wording.result($0)).") }
            + missed.chat.filter { !muted.contains($0.name) }.map { Sentence(.chat, "While you were away, \(Self.said($0))") }
    }

    private static func notice(_ notice: HostNotice) -> SafeText? {
        guard notice.kind == HostNotice.kicked else { return nil }
        let reason: SafeText = notice.reason.map { ": \(SafeText($0, columns: 400))" } ?? "."
        return "The host removed \(SafeText(notice.name, columns: 24))\(reason)"
    }

    private func link(_ old: ClientState, _ new: ClientState) -> [Sentence] {
        switch new.link {
        case .lost(let failure):
            if case .connecting(let attempt) = old.link {
                [Sentence(.attempt, "Attempt \(attempt) failed: \(failure.description).")]
            } else {
                [Sentence(.link, "The connection is lost: \(failure.description). Trying again.")]
            }
        case .ended(let reason): [Sentence(.link, "The connection ended: \(reason).")]
        case .connecting, .connected, .loggedIn: []
        }
    }

    private func loggedIn(_ login: LoginReply, isBack: Bool) -> Sentence {
        isBack
            ? Sentence(.link, "The connection is back.")
            : Sentence(.link, "You are \(SafeText(login.name, columns: 24)).")
    }

    /// A refusal as a sentence. Wire errors start in lower case.
    static func refusal(_ refusal: Refusal) -> SafeText {
        if refusal.code == ErrorCode.rebuyLater.rawValue, let wait = refusal.retryAfter {
            let (seconds, minutes) = ((wait + 999) / 1000, (wait + 59_999) / 60_000)
            let time: SafeText = seconds < 120 ? "\(seconds) seconds" : "\(minutes) minutes"
            return "You have too few chips for a bet here; the house gives you new ones in \(time)."
        }
        guard let first = refusal.message.first else { return "The server refuses: \(refusal.code)." }
        let isSentence = refusal.message.last == "."
        return SafeText(first.uppercased() + refusal.message.dropFirst() + (isSentence ? "" : "."))
    }
}
