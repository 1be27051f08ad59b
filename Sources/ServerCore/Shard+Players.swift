import Operations
import TableEngine
import TableModel
import Wire

/// Login, watching, sitting down, leaving.
extension Shard {
    func logIn(_ name: PlayerName, _ token: String?, _ isBot: Bool, _ session: Session) throws -> LoginReply {
        guard session.account == nil else { throw RequestRefusal.alreadyLoggedIn }
        let account: Account
        if let id = directory.location(of: name)?.id {
            guard let token else { throw RequestRefusal.nameTaken }
            guard let known = accounts[id] else { throw RequestRefusal.onTheWay }
            guard known.admits(token) else {
                // The right token is accepted at any time; only wrong ones are delayed.
                try mayShowSecret(session)
                wrongSecret(.token, of: known.name.text, session)
                throw RequestRefusal.wrongToken
            }
            guard directory.cameBack(id, known.name) else { throw RequestRefusal.onTheWay }
            takeOver(known, session)
            known.changeToken(to: newToken(), from: token)
            account = known
        } else {
            guard !isDraining else { throw RequestRefusal.draining }
            if configuration.reservedNames.contains(name) {
                guard let token, configuration.hostToken?.matches(token) == true else { throw RequestRefusal.reservedName }
            }
            if let first = directory.makeRoom() { evict(first) }
            guard let id = try directory.register(name, on: loop) else { throw RequestRefusal.nameTaken }
            account = open(id, name, token: newToken(), isBot: isBot, session: session)
        }
        scheduleSilence(of: session)
        environment.log(.info, "login", [LogField("conn", session.connection), LogField("name", account.name)])
        if let table = account.table {
            try? perform(.reconnected(player: account.id), at: table, now)
            publish(table)
        }
        return LoginReply(
            name: account.name.text, token: account.token, chips: account.chips, table: account.table?.name,
            seats: account.table?.engine.seats(of: account.id) ?? [])
    }

    private func newToken() -> String { hexadecimal(environment.randomBytes(16)) }

    /// Moves the player to a new session; the old one is closed with `replaced`.
    private func takeOver(_ account: Account, _ session: Session) {
        environment.setTimer(.player(account.id), at: nil)
        if let old = account.session {
            old.account = nil
            stopWatching(old)
            dismiss(old.connection, .replaced, "The player has come back on another connection.")
        }
        attach(account, to: session)
    }

    func watch(_ name: String?, _ pass: String?, _ session: Session) throws -> Answer {
        let table = try tableToWatch(name, pass, session)
        return Answer(.watch(table: table.name)) { [self] in
            show(table, to: session)
            session.sender.send(table.snapshotLine)
        }
    }

    /// A client's state of a table, from which it resumes.
    struct ResumePoint {
        let epoch: String
        let revision: Int
        let chat: Int?
    }

    func resume(_ name: String?, _ known: ResumePoint, _ pass: String?, _ session: Session) throws -> Answer {
        let table = try tableToWatch(name, pass, session)
        let catchUp = table.catchUp(epoch: known.epoch, revision: known.revision)
        var missed = Missed()
        if known.epoch == table.epoch {
            missed.results = try account(session).results.since(known.revision, ofEpoch: known.epoch)
        }
        if let chat = known.chat { missed.chat = table.chat(since: known.epoch == table.epoch ? chat : 0) }
        return Answer(.resume(table: table.name, with: catchUp.resumption, missed)) { [self] in
            show(table, to: session)
            if !catchUp.lines.isEmpty { session.sender.send(catchUp.lines) }
        }
    }

    private func tableToWatch(_ name: String?, _ pass: String?, _ session: Session) throws(RequestRefusal) -> HostedTable {
        let account = try account(session)
        let table: HostedTable
        if let named = try find(name, for: account) ?? account.table ?? session.watching {
            table = named
        } else {
            table = try only()
        }
        if let seated = account.table {
            guard seated === table else { throw .alreadyAtTable(seated.name) }
            return table
        }
        try admit(pass, to: table, session)
        guard session.watching === table || table.viewers.count < configuration.maximumViewers else { throw .tableCrowded }
        return table
    }

