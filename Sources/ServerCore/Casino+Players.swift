import Operations
import TableEngine
import TableModel
import Wire

/// Coming, sitting down, watching, going.
extension Casino {
    func logIn(_ name: PlayerName, _ token: String?, _ isBot: Bool, _ session: Session) throws -> LoginReply {
        guard session.account == nil else { throw CasinoRefusal.alreadyLoggedIn }
        let account: Account
        if let id = house.residence(of: name)?.id {
            guard let token else { throw CasinoRefusal.nameTaken }
            guard let known = accounts[id] else { throw CasinoRefusal.onTheWay }
            guard known.admits(token) else {
                // Nobody guesses a token: the right one is let in at any time, and only wrong ones have to wait.
                try mayShowSecret(session)
                wrongSecret(.token, of: known.name.text, session)
                throw CasinoRefusal.wrongToken
            }
            guard house.cameBack(id, known.name) else { throw CasinoRefusal.onTheWay }
            takeOver(known, session)
            known.changeToken(to: newToken(), from: token)
            account = known
        } else {
            guard !isDraining else { throw CasinoRefusal.draining }
            if configuration.reservedNames.contains(name) {
                guard let token, configuration.hostToken?.matches(token) == true else { throw CasinoRefusal.reservedName }
            }
            if let first = house.makeRoom() { evict(first) }
            guard let id = try house.register(name, on: loop) else { throw CasinoRefusal.nameTaken }
            account = open(id, name, token: newToken(), isBot: isBot, session: session)
        }
        scheduleSilence(of: session)
        environment.log(.info, "login", [LogField("conn", session.connection), LogField("name", account.name)])
        if let host = account.table {
            try? host.perform(.reconnected(player: account.id), at: now)
            publish(host)
        }
        return LoginReply(
            name: account.name.text, token: account.token, chips: account.chips, table: account.table?.name,
            seats: account.table?.table.seats(of: account.id) ?? [])
    }

    private func newToken() -> String { hexadecimal(environment.randomBytes(16)) }

    /// The newest connection speaks for the player; the one before is told and closed.
    private func takeOver(_ account: Account, _ session: Session) {
        environment.remind(.player(account.id), at: nil)
        if let old = account.session {
            old.account = nil
            stopWatching(old)
            dismiss(old.connection, .replaced, "The player has come back on another connection.")
        }
        attach(account, to: session)
    }

    func watch(_ table: String?, _ pass: String?, _ session: Session) throws -> Answer {
        let host = try hostToWatch(table, pass, session)
        return Answer(.watch(table: host.name)) { [self] in
            show(host, to: session)
            session.outlet.send(host.snapshotLine)
        }
    }

    /// What is known of a table by who resumes it.
    struct Known {
        let epoch: String
        let revision: Int
        let chat: Int?
    }

    func resume(_ table: String?, _ known: Known, _ pass: String?, _ session: Session) throws -> Answer {
        let host = try hostToWatch(table, pass, session)
        let catchUp = host.catchUp(epoch: known.epoch, revision: known.revision)
        var missed = Missed()
        if known.epoch == host.epoch {
            missed.results = try account(session).results.since(known.revision, ofEpoch: known.epoch)
        }
        if let chat = known.chat { missed.chat = host.chat(since: known.epoch == host.epoch ? chat : 0) }
        return Answer(.resume(table: host.name, with: catchUp.resumption, missed)) { [self] in
            show(host, to: session)
            if !catchUp.lines.isEmpty { session.outlet.send(catchUp.lines) }
        }
    }

    private func hostToWatch(_ table: String?, _ pass: String?, _ session: Session) throws(CasinoRefusal) -> TableHost {
        let account = try account(session)
        let host: TableHost
        if let named = try find(table, for: account) ?? account.table ?? session.watching {
            host = named
        } else {
            host = try only()
        }
        if let seated = account.table {
            guard seated === host else { throw .alreadyAtTable(seated.name) }
            return host
        }
        try admit(pass, to: host, session)
        guard session.watching === host || host.viewers.count < configuration.maximumViewers else { throw .tableCrowded }
        return host
    }

