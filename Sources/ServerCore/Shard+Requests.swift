import Fairness
import Records
import Rules
import Sockets
import TableEngine
import TableModel
import Wire

/// Request handling: one answer per request. A refusal is thrown before any change.
extension Shard {
    /// A reply, and the work after it.
    struct Answer {
        let reply: Reply
        let after: (() -> Void)?

        init(_ reply: Reply, after: (() -> Void)? = nil) {
            self.reply = reply
            self.after = after
        }
    }

    /// Runs a request.
    /// - Returns: whether a bet or a decision was applied.
    func answer(_ request: Request, from session: Session) -> Bool {
        guard case .success(let message) = request.message else {
            if case .failure(let error) = request.message { refuse(request, Rejection(error), session) }
            return false
        }
        let account = session.account
        if let named = request.table, let account, let here = account.table ?? session.watching, here.name != named {
            answerElsewhere(message, request, at: here, session)
            return false
        }
        guard let account, let table = account.table, let command = Command(message, of: account.id) else {
            answerOther(message, request, from: session)
            return false
        }
        // Nearly all requests are commands of seated players.
        // A refused command can have triggered a time-out.
        defer { table.publish() }
        if let rejection = perform(command, at: table, now).rejection {
            refuse(request, rejection, session)
            return false
        }
        reply(.applied(message.type, at: table.describe()), request, session, isWatching: session.watching != nil)
        return true
    }

    /// Answers a request about a table that the player has left.
    private func answerElsewhere(_ message: ClientMessage, _ request: Request, at here: HostedTable, _ session: Session) {
        guard message == .leave else { return refuse(request, Rejection.elsewhereNow(here.name), session) }
        reply(.applied("leave", at: nil), request, session, isWatching: false)
    }

    private func answerOther(_ message: ClientMessage, _ request: Request, from session: Session) {
        do {
            try checkPartition(of: message, from: session)
            session.hasJustArrived = false
            try payExtra(message, for: session)
            let isWatching = session.watching != nil
            let answer = try carryOut(message, request.id, from: session)
            reply(answer.reply, request, session, isWatching: isWatching)
            answer.after?()
        } catch {
            switch error {
            case let dependency as RemoteDependency: return resolve(dependency, with: request, session)
            case let error as ProtocolError: refuse(request, Rejection(error), session)
            case let error as Rejection: refuse(request, error, session)
            default: preconditionFailure("requests are refused by these types alone: \(error)")
            }
            // A time-out may have preceded the refused command.
            if let table = session.account?.table ?? session.watching { table.publish() }
        }
    }

    /// - Parameter isWatching: whether the session was a viewer when the request arrived. Others get no revision.
    private func reply(_ reply: Reply, _ request: Request, _ session: Session, isWatching: Bool) {
        replyBuffer.removeAll(keepingCapacity: true)
        if case .applied(let type, let revision) = reply {
            ServerMessage.encodeApplied(id: request.id, type, at: isWatching ? revision : nil, into: &replyBuffer)
        } else {
            ServerMessage.ok(id: request.id, reply).encode(into: &replyBuffer)
        }
        session.sender.send(replyBuffer)
    }