    func sit(_ name: String?, _ seat: Int?, _ pass: String?, _ session: Session) throws -> Answer {
        let account = try account(session)
        guard !isDraining else { throw RequestRefusal.draining }
        let table: HostedTable
        if let named = try find(name, for: account) ?? account.table ?? session.watching {
            table = named
        } else {
            table = try anyTable()
        }
        if account.table == nil { try admit(pass, to: table, session) }
        // A round that is due to end can return the player's chips first.
        tick(table, at: now)
        if let seated = account.table, seated !== table { throw RequestRefusal.alreadyAtTable(seated.name) }
        // Play money: a player with less than the minimum bet gets a new stake.
        let isBroke = account.table == nil && account.chips < table.engine.rules.minimumBet
        let loan = isBroke ? max(configuration.startingChips, table.engine.rules.minimumBet) : 0
        let command = Command.sit(
            player: account.id, profile: PlayerProfile(name: account.name.text, isBot: account.isBot), seat: seat,
            chips: account.chips + loan)
        try perform(command, at: table, now)
        bank &-= loan
        account.chips = 0
        account.table = table
        let taken = table.facts.compactMap { if case .sat(account.id, _, let seat, _) = $0 { seat } else { nil } }.first ?? 0
        environment.log(
            .info, "sat", [LogField("table", table.name), LogField("seat", taken), LogField("name", account.name)])
        return Answer(.sit(table: table.name, seat: taken, at: table.describedRevision())) { [self] in
            publish(table)
            guard session.watching !== table else { return }
            show(table, to: session)
            session.sender.send(table.snapshotLine)
        }
    }

    func leave(_ session: Session) throws -> Answer {
        let account = try account(session)
        guard let table = account.table ?? session.watching else { throw RequestRefusal.notAtTable }
        if account.table != nil { try perform(.leave(player: account.id), at: table, now) }
        let revision = table.describedRevision()
        stopWatching(session)
        return Answer(.applied("leave", at: revision)) { [self] in publish(table) }
    }

    /// The account is closed once the player has left the table; the chips return to the bank.
    func logOut(_ session: Session) throws -> Answer {
        let account = try account(session)
        stopWatching(session)
        session.account = nil
        account.session = nil
        account.isExpired = true
        let table = account.table
        if let table {
            // Refused only if the player is already leaving.
            try? perform(.leave(player: account.id), at: table, now)
        } else {
            close(account)
        }
        return Answer(.done("logout")) { [self] in
            dismiss(session.connection, .loggedOut, "Goodbye.")
            if let table { publish(table) }
        }
    }

    /// Sends a chat line to all viewers of the table.
    func chat(_ text: ChatText, _ session: Session) throws -> Answer {
        let account = try account(session)
        guard let table = session.watching else { throw RequestRefusal.notAtTable }
        if case .refused(let wait) = account.chat.take(of: configuration.chat, at: now) {
            throw RequestRefusal.rateLimited(retryAfter: Int(wait))
        }
        try payChat(session)
        return Answer(.done("chat")) { [self] in
            table.say(text, by: account.name.text, at: now)
        }
    }

    /// Makes a session a viewer of a table, and of no other.
    private func show(_ table: HostedTable, to session: Session) {
        if session.watching !== table { stopWatching(session) }
        // A closed table was sent once; it has no viewers.
        guard table.engine.phase != .closed || isDraining else { return stopWatching(session) }
        session.watching = table
        table.addViewer(session)
        listingChanged(table)
    }

    func stopWatching(_ session: Session) {
        guard let table = session.watching else { return }
        session.watching = nil
        table.removeViewer(session)
        listingChanged(table)
        forgetIfGone(table)
    }

    private func admit(_ pass: String?, to table: HostedTable, _ session: Session) throws(RequestRefusal) {
        guard let secret = table.pass else { return }
        // A missing pass is not a guess, so it is not delayed.
        guard let pass else { throw .wrongPass }
        try mayShowSecret(session)
        guard Secret.isSame(pass, secret) else {
            wrongSecret(.pass, of: table.name, session)
            throw .wrongPass
        }
    }

    private func find(_ name: String?, for account: Account) throws(RequestRefusal) -> HostedTable? {
        guard let name else { return nil }
        guard let index = directory.index(ofTable: name) else { throw .noSuchTable }
        // A seated player's connection cannot move to another loop.
        if let seated = account.table, directory.loop(ofTable: index) != loop { throw .alreadyAtTable(seated.name) }
        guard directory.loop(ofTable: index) == loop else { throw .noSuchTable }
        guard let table = hostedTable(at: index) else { throw .noSuchTable }
        return table
    }

    private func only() throws(RequestRefusal) -> HostedTable {
        guard let index = directory.onlyTable, directory.loop(ofTable: index) == loop, let table = hostedTable(at: index) else {
            throw .noTableNamed
        }
        return table
    }

    /// A table with a free seat; otherwise the first one, whose refusal says that it is full.
    private func anyTable() throws(RequestRefusal) -> HostedTable {
        guard let table = anyFree ?? hostedTables.first(where: { $0.pass == nil }) ?? hostedTables.first(where: { _ in true })
        else {
            throw .noSuchTable
        }
        return table
    }
}
