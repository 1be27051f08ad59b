import ClientCore
import TableModel
import Wire

/// Connection events as sentences: link state, refusals, answers. Pure.
struct LinkNarrator: Sendable {
    var wording: Wording
    /// Players whose chat is hidden.
    var muted = MuteList()

    /// - Parameter old: the state before the update.
    func sentences(from old: ClientState, to update: ClientUpdate) -> [Sentence] {
        switch update.event {
        case .link: return link(old, update.state)
        // The list says why the player is there.
        case .reply(_, .login) where update.state.isDismissed: return []
        case .reply(_, .login(let login)):
            return loggedIn(login, isBack: old.login != nil) + lostSeat(old, login, isMoving: update.state.isMoving)
        case .reply(_, .sit(_, _, _, let rebuy?)): return [Sentence(.table, "The house gives you \(rebuy) new chips.")]
        case .reply(_, .applied("leave", _)),
            .reply(_, .done("logout")) where old.table != nil:
            return [Sentence(.table, "You have left the table.")]
        case .reply(_, .done("pass")): return [Sentence(.answer, "The pass phrase is changed.")]
        case .reply(_, .watch(_, let missed)): return missedSentences(missed)
        // The coach says what follows.
        case .refused(let refusal) where ["chart", "value"].contains(refusal.type): return []
        // The frontend asks for the phrase, or says that it is wrong.
        case .refused(let refusal) where refusal.code == ErrorCode.wrongPass.rawValue: return []
        case .refused(let refusal):
            return [Sentence(refusal.isOfPast ? .shown : .refusal, Self.refusal(refusal, wording: wording))]
        case .shoe(let finding): return ShuffleNarrator.sentences(finding)
        case .goodbye("logged_out", _): return [Sentence(.link, "Logged out.")]
        // The session says who has sent the player away, and where they are then.
        case .goodbye(GoodbyeCode.kicked.rawValue, _) where !update.state.link.isEnded: return []
        case .goodbye(_, let message): return [Sentence(.link, ("Disconnected by the server: \(message)" as SafeText).stopped)]
        case .isWrong: return [Sentence(.link, "The table differs from the server's: requesting it again.")]
        case .chat(let line):
            if muted.contains(line.name) { return [] }
            let isOwn = line.name == update.state.login?.name
            return [Sentence(isOwn ? .ownChat : .chat, Self.said(line), speaker: line.name)]
        case .notice(let notice): return Self.notice(notice, me: update.state.login?.name).map { [$0] } ?? []
        case .note(let text): return [Sentence(.answer, SafeText(text))]
        case .silence:
            let isSilent = update.state.silentSince != nil
            return [Sentence(.link, isSilent ? "The server is not responding." : "The server is responding again.")]
        case .postponed(let refusal): return old.isChatDelayed ? [] : Self.postponed(refusal)
        case .reply(_, .standings(let standings)): return wording.lines(of: standings).map { Sentence(.shown, $0) }
        case .history(let history): return wording.lines(of: history).map { Sentence(.shown, $0) }
        case .reply, .table, .outOfSync, .lobby, .lobbyOutOfSync, .chart, .value, .leftTable, .skipped: return []
        }
    }

    /// Speech begins with `<`, and what the client adds with a comma: no name has either, so no name makes a sentence of the client.
    private static func said(_ line: ChatLine, _ when: SafeText = "") -> SafeText {
        "<\(SafeText.player(line.name))\(when)> \(SafeText(line.text, columns: 400))"
    }

    /// Settled bets and chat missed while disconnected.
    private func missedSentences(_ missed: CatchUp) -> [Sentence] {
        missed.results.map { result in
            let net = result.hands.reduce(result.insurance?.net ?? 0) { $0 + $1.result.net }
            return Sentence(.sum, Wording.welcomeBack(result.round, net, chips: result.chips))
        }
            + missed.chat.filter { !muted.contains($0.name) }.map {
                Sentence(.chat, Self.said($0, ", while you were away"), speaker: $0.name)
            }
    }