    func sit(_ table: String?, _ seat: Int?, _ pass: String?, _ session: Session) throws -> Answer {
        let account = try account(session)
        guard !isDraining else { throw CasinoRefusal.draining }
        let host: TableHost
        if let named = try find(table, for: account) ?? account.table ?? session.watching {
            host = named
        } else {
            host = try anyHost()
        }
        if account.table == nil { try admit(pass, to: host, session) }
        // A hand that is due to end may bring the player's chips home first.
        tick(host, at: now)
        if let seated = account.table, seated !== host { throw CasinoRefusal.alreadyAtTable(seated.name) }
        // Who comes with less than a bet is lent a new stake: these are chips to play with.
        let isBroke = account.table == nil && account.chips < host.table.rules.minimumBet
        let loan = isBroke ? max(configuration.startingChips, host.table.rules.minimumBet) : 0
        let command = Command.sit(
            player: account.id, profile: PlayerProfile(name: account.name.text, isBot: account.isBot), seat: seat,
            chips: account.chips + loan)
        try host.perform(command, at: now)
        bank &-= loan
        account.chips = 0
        account.table = host
        let taken = host.facts.compactMap { if case .sat(account.id, _, let seat, _) = $0 { seat } else { nil } }.first ?? 0
        environment.log(
            .info, "sat", [LogField("table", host.name), LogField("seat", taken), LogField("name", account.name)])
        return Answer(.sit(table: host.name, seat: taken, at: host.describedRevision())) { [self] in
            publish(host)
            guard session.watching !== host else { return }
            show(host, to: session)
            session.outlet.send(host.snapshotLine)
        }
    }

    func leave(_ session: Session) throws -> Answer {
        let account = try account(session)
        guard let host = account.table ?? session.watching else { throw CasinoRefusal.notAtTable }
        if account.table != nil { try host.perform(.leave(player: account.id), at: now) }
        let revision = host.describedRevision()
        stopWatching(session)
        return Answer(.applied("leave", at: revision)) { [self] in publish(host) }
    }

    /// The player is forgotten as soon as he is at no table; the chips go back to the bank.
    func logOut(_ session: Session) throws -> Answer {
        let account = try account(session)
        stopWatching(session)
        session.account = nil
        account.session = nil
        account.isExpired = true
        let host = account.table
        if let host {
            // Refused only when he is leaving already.
            try? host.perform(.leave(player: account.id), at: now)
        } else {
            close(account)
        }
        return Answer(.done("logout")) { [self] in
            dismiss(session.connection, .loggedOut, "Goodbye.")
            if let host { publish(host) }
        }
    }

    /// Says something to everybody at the table.
    func chat(_ text: ChatText, _ session: Session) throws -> Answer {
        let account = try account(session)
        guard let host = session.watching else { throw CasinoRefusal.notAtTable }
        if case .refused(let wait) = account.chat.take(of: configuration.chat, at: now) {
            throw CasinoRefusal.rateLimited(retryAfter: Int(wait))
        }
        try payChat(session)
        return Answer(.done("chat")) { [self] in
            host.say(text, by: account.name.text, at: now)
        }
    }

    /// Has a session told of a table from now on, and of no other.
    private func show(_ host: TableHost, to session: Session) {
        if session.watching !== host { stopWatching(session) }
        // A last look at a table that has closed.
        guard host.table.phase != .closed || isDraining else { return stopWatching(session) }
        session.watching = host
        host.addViewer(session)
        listingChanged(host)
    }

    func stopWatching(_ session: Session) {
        guard let host = session.watching else { return }
        session.watching = nil
        host.removeViewer(session)
        listingChanged(host)
        forgetIfGone(host)
    }

    private func admit(_ pass: String?, to host: TableHost, _ session: Session) throws(CasinoRefusal) {
        guard let secret = host.pass else { return }
        // Who shows none does not guess.
        guard let pass else { throw .wrongPass }
        try mayShowSecret(session)
        guard Secret.isSame(pass, secret) else {
            wrongSecret(.pass, of: host.name, session)
            throw .wrongPass
        }
    }

    private func find(_ table: String?, for account: Account) throws(CasinoRefusal) -> TableHost? {
        guard let table else { return nil }
        guard let index = house.index(ofTable: table) else { throw .noSuchTable }
        // Whoever has a seat stays on its loop, whatever table he asks for.
        if let seated = account.table, house.loop(ofTable: index) != loop { throw .alreadyAtTable(seated.name) }
        guard house.loop(ofTable: index) == loop else { throw .noSuchTable }
        guard let host = host(at: index) else { throw .noSuchTable }
        return host
    }

    private func only() throws(CasinoRefusal) -> TableHost {
        guard let index = house.onlyTable, house.loop(ofTable: index) == loop, let host = host(at: index) else {
            throw .noTableNamed
        }
        return host
    }

    /// The first table with a free seat; the first of all when there is none, so that it says that it is full.
    private func anyHost() throws(CasinoRefusal) -> TableHost {
        guard let host = anyFree ?? hosts.first(where: { $0.pass == nil }) ?? hosts.first(where: { _ in true }) else {
            throw .noSuchTable
        }
        return host
    }
}