    private func carryOut(_ message: ClientMessage, _ id: RequestID?, from session: Session) throws -> Answer {
        switch message {
        case .ping: return Answer(.ping(time: now))
        case .available(let name):
            let name = try PlayerName(name)
            guard !configuration.reservedNames.contains(name) else { throw Rejection.reservedName }
            let isFree = try player(like: name) ?? absent(like: name, session) == nil
            guard !isFree || !ReservedNames.bots.contains(name) else { throw Rejection.reservedName }
            return Answer(.available(isFree))
        case .options(let options): return set(options, session)
        case .lobby(let follow, let table): return Answer(try showLobby(follow, table, to: session))
        case .standings(let span):
            var standings =
                switch span {
                case .evening: leaderboard.standings(of: session.account?.id)
                case .career: try careerStandings(session)
                case .match: try matchStandings(session)
                }
            standings.isPartial = registryClient != nil && span != .match
            return Answer(.standings(standings))
        case .chart(let table):
            _ = try account(session)
            return try ask(.chart(tableRules(table, session).rules), message, session)
        case .value(let turn, let seat):
            let account = try account(session)
            guard let table = account.table else { throw Rejection.notSeated }
            guard let turn else { return try ask(.edge(table.engine.rules, table.engine.seenBeforeRound()), message, session) }
            return try ask(.value(table.engine.openDecision(turn, of: account.id, seat: seat)), message, session)
        case .rules(let table): return Answer(try rules(ofTable: table, session))
        case .login(let name, let secret, let owner, let isBot, let version, let options):
            guard WireLimits.versions.contains(version) else { throw ProtocolError.unsupportedVersion(version) }
            let credentials = Credentials(secret: secret, owner: owner)
            let reply = try logIn(PlayerName(name), credentials, isBot: isBot, options, session)
            return Answer(.login(reply)) { [self] in tellOfClosedTable(session) }
        case .watch(let table, let pass, let known): return try watch(table, pass, known, session)
        case .sit(let table, let seat, let pass, let known): return try sit(table, seat, pass, known, session)
        case .leave: return try leave(session)
        case .logout: return try logOut(session)
        case .commit(let server, let contribution): return try commit(contribution, to: server, session)
        case .reveal(let list, let contribution): return try reveal(contribution, under: list, session)
        case .proof(let table, let shoe, let commitment):
            return Answer(.proof(try proof(ofShoe: shoe, madeFor: commitment, at: table, session)))
        case .chat(let text, let reaction): return try chat(ChatText(text), reaction, id, session)
        case .history(let before, let limit):
            return try ask(.history(HistoryPage(before: before, limit: limit)), message, session)
        case .kick(let player, let minutes): return try sendAway(player, for: minutes, session)
        case .pass(let pass): return try changePass(pass, session)
        case .pause(let isOn, let reason): return try pause(isOn, reason, session)
        case .match(let rounds, let round): return try play(rounds, after: round, session)
        case .bet, .act, .sitOut:
            // Seated players' commands were answered before.
            _ = try account(session)
            throw Rejection.notSeated
        }
    }

    private func set(_ options: ConnectionOptions, _ session: Session) -> Answer {
        session.options.take(options)
        if options.silence != nil, session.account != nil { scheduleSilence(of: session) }
        if options.facts != nil { session.watching?.factsChanged(for: session) }
        if options.fair != nil { declare(session) }
        return Answer(.options(session.options)) { session.account?.table?.publish() }
    }

    /// Tells the player's table whether the client takes part in its ceremonies.
    func declare(_ session: Session) {
        guard let account = session.account, let table = account.table else { return }
        perform(.declare(player: account.id, contributes: session.contributes), at: table, now)
    }

    func account(_ session: Session) throws(Rejection) -> Account {
        guard let account = session.account else { throw .notLoggedIn }
        return account
    }

    // MARK: Refusing

    func refuse(_ request: Request, _ rejection: Rejection, _ session: Session) {
        replyBuffer.removeAll(keepingCapacity: true)
        ServerMessage.error(Refusal(id: request.id, type: request.type, rejection)).encode(into: &replyBuffer)
        session.sender.send(replyBuffer)
        let code = rejection.code
        environment.log(.debug, "refused", ["conn": session.connection, "code": code.rawValue])
        metrics.errors.count(code.rawValue)
        guard rejection.closes else { return }
        session.isClosing = true
        session.sender.close()
    }

    // MARK: Ceremonies

    func commit(_ contribution: Digest, to server: Digest, _ session: Session) throws -> Answer {
        let account = try account(session)
        guard let table = account.table else { throw Rejection.notSeated }
        let command = Command.commit(
            player: account.id, name: session.loginName, server: server, contribution: contribution)
        try perform(command, at: table, now).get()
        return Answer(.done("commit")) { table.publish() }
    }

    func reveal(_ contribution: ShoeSecret, under list: Digest, _ session: Session) throws -> Answer {
        let account = try account(session)
        guard let table = account.table else { throw Rejection.notSeated }
        try perform(.reveal(player: account.id, list: list, contribution: contribution), at: table, now).get()
        return Answer(.done("reveal")) { table.publish() }
    }

