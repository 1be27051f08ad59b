import TableEngine
import TableModel
import Wire

/// Each request gets one answer: what it did, or why not. A refusal is thrown before anything has changed.
extension Casino {
    /// What a request came to, and what is sent or done after the answer.
    struct Answer {
        let reply: Reply?
        let after: (() -> Void)?

        init(_ reply: Reply?, after: (() -> Void)? = nil) {
            self.reply = reply
            self.after = after
        }
    }

    /// Carries a request out, or gives the answer that it had the first time.
    func answer(_ request: Request, from session: Session, at now: Int64) {
        self.now = now
        guard case .success(let message) = request.message else {
            if case .failure(let error) = request.message { refuse(request, error, session) }
            return
        }
        if let account = session.account {
            account.confirmToken()
            if message.changesSomething, let id = request.id, let known = account.answers.find(id) {
                return repeatAnswer(known, message, request, session)
            }
            if let host = account.table, let command = Command(message, of: account.id) {
                return play(command, at: host, message, request, session)
            }
        }
        carryOut(message, request, from: session)
    }

    /// What a game is made of: a command of a player to the table where he sits. Apart from all other requests, of which there are few, so that
    /// it takes no memory.
    private func play(
        _ command: Command, at host: TableHost, _ message: ClientMessage, _ request: Request, _ session: Session
    ) {
        do throws(Rejection) {
            try host.perform(command, at: now)
            actions += 1
            reply(.done(message.type), message, request, session)
        } catch {
            refuse(request, error.errorCode, error.text, legal: error.legalActions, noting: message, session)
        }
        // A refused command, too, may have met a deadline.
        publish(host)
    }

    private func carryOut(_ message: ClientMessage, _ request: Request, from session: Session) {
        do {
            let answer = try perform(message, from: session)
            if let reply = answer.reply { self.reply(reply, message, request, session) }
            answer.after?()
        } catch {
            switch error {
            case let error as ProtocolError: refuse(request, error, noting: message, session)
            case let error as CasinoRefusal: refuse(request, error, noting: message, session)
            case let error as Rejection:
                refuse(request, error.errorCode, error.text, legal: error.legalActions, noting: message, session)
            default: preconditionFailure("requests are refused by these types alone: \(error)")
            }
            // A table's deadline may have passed before the command that it refused.
            if let host = session.account?.table ?? session.watching { publish(host) }
        }
    }

    private func reply(_ reply: Reply, _ message: ClientMessage, _ request: Request, _ session: Session) {
        scratch.removeAll(keepingCapacity: true)
        ServerMessage.ok(id: request.id, reply).encode(into: &scratch)
        if case .done = reply { note(message, request.id, nil, session) } else { note(message, request.id, scratch, session) }
        session.outlet.send(scratch)
    }

    /// Keeps an answer; nil if it only says that the request is done.
    func note(_ message: ClientMessage, _ id: RequestID?, _ line: [UInt8]?, _ session: Session) {
        guard message.changesSomething, let id, let account = session.account else { return }
        account.answers.note(id, message, line)
    }

    private func repeatAnswer(_ known: RecentAnswers.Entry, _ message: ClientMessage, _ request: Request, _ session: Session) {
        guard known.request == message else {
            return refuse(request, CasinoRefusal.idReused, session)
        }
        guard known.line.isEmpty else { return session.outlet.send(known.line) }
        scratch.removeAll(keepingCapacity: true)
        ServerMessage.ok(id: known.id, .done(known.request.type)).encode(into: &scratch)
        session.outlet.send(scratch)
    }

    private func perform(_ message: ClientMessage, from session: Session) throws -> Answer {
        switch message {
        case .ping: return Answer(.ping(time: now))
        case .pong(let time):
            session.roundTrip = time.map { max(0, now - $0) }
            return Answer(nil)
        case .available(let name): return Answer(.available(house.residence(of: try PlayerName(name)) == nil))
        case .options(let options): return Answer(.options(set(options, session)))
        case .lobby(let follow): return Answer(showLobby(follow, to: session))
        case .login(let name, let token, let isBot, let version):
            guard WireLimits.versions.contains(version) else { throw ProtocolError.unsupportedVersion(version) }
            return Answer(.login(try logIn(PlayerName(name), token, isBot, session)))
        case .watch(let table, let pass): return try watch(table, pass, session)
        case .resume(let table, let epoch, let revision, let pass): return try resume(table, epoch, revision, pass, session)
        case .sit(let table, let seat, let pass): return try sit(table, seat, pass, session)
        case .leave: return try leave(session)
        case .logout: return try logOut(session)
        case .chat(let text): return try chat(ChatText(text), session)
        case .bet, .act, .sitOut, .sitIn:
            // Whoever has a seat has got an answer before.
            _ = try account(session)
            throw CasinoRefusal.notAtTable
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

    func account(_ session: Session) throws(CasinoRefusal) -> Account {
        guard let account = session.account else { throw .notLoggedIn }
        return account
    }
}

extension Command {
    /// What a player says to the table where he sits; nil for what is said to the house.
    fileprivate init?(_ message: ClientMessage, of player: PlayerID) {
        switch message {
        case .bet(let amount, let seat): self = .bet(player: player, seat: seat, amount: amount)
        case .act(let action, let seat, let hand, let amount):
            self = .act(player: player, action: action, seat: seat, hand: hand.map { $0 - 1 }, amount: amount)
        case .sitOut: self = .sitOut(player: player)
        case .sitIn: self = .sitIn(player: player)
        default: return nil
        }
    }
}
