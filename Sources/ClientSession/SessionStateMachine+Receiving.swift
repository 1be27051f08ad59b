import Wire

// MARK: Messages

extension SessionStateMachine {
    /// A whole line arrived.
    public mutating func receive(_ message: ServerMessage, at now: Int64) -> [SessionAction] {
        var actions: [SessionAction] = []
        receive(message, at: now, into: &actions)
        return actions
    }

    /// The same, appending what to do to a buffer that is reused.
    public mutating func receive(_ message: ServerMessage, at now: Int64, into actions: inout [SessionAction]) {
        guard case .open = phase else { return }
        noteBytes(at: now)
        endSilence(&actions)
        handle(message, at: now, &actions)
        finish(at: now, &actions)
    }

    private mutating func handle(_ message: ServerMessage, at now: Int64, _ actions: inout [SessionAction]) {
        switch message {
        case .hello(let hello):
            // Another house within the connection would be asked for, and given, the secrets of its accounts.
            guard dialog == nil else { return lose(.unasked(.hello), at: now, &actions) }
            greeted(hello, at: now, &actions)
        case .ok(let id, let reply): return replied(id, reply, at: now, &actions)
        case .error(let refusal): return refused(refusal, at: now, &actions)
        case .snapshot(let table, let epoch, let revision, _, let chat):
            // A server that changed the table unasked could drop a shoe in the middle.
            if let followed = cursor.position?.table, table != followed, table != granted {
                return lose(.unasked(.table(table)), at: now, &actions)
            }
            isDismissed = false
            cursor = .following(TablePosition(table: table, epoch: epoch, revision: revision, chat: chat))
        case .diff(let from, let to, _, _):
            guard follows(cursor.advance(from: from, to: to), onGap: .outOfSync, &actions) else { return }
        case .chat(let line):
            guard follows(cursor.hear(line.sequence), onGap: .skipped, &actions) else { return }
        case .ping: actions.append(.send(Request(id: .number(nextID()), .pong)))
        case .bye(let code, let reason):
            // Coming back helps after a restart and while a name is being chosen. Everything else is the server's decision.
            switch GoodbyeCode(rawValue: code) {
            case .restart, .shuttingDown, .loginTimeout: hasSaidGoodbye = true
            case .kicked where options.returnsAfterKick:
                isDismissed = true
                forgetTable(&actions)
                actions.append(.publish(.message(message)))
                return lose(.dismissed, at: now, &actions)
            default: end(reason, &actions)
            }
        case .lobby, .notice, .history, .statement, .chart, .note: break
        case .unknown:
            actions.append(.publish(.skipped))
            return
        }
        actions.append(.publish(.message(message)))
    }

    /// The table followed is gone for this player: nothing is asked for it again, and no table is asked for after a reconnect.
    public mutating func forgetTable(at now: Int64) -> [SessionAction] {
        var actions: [SessionAction] = []
        forgetTable(&actions)
        actions.append(.publish(.leftTable))
        finish(at: now, &actions)
        return actions
    }

    private mutating func forgetTable(_ actions: inout [SessionAction]) {
        cursor = .none
        options.wish = .nothing
        // A repeated `sit` would take a seat that the player has lost.
        fail(where: { $0.message.isAtTable }, &actions)
    }

    /// The shell could not apply the diff that was published last, and still shows this revision: asks for what is missing, or for the
    /// whole table if it is wrong.
    public mutating func tableRejected(_ fault: TableFault, shown revision: Int, at now: Int64) -> [SessionAction] {
        guard case .open = phase, case .following(var position) = cursor else { return [] }
        position.revision = revision
        cursor = .following(position)
        switch fault {
        case .doesNotFit: catchUp()
        case .wrongCheck:
            cursor = .replacing(position)
            ask(.watch(table: position.table, pass: options.pass))
        }
        var actions: [SessionAction] = []
        finish(at: now, &actions)
        return actions
    }

    /// Whether a message follows. The first that does not asks for what is missing.
    private mutating func follows(_ verdict: TableCursor.Verdict, onGap event: SessionEvent, _ actions: inout [SessionAction])
        -> Bool
    {
        switch verdict {
        case .follows: return true
        case .gap:
            catchUp()
            actions.append(.publish(event))
            return false
        case .skip:
            actions.append(.publish(.skipped))
            return false
        }
    }

    private mutating func greeted(_ hello: Hello, at now: Int64, _ actions: inout [SessionAction]) {
        lastHello = hello
        clockOffset = hello.time - now
        cursor.reconnected()
        dialog = Dialog(budget: RequestBudget(hello.limits, at: now), login: .anonymous, retries: max(1, hello.limits.retries))
        logIn(&actions)
    }
}

// MARK: Answers

