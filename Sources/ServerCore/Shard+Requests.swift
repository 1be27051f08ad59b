import Records
import TableEngine
import TableModel
import Wire

/// Request handling: one answer per request. A refusal is thrown before any change.
extension Shard {
    /// A reply, and the work after it.
    struct Answer {
        let reply: Reply?
        let after: (() -> Void)?

        init(_ reply: Reply?, after: (() -> Void)? = nil) {
            self.reply = reply
            self.after = after
        }
    }

    /// Runs a request, or repeats its first answer.
    /// - Returns: whether a bet or a decision was applied.
    func answer(_ request: Request, from session: Session) -> Bool {
        guard case .success(let message) = request.message else {
            if case .failure(let error) = request.message { refuse(request, error, session) }
            return false
        }
        if let account = session.account {
            if message.changesSomething, let id = request.id, let known = account.answers.find(id) {
                repeatAnswer(known, message, request, session)
                return false
            }
            if let table = account.table, let command = Command(message, of: account.id) {
                return play(command, at: table, message, request, session)
            }
        }
        carryOut(message, request, from: session)
        return false
    }

    /// Runs a seated player's command. A separate, allocation-free path: nearly all requests are commands.
    private func play(
        _ command: Command, at table: HostedTable, _ message: ClientMessage, _ request: Request, _ session: Session
    ) -> Bool {
        // A refused command can have triggered a time-out.
        defer { publish(table) }
        do throws(Rejection) {
            try perform(command, at: table, now)
            let reply = Reply.applied(message.type, at: table.describedRevision())
            self.reply(reply, message, request, session, isWatching: session.watching != nil)
            return true
        } catch {
            refuse(request, error.errorCode, error.text, legal: error.legalActions, noting: message, session)
            return false
        }
    }

    private func carryOut(_ message: ClientMessage, _ request: Request, from session: Session) {
        do {
            try payExtra(message, for: session)
            let isWatching = session.watching != nil
            let answer = try perform(message, from: session)
            if let reply = answer.reply { self.reply(reply, message, request, session, isWatching: isWatching) }
            answer.after?()
        } catch {
            switch error {
            case let error as ProtocolError: refuse(request, error, noting: message, session)
            case let error as RequestRefusal: refuse(request, error, noting: message, session)
            case let error as Rejection:
                refuse(request, error.errorCode, error.text, legal: error.legalActions, noting: message, session)
            default: preconditionFailure("requests are refused by these types alone: \(error)")
            }
            // A time-out may have preceded the refused command.
            if let table = session.account?.table ?? session.watching { publish(table) }
        }
    }

    /// - Parameter isWatching: whether the session was a viewer when it asked.
    private func reply(
        _ reply: Reply, _ message: ClientMessage, _ request: Request, _ session: Session, isWatching: Bool
    ) {
        replyBuffer.removeAll(keepingCapacity: true)
        switch reply {
        case .applied(let type, let revision):
            // A first answer omits the epoch, which a viewer knows. A client that has just come back may know another one.
            let shown = isWatching ? TableRevision(revision.number) : revision
            ServerMessage.encodeApplied(id: request.id, type, at: shown, into: &replyBuffer)
            note(message, request.id, .applied(revision), session)
        case .done:
            ServerMessage.ok(id: request.id, reply).encode(into: &replyBuffer)
            note(message, request.id, .done, session)
        default:
            ServerMessage.ok(id: request.id, reply).encode(into: &replyBuffer)
            note(message, request.id, .line, session)
        }
        session.sender.send(replyBuffer)
    }

    /// Records the answer in ``replyBuffer``, for retries.
    func note(_ message: ClientMessage, _ id: RequestID?, _ answer: RecentAnswers.Answer, _ session: Session) {
        guard message.changesSomething, let id, let account = session.account else { return }
        // Repeated logins on a bad connection must not displace requests that will be retried.
        if case .login = message { return }
        account.answers.note(id, message, answer, replyBuffer)
        // A guest does not come back to ask again, and chat is not kept.
        guard account.isOpen, !account.isGuest, environment.isRecording, message.isRemembered else { return }
        environment.record(id, message, answer, replyBuffer, of: account.id)
    }