    /// The proof of a shoe at the named table, by default the one at which the player sits, or which the session watches.
    /// - Parameter commitment: the server's for the shoe. Also finds a shoe of a closed table whose name another one has.
    func proof(
        ofShoe shoe: Int?, madeFor commitment: Digest?, at name: String?, _ session: Session
    ) throws(Rejection) -> ShoeProof {
        let account = try account(session)
        // A proof has the names of players, which a table with a pass phrase does not show to others.
        func hasContributed(to shoe: ProvenShoe) -> Bool { shoe.contributors.contains(account.id) }
        func isMeant(_ proven: ProvenShoe) -> Bool {
            (shoe == nil || proven.proof.shoe == shoe) && (commitment == nil || proven.proof.commitment == commitment)
        }
        let named = name ?? account.table?.name ?? session.watching?.name
        let former = formerProofs.first { $0.table == named }
        if commitment != nil, let former, let proven = former.proofs.last(where: isMeant) {
            guard !former.isLocked || hasContributed(to: proven) else { throw .noProof }
            return proven.proof
        }
        if let name, let former, lobby.indices[name] == nil {
            guard let proven = former.proofs.last(where: isMeant), !former.isLocked || hasContributed(to: proven) else {
                throw .noProof
            }
            return proven.proof
        }
        let there = try find(name, for: account) ?? account.table ?? session.watching
        let table = if let there { there } else { try only() }
        let proven = commitment == nil ? table.engine.proven(shoe: shoe) : table.engine.proofsLeft.last(where: isMeant)
        let isPresent = account.table === table || session.watching === table
        guard table.pass == nil || isPresent || proven.map(hasContributed) == true else { throw .passNeeded }
        guard let proven else { throw .noProof }
        return proven.proof
    }

    // MARK: Questions

    /// Rate limit of a player's questions. Kept with the account, so that a new connection does not refill it.
    static let questions = RateLimit.perMinute(12, burst: 4)
    /// Rate limit of questions for pages of history: 10,000 rounds take some 30.
    static let pages = RateLimit.perSecond(1, burst: 2)

    /// Queues a question for a background thread. Its message follows the `ok`, so no other reply waits for a disk or a computation.
    private func ask(
        _ subject: PlayerQuestion.Subject, _ message: ClientMessage, _ session: Session
    ) throws(Rejection) -> Answer {
        let account = try account(session)
        let kind = subject.kind
        if kind == .past {
            guard !account.state.isGuest else { throw .accountNeeded }
            guard environment.isRecording else { throw .noHistory }
        }
        // An estimate of when the queue has room.
        let busy = Rejection.rateLimited(retryAfter: kind == .past ? 2000 : kind == .chart ? 1000 : 200)
        guard !session.questions.contains(where: { $0.subject.kind == kind }) else { throw busy }
        // A decision takes milliseconds, and comes as fast as its player plays.
        let verdict: TokenBucket.Verdict =
            kind == .value
            ? .granted
            : subject.isPage
                ? account.budgets.pages.take(of: Self.pages, at: now)
                : account.budgets.questions.take(of: Self.questions, at: now)
        if case .refused(let wait) = verdict {
            throw .rateLimited(retryAfter: Int(wait))
        }
        let question = PlayerQuestion(subject, of: account.id, from: session.connection, at: now)
        guard environment.ask(question) else { throw busy }
        session.questions.append(question)
        return Answer(.done(message.type)) { [self] in deliverAnswers(to: session) }
    }

    /// Sends the answer of a question, if it has one.
    package func answered(_ question: PlayerQuestion) {
        if let session = sessions[question.connection] { deliverAnswers(to: session) }
    }

    /// Sends the available answers to a session's questions, unless its player has changed.
    func deliverAnswers(to session: Session) {
        session.questions.removeAll { question in
            guard let line = question.line.take() else { return false }
            if session.account?.id == question.account, !session.isClosing { session.sender.send(line) }
            return true
        }
    }
}

extension Command {
    /// A seated player's command; nil for another request.
    fileprivate init?(_ message: ClientMessage, of player: PlayerID) {
        switch message {
        case .bet(let amount, let seat, let round): self = .bet(player: player, seat: seat, amount: amount, round: round)
        case .act(let action, let seat, let hand, let amount, let turn):
            self = .act(player: player, action: action, seat: seat, hand: hand.map { $0 - 1 }, amount: amount, turn: turn)
        case .sitOut(let isOut): self = .sitOut(player: player, isOut: isOut)
        // Carried out by the shard itself.
        default: return nil
        }
    }
}