extension SessionStateMachine {
    private mutating func replied(_ id: RequestID?, _ reply: Reply, at now: Int64, _ actions: inout [SessionAction]) {
        let entry = take(id)
        let asked = entry?.message ?? queue.abandoned(id)
        if case .applied("leave", _) = reply, asked?.isLeave != true { return lose(.unasked(.leave), at: now, &actions) }
        // The next login sends the secret of the name in the reply.
        if case .login(let login) = reply, asked?.isLogin(of: login.name) != true {
            return lose(.unasked(.login(name: login.name)), at: now, &actions)
        }
        if let table = asked?.table(in: reply) { granted = table }
        switch reply {
        case .login(let login):
            attempts = 0
            noteLogin(at: now)
            lastLogin = login
            options.name = login.name
            // The server's spelling.
            found?.name = login.name
            // A `leave` to repeat empties the position: following the table again would undo it.
            guard !queue.contains(type: "leave") else {
                dialog?.login = .leaving(login)
                break
            }
            dialog?.login = .done
            takePlace(after: login)
        // A seat once taken is wanted again after a reconnect, at any seat of that table.
        case .sit(let table, _, _, _):
            options.wish = .sit(table: table, seat: nil)
            if let pass = entry?.message.pass { options.pass = pass }
        case .watch: if let pass = entry?.message.pass { options.pass = pass }
        case .ping(let time):
            clockOffset = time - now
            noteAnswer(to: entry?.id, at: now)
        case .applied("leave", _):
            cursor = .none
            if case .leaving(let login) = dialog?.login { left(after: login) }
        // A reply to a request that was never made, or that a later one replaced, says nothing.
        case .resume(_, _, let missed): if entry != nil { cursor.resumed(missed) }
        case .available(let isFree): answeredAvailable(isFree, entry, &actions)
        default: break
        }
        actions.append(.publish(.message(.ok(id: id, reply))))
        if let entry, entry.owner == .caller { actions.append(.answer(id: entry.id, .success(reply))) }
    }

    private mutating func refused(_ refusal: Refusal, at now: Int64, _ actions: inout [SessionAction]) {
        // New chips may be a day away, a seat at a table some minutes: the player is told instead.
        let isWaitedFor =
            options.repeatsRequests && !refusal.isFatal && refusal.code != ErrorCode.rebuyLater.rawValue
            && refusal.code != ErrorCode.sentAway.rawValue
        if isWaitedFor, let wait = refusal.retryAfter, case .number(let id) = refusal.id,
            // A minute bounds what a wrong server can make us wait. Clocks count whole milliseconds: one more is never too soon.
            queue.postpone(id, until: now + Int64(min(wait, 60_000)) + 1)
        {
            actions.append(.publish(.postponed(refusal)))
            return
        }
        let entry = take(refusal.id)
        switch entry?.message {
        case .resume: cursor.resumed(Missed())
        case .watch: cursor.watchRefused()
        case .leave:
            if case .leaving(let login) = dialog?.login {
                dialog?.login = .done
                takePlace(after: login)
            }
        default: break
        }
        var refusal = refusal
        // The question whether the name is free is a part of the login.
        if case .checking(let id, _) = dialog?.login, id == entry?.id { refusal.type = "login" }
        if refusal.type == "login" { loginRefused(entry, code: refusal.code, &actions) }
        actions.append(.publish(.message(.error(refusal))))
        if let entry, entry.owner == .caller { actions.append(.answer(id: entry.id, .failure(refusal))) }
    }

    private mutating func take(_ id: RequestID?) -> RequestQueue.Entry? {
        if case .number(let number) = id { queue.remove(number) } else { nil }
    }

    /// A repeated `leave` was answered. A `sit` behind it may be repeated too, and then brings no snapshot by itself.
    private mutating func left(after login: LoginReply) {
        dialog?.login = .done
        guard login.table != nil, queue.contains(type: "sit") else { return }
        cursor = .requested
        ask(.watch(table: nil, pass: options.pass))
    }

    /// Follows the table again, or takes the place that is wished for.
    private mutating func takePlace(after login: LoginReply) {
        if let table = login.table ?? cursor.position?.table { catchUp(at: table) }
        guard login.table == nil, !queue.contains(type: "sit") else { return }
        switch options.wish {
        case .sit(let table, let seat): ask(.sit(table: table, seat: seat, pass: options.pass))
        case .watch(let table): ask(.watch(table: table, pass: options.pass))
        case .nothing: break
        }
    }

    /// Asks for what happened at the table followed, or at the one of the login where none is.
    private mutating func catchUp() { catchUp(at: cursor.position?.table ?? lastLogin?.table) }

    /// Asks for what happened at a table since the position held, or for the whole table if that position is of another table or wrong.
    private mutating func catchUp(at table: String?) {
        switch cursor {
        case .following(let position) where position.table == table: cursor = .resuming(position, heard: position.chat)
        case .resuming(let position, _) where position.table == table: break
        case .following(let position), .resuming(let position, _), .replacing(let position): cursor = .replacing(position)
        case .none, .requested: cursor = .requested
        }
        if case .resuming(let position, _) = cursor {
            ask(
                .resume(
                    table: table, epoch: position.epoch, revision: position.revision, chat: position.chat, pass: options.pass))
        } else {
            ask(.watch(table: table, pass: options.pass))
        }
    }
}