    private func repeatAnswer(_ known: RecentAnswers.Entry, _ message: ClientMessage, _ request: Request, _ session: Session) {
        guard known.request == message else {
            return refuse(request, RequestRefusal.idReused, session)
        }
        let type = known.request.type
        replyBuffer.removeAll(keepingCapacity: true)
        switch known.answer {
        case .line, .refused: return session.sender.send(known.line)
        case .done: ServerMessage.ok(id: known.id, .done(type)).encode(into: &replyBuffer)
        case .applied(let revision): ServerMessage.ok(id: known.id, .applied(type, at: revision)).encode(into: &replyBuffer)
        }
        session.sender.send(replyBuffer)
    }

    private func perform(_ message: ClientMessage, from session: Session) throws -> Answer {
        switch message {
        case .ping: return Answer(.ping(time: now))
        case .pong: return Answer(nil)
        case .available(let name):
            let name = try PlayerName(name)
            guard !configuration.reservedNames.contains(name) else { throw RequestRefusal.reservedName }
            return Answer(.available(directory.location(of: name) == nil))
        case .options(let options): return Answer(.options(set(options, session)))
        case .lobby(let follow): return Answer(showLobby(follow, to: session))
        case .chart(let table): return try chart(ofTable: table, session)
        case .rules(let table): return Answer(try rules(ofTable: table, session))
        case .login(let name, let secret, let invite, let isBot, let version, let contributes):
            guard WireLimits.versions.contains(version) else { throw ProtocolError.unsupportedVersion(version) }
            let credentials = Credentials(secret: secret, invite: invite)
            let reply = try logIn(PlayerName(name), credentials, isBot: isBot, contributes: contributes, session)
            return Answer(.login(reply))
        case .watch(let table, let pass): return try watch(table, pass, session)
        case .resume(let table, let epoch, let revision, let chat, let pass):
            return try resume(table, ResumePoint(epoch: epoch, revision: revision, chat: chat), pass, session)
        case .sit(let table, let seat, let pass): return try sit(table, seat, pass, session)
        case .leave: return try leave(session)
        case .logout: return try logOut(session)
        case .commit(let server, let contribution): return try commit(contribution, to: server, session)
        case .reveal(let list, let contribution): return try reveal(contribution, under: list, session)
        case .proof(let table, let shoe, let commitment):
            return Answer(.proof(try proof(ofShoe: shoe, madeFor: commitment, at: table, session)))
        case .chat(let text): return try chat(ChatText(text), session)
        case .history: return try ask(.history, session)
        case .statement: return try ask(.statement, session)
        case .kick(let player): return try sendAway(player, session)
        case .pass(let pass): return try changePass(pass, session)
        case .bet, .act, .sitOut, .sitIn:
            // Seated players' commands were answered before.
            _ = try account(session)
            throw Rejection.notSeated
        }
    }

    private func set(_ options: ConnectionOptions, _ session: Session) -> ConnectionOptions {
        if let check = options.check { session.wantsCheck = check }
        if let verbose = options.verbose { session.isVerbose = verbose }
        session.watching?.optionsChanged(of: session)
        if let pedantic = options.pedantic { session.isPedantic = pedantic }
        if let heartbeat = options.heartbeat {
            session.heartbeat = Int64(heartbeat) * 1000
            session.pinged = nil
            if session.account != nil { scheduleSilence(of: session) }
        }
        return session.options
    }

    func account(_ session: Session) throws(RequestRefusal) -> Account {
        guard let account = session.account else { throw .notLoggedIn }
        return account
    }
}

extension ClientMessage {
    /// Whether the answer outlives a restart.
    var isRemembered: Bool { if case .chat = self { false } else { true } }
}

extension Command {
    /// A seated player's command; nil for a request to the directory.
    fileprivate init?(_ message: ClientMessage, of player: PlayerID) {
        switch message {
        case .bet(let amount, let seat, let round): self = .bet(player: player, seat: seat, amount: amount, round: round)
        case .act(let action, let seat, let hand, let amount, let turn):
            self = .act(player: player, action: action, seat: seat, hand: hand.map { $0 - 1 }, amount: amount, turn: turn)
        case .sitOut: self = .sitOut(player: player)
        case .sitIn: self = .sitIn(player: player)
        default: return nil
        }
    }
}
