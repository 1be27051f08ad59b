import Operations
import TableEngine
import TableModel
import Wire

/// Watching, sitting down, leaving.
extension Shard {
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
        // Also while a hand that they have left is played.
        if let wait = table.sentAway.wait(of: account.id, at: now) { throw .sentAway(retryAfter: Int(wait)) }
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
        if let wait = table.sentAway.wait(of: account.id, at: now) { throw RequestRefusal.sentAway(retryAfter: Int(wait)) }
        if account.table == nil { try takeTurns(at: table, session) }
        let rebuy = account.table == nil ? try rebuy(for: account, at: table, isHouse: session.isHouse) : 0
        let profile = PlayerProfile(
            name: account.name.text, isBot: account.isBot, contributes: session.contributes)
        let command = Command.sit(
            player: account.id, profile: profile, seat: seat,
            chips: account.table == nil ? account.shownChips + rebuy : 0)
        if !account.isOpen || rebuy > 0 {
            // Accounts change only for a sit that succeeds.
            try table.engine.validate(command, at: Moment(milliseconds: now))
            if !account.isOpen { try open(account, session) }
            if rebuy > 0 { issueRebuy(rebuy, to: account) }
        }
        try perform(command, at: table, now)
        account.chips = 0
        account.table = table
        let taken = table.facts.compactMap { if case .sat(account.id, _, let seat, _) = $0 { seat } else { nil } }.first ?? 0
        environment.log(
            .info, "sat", [LogField("table", table.name), LogField("seat", taken), LogField("name", account.name)])
        let reply = Reply.sit(
            table: table.name, seat: taken, at: table.describedRevision(), rebuy: rebuy > 0 ? rebuy : nil)
        return Answer(reply) { [self] in
            publish(table)
            guard session.watching !== table else { return }
            show(table, to: session)
            session.sender.send(table.snapshotLine)
        }
    }

    /// Lets others have a seat that the session's address has lost by sitting out.
    private func takeTurns(at table: HostedTable, _ session: Session) throws(RequestRefusal) {
        if table.freeSeats == 0 { directory.noteRefusedSit(from: session.budget, at: now) }
        guard let address = session.budget, table.lostSeats.mustWait(address, inRound: table.engine.round),
            directory.othersWantSeats(than: address, at: now)
        else { return }
        throw .othersWait
    }

    /// The chips that the house gives a player who cannot make the table's smallest bet; 0 for one who can. Afterwards the player has as
    /// many as a new one, or the smallest bet of the tables open to all where that is more: else sitting down where bets are large would
    /// be worth more than playing.
    /// - Throws: a refusal for a player who gets none, or none yet.
    private func rebuy(for account: Account, at table: HostedTable, isHouse: Bool) throws(RequestRefusal) -> Int {
        let minimum = table.engine.rules.minimumBet
        guard account.shownChips < minimum else { return 0 }
        let chips = configuration.rebuyChips ?? configuration.startingChips
        guard chips > 0, chips >= minimum || isHouse || directory.smallestMinimum == minimum else {
            throw .insufficientChips(chips: account.shownChips, minimum: minimum)
        }
        let due = account.isOpen ? account.stakedAt + configuration.rebuyMilliseconds : now
        guard now >= due else { throw .rebuyLater(retryAfter: Int(due - now)) }
        return max(chips, minimum) - account.shownChips
    }

    func leave(_ session: Session) throws -> Answer {
        let account = try account(session)
        guard let table = account.table ?? session.watching else { throw RequestRefusal.notAtTable }
        if account.table != nil { try perform(.leave(player: account.id), at: table, now) }
        let revision = table.describedRevision()
        stopWatching(session)
        return Answer(.applied("leave", at: revision)) { [self] in publish(table) }
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
        guard let secret = table.pass, !session.isHouse else { return }
        // Else an owner who has forgotten the phrase could not change it.
        if let owner = table.owner, owner.id == session.account?.id { return }
        // A missing pass is not a guess, so it is not delayed.
        guard let pass else { throw .wrongPass }
        try mayShowSecret(session)
        let account = try account(session)
        let isKnown = table.admitted.contains(account.id)
        // Examined only while a wrong one could be paid for: else the answer would tell a right one from a wrong one.
        if !isKnown, case .refused(let wait) = table.guesses.take(of: AdmittedPlayers.guesses, at: now) {
            directory.metrics.addressRefusals[.secret].add()
            throw .rateLimited(retryAfter: Int(wait))
        }
        guard Secret.isSame(pass, secret) else {
            wrongSecret(.pass, of: table.name, session)
            throw .wrongPass
        }
        if !isKnown { table.guesses.give(1, of: AdmittedPlayers.guesses) }
        table.admitted.insert(account.id)
    }

    func find(_ name: String?, for account: Account) throws(RequestRefusal) -> HostedTable? {
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