    private static func notice(_ notice: HostNotice, me: String?) -> Sentence? {
        let words = notice.reason.map { SafeText($0, columns: 400) }
        let owner = notice.owner.map { "\(SafeText.player($0)), the owner," as SafeText } ?? "The host"
        return switch notice.kind {
        // The owner has the answer to the command.
        case HostNotice.kicked where notice.owner == me && me != nil: nil
        case HostNotice.kicked:
            Sentence(.table, "\(owner) kicked \(SafeText.player(notice.name))\(words.map { ": \($0)" } ?? ".")")
        case HostNotice.said: words.map { Sentence(.host, "<The host, to all> \($0)") }
        case HostNotice.stalled: Sentence(.link, "The server is waiting for its disk: the game and all clocks are paused.")
        case HostNotice.match:
            Sentence(
                .host,
                "The match is over\(notice.name == HostNotice.host ? "." : ": \(SafeText.player(notice.name)) came first.")")
        default: nil
        }
    }

    private func link(_ old: ClientState, _ new: ClientState) -> [Sentence] {
        switch new.link {
        // The session has said why.
        case .lost(.dismissed): []
        case .lost(let failure):
            if case .connecting(let attempt) = old.link {
                // Not the first seconds, and an hour is some lines, not hundreds.
                attempt >= 4 && attempt & (attempt - 1) == 0
                    ? [Sentence(.shown, "Still no connection (\(Self.words(failure))): trying again.")] : []
            } else {
                [Sentence(.link, "Connection lost: \(Self.words(failure)). Reconnecting.")]
            }
        case .ended(let reason): [Sentence(.link, ("The connection ended: \(reason)" as SafeText).stopped)]
        case .connecting, .connected, .loggedIn: []
        }
    }

    /// Why the connection ended.
    static func words(_ failure: LinkFailure) -> SafeText {
        SafeText(failure.description.replacing("the peer", with: "the server"), columns: 200)
    }

    /// Most requests are sent again within moments. Lines of chat behind the first wait like it.
    private static func postponed(_ refusal: Refusal) -> [Sentence] {
        guard let wait = refusal.retryAfter, refusal.type == "chat" else { return [] }
        return [
            Sentence(
                .refusal,
                "You are chatting too fast: the next line is sent in \(SafeText(UniversalTime.duration(wait))).")
        ]
    }

    private func loggedIn(_ login: LoginReply, isBack: Bool) -> [Sentence] {
        let link: SafeText = isBack ? "The connection is back." : "You are \(SafeText.player(login.name))."
        let owned = login.owner.map { table in
            Sentence(.host, "You own \(SafeText(table, columns: 32)): \(wording.control("?", "help")) has your commands.")
        }
        return [Sentence(.link, link)] + (owned.map { [$0] } ?? [])
    }

    /// Says that the server has no seat for a player who had one.
    /// - Parameter isMoving: whether the player has asked to leave the table or to sit down elsewhere, and has no answer.
    private func lostSeat(_ old: ClientState, _ login: LoginReply, isMoving: Bool) -> [Sentence] {
        guard old.seat != nil, let table = old.table, login.table != table || login.seats.isEmpty, !isMoving else { return [] }
        return [Sentence(.refusal, "Your seat at \(SafeText(table, columns: 32)) is gone: the server did not keep it.")]
    }

    /// A refusal as a sentence. Wire errors start in lower case.
    static func refusal(_ refusal: Refusal, wording: Wording = Wording(hasKeys: false)) -> SafeText {
        if refusal.code == ErrorCode.sittingOut.rawValue {
            return "You are sitting out: \(wording.control("o", "in")) deals you back in."
        }
        // The server's words are for programs.
        if refusal.code == ErrorCode.accountNeeded.rawValue, refusal.type == "history" {
            return "You are playing without an account, so the server keeps no history."
        }
        if let legal = refusal.legal, !legal.isEmpty {
            // The screen shows the keys.
            if wording.hasKeys { return "You can't do that right now." }
            return "You can't do that right now. Possible: \(legal.map(\.typed).joined())."
        }
        if refusal.code == ErrorCode.noSuchTable.rawValue { return "There is no table with that name." }
        guard let first = refusal.message.first else { return "The server refused: \(refusal.code)." }
        let sentence = SafeText(first.uppercased() + refusal.message.dropFirst()).stopped
        guard let wait = refusal.retryAfter, wait > longWait else { return sentence }
        let time = UniversalTime.duration(wait)
        return refusal.message.firstRange(of: time) == nil ? sentence + " Try again in \(SafeText(time))." : sentence
    }

    /// Milliseconds; for less nobody looks at a watch.
    private static let longWait = 3000
}

extension Refusal {
    /// Whether a panel shows it: of a question about what was played.
    var isOfPast: Bool { type == "history" || type == "standings" }
}
