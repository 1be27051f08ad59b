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
            if case .failure(let error) = request.message {
                refuse(Refusal(id: request.id, type: request.type, error), session)
            }
            return
        }
        if let account = session.account {
            account.confirmToken()
            if message.changesSomething, let id = request.id, let known = account.answers.find(id) {
                return repeatAnswer(known.outcome, isSame: known.request == message, request, session)
            }
        }
        carryOut(message, request, from: session)
    }

    private func carryOut(_ message: ClientMessage, _ request: Request, from session: Session) {
        do {
            let answer = try perform(message, from: session)
            if let reply = answer.reply {
                note(.reply(reply), message, request, session)
                reply.send(id: request.id, to: session.connection, environment, &scratch)
            }
            answer.after?()
        } catch {
            let refusal =
                switch error {
                case let error as ProtocolError: Refusal(id: request.id, type: request.type, error)
                case let error as CasinoRefusal: Refusal(id: request.id, type: request.type, error)
                case let error as Rejection: Refusal(id: request.id, type: request.type, error)
                default: preconditionFailure("requests are refused by these types alone: \(error)")
                }
            note(.refusal(refusal), message, request, session)
            refuse(refusal, session)
            // A table's deadline may have passed before the command that it refused.
            if let host = session.account?.table ?? session.watching { publish(host) }
        }
    }

    func refuse(_ refusal: Refusal, _ session: Session) {
        send(.error(refusal), to: session.connection)
        environment.log(.debug, "refused", [LogField("conn", session.connection), LogField("code", refusal.code)])
        if let code = RefusalCode(refusal.code) { house.metrics.errors[code].add() }
        guard refusal.isFatal else { return }
        // The one refusal in a conversation that ends it.
        session.goodbye = .lineTooLong
        environment.close(session.connection)
    }

    private func note(_ outcome: RecentAnswers.Outcome, _ message: ClientMessage, _ request: Request, _ session: Session) {
        guard message.changesSomething, let id = request.id, let account = session.account else { return }
        account.answers.note(id, message, outcome)
    }

    private func repeatAnswer(_ outcome: RecentAnswers.Outcome, isSame: Bool, _ request: Request, _ session: Session) {
        guard isSame else { return refuse(Refusal(id: request.id, type: request.type, CasinoRefusal.idReused), session) }
        switch outcome {
        case .reply(let reply): reply.send(id: request.id, to: session.connection, environment, &scratch)
        case .refusal(let refusal): send(.error(refusal), to: session.connection)
        }
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
        case .bet(let amount, let seat): return try play("bet", session) { .bet(player: $0, seat: seat, amount: amount) }
        case .act(let action, let seat, let hand, let amount):
            return try play("act", session) {
                .act(player: $0, action: action, seat: seat, hand: hand.map { $0 - 1 }, amount: amount)
            }
        case .sitOut: return try play("sitOut", session) { .sitOut(player: $0) }
        case .sitIn: return try play("sitIn", session) { .sitIn(player: $0) }
        }
    }

    private func set(_ options: ConnectionOptions, _ session: Session) -> ConnectionOptions {
        if let check = options.check { session.wantsCheck = check }
        if let verbose = options.verbose { session.isVerbose = verbose }
        if let pedantic = options.pedantic { session.isPedantic = pedantic }
        if let heartbeat = options.heartbeat {
            session.heartbeat = Int64(heartbeat) * 1000
            session.pinged = nil
            if session.account != nil { scheduleSilence(of: session) }
        }
        return session.options
    }

    /// A command of a player to the table where he sits.
    private func play(_ type: String, _ session: Session, _ command: (PlayerID) -> Command) throws -> Answer {
        let account = try account(session)
        guard let host = account.table else { throw CasinoRefusal.notAtTable }
        try host.perform(command(account.id), at: now)
        actions += 1
        return Answer(.done(type)) { [self] in publish(host) }
    }

    func account(_ session: Session) throws(CasinoRefusal) -> Account {
        guard let account = session.account else { throw .notLoggedIn }
        return account
    }
}

extension Reply {
    /// Sends the reply, written into memory that is used again and again.
    fileprivate func send(
        id: RequestID?, to connection: ConnectionID, _ environment: any Environment, _ scratch: inout [UInt8]
    ) {
        scratch.removeAll(keepingCapacity: true)
        ServerMessage.ok(id: id, self).encode(into: &scratch)
        environment.send(scratch, to: connection)
    }
}
