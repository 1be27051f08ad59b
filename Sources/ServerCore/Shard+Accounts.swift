import Fairness
import Operations
import Records
import TableEngine
import TableModel
import Wire

/// Accounting. The bank's balance is minus the chips it has issued, so bank, accounts, tables and house sum to zero, modulo 2^64. Only these
/// functions change an account's existence, or its chips other than by a table's facts.
extension Shard {
    // MARK: Accounts

    /// Opens a player's account, with its first chips. Called once, before the first sit.
    /// - Throws: the refusal, if the address, the house or its invitations allow no new account; nothing has changed then.
    func open(_ account: Account, _ session: Session) throws(RequestRefusal) {
        precondition(!account.isOpen, "an account is opened once")
        let isInvited = configuration.invites == nil || configuration.reservedNames.contains(account.name)
        var invite: Digest?
        if !isInvited {
            guard let code = account.invite else { throw .inviteNeeded }
            invite = InviteCodes.digest(of: code)
        }
        // A guest leaves nothing that lasts.
        if !account.isGuest { try payClaim(session) }
        do throws(RequestRefusal) {
            try directory.open(isGuest: account.isGuest, redeeming: invite, at: now, record: recordExpiry)
        } catch {
            if error == .serverFull { noteAccountsFull() }
            throw error
        }
        account.isOpen = true
        (account.created, account.lastSeen) = (now, now)
        account.mayExpire = !account.isGuest && invite == nil
        add(account.firstChips, to: account)
        environment.record(
            .account(
                account.id, name: account.name.text, isBot: account.isBot, secret: account.digest, chips: account.firstChips,
                time: now))
        if let invite { environment.record(.invited(code: invite, account.id)) }
        if account.mayExpire { environment.record(.mayExpire(account.id)) }
        // Answers to requests before the first sit.
        if !account.isGuest {
            for entry in account.answers.all where entry.request.isRemembered { environment.record(entry, of: account.id) }
        }
    }

    /// Closes the account of a guest, or of a player who never sat down; the chips return to the bank.
    func close(_ account: Account) {
        precondition(account.table == nil, "an account at a table can't be closed")
        precondition(!account.isOpen || account.isGuest, "an account with a secret becomes dormant")
        bank &+= account.chips
        if account.isOpen { environment.record(.closed(account.id, time: now)) }
        vacate(account)
        directory.forget(account.name, of: account.id)
    }

    /// Gives a broke player new chips, by the house rule.
    func issueRebuy(_ chips: Int, to account: Account) {
        add(chips, to: account)
        environment.record(.issued(account.id, chips: chips, reason: .rebuy, time: now))
    }

    /// Gives an account chips of the bank.
    private func add(_ chips: Int, to account: Account) {
        precondition(account.table == nil, "a table holds the chips")
        bank &-= chips
        account.chips &+= chips
        account.issued &+= chips
        account.stakedAt = now
    }

    /// Credits an account by the operator's order.
    /// - Parameter chips: negative to take chips back, at most those that the account has.
    /// - Returns: false for an account at a table, and for one that would have fewer than 0 chips or more than the wire carries.
    func credit(_ chips: Int, to account: Account) -> Bool {
        guard account.isOpen, account.table == nil, let sum = AccountChange.sum(of: account.chips, credited: chips) else {
            return false
        }
        bank &-= chips
        account.issued &+= chips
        account.chips = sum
        account.mayExpire = false
        environment.record(.issued(account.id, chips: chips, reason: .credit, time: now))
        return true
    }

    /// Changes an account's name.
    /// - Returns: false for an account at a table, whose name is shown there, and for a name in use.
    func rename(_ account: Account, to name: PlayerName) -> Bool {
        guard account.isOpen, account.table == nil, directory.rename(account.id, from: account.name, to: name) else {
            return false
        }
        (account.name, account.mayExpire) = (name, false)
        environment.record(.renamed(account.id, name: name.text))
        return true
    }

    /// Refuses logins to an account, or admits them again.
    func disable(_ account: Account, _ isDisabled: Bool) {
        (account.isDisabled, account.mayExpire) = (isDisabled, false)
        environment.record(.disabled(account.id, isDisabled))
    }

    /// Replaces an account's secret.
    func setSecret(of account: Account, to secret: AccountSecret) {
        (account.digest, account.mayExpire) = (secret.digest, false)
        environment.record(.secret(account.id, secret.digest))
    }

    /// Deletes an account by the operator's order: the chips return to the bank, and a connection ends.
    /// - Precondition: the account is open, has a secret and is at no table.
    func delete(_ account: Account) {
        precondition(account.isOpen && !account.isGuest && account.table == nil, "a table holds the chips")
        let connection = account.session?.connection
        if let session = account.session { stopWatching(session) }
        bank &+= account.chips
        environment.record(.closed(account.id, time: now))
        vacate(account)
        // Another loop may give the name to a new player at once, and records after this.
        environment.handOver()
        directory.erase(account.name, of: account.id)
        if let connection { dismiss(connection, .kicked, "The host has deleted the account.") }
    }

    // MARK: Residence

    func attach(_ account: Account, to session: Session) {
        account.session = session
        account.isExpired = false
        account.isExpected = false
        account.address = session.address
        account.isLimited = session.budget != nil
        session.account = account
    }

    /// Ends a player's residence: an open account with a secret becomes dormant, another one is closed.
    func retire(_ account: Account) {
        precondition(account.table == nil, "a player stays with their table")
        guard let dormant = account.dormant else { return close(account) }
        bank &+= account.chips
        vacate(account)
        // Another loop may wake it at once, and records after this.
        environment.handOver()
        directory.store(dormant, account.name, answers: account.answers.all)
        if dormant.mayExpire { scheduleExpiry() }
    }

    // MARK: Expiry

    /// Records that an account's player is here, once an hour: an account that never played goes a week later.
    func noteSeen(_ account: Account) {
        guard account.isOpen, !account.isGuest, now - account.lastSeen >= 3_600_000 else { return }
        account.lastSeen = now
        environment.record(.seen(account.id, time: now))
    }

    /// Accounts that end at once, so that a tick stays short.
    private static let expiriesPerTick = 256

    func scheduleExpiry() {
        guard let next = directory.nextExpiry else { return }
        environment.setTimer(.expiry, at: max(next, now + 1000))
    }

    /// Ends accounts that have never played and whose players have not been here for a week.
    func expireAccounts() {
        directory.expireAccounts(limit: Self.expiriesPerTick, at: now, record: recordExpiry)
        scheduleExpiry()
    }

    /// Handed over before the name is free: another loop may give it to a new player, and records after this.
    private func recordExpiry(_ record: Record) {
        environment.record(record)
        environment.handOver()
    }

    private func noteAccountsFull() {
        guard failuresLogged.take(of: .perSecond(2, burst: 20), at: now) == .granted else { return }
        environment.log(.warning, "accounts_full", [LogField("max_accounts", configuration.maximumAccounts)])
    }

    /// Makes a dormant account a resident of this loop, with its chips.
    /// - Throws: ``RequestRefusal/serverFull``.
    /// - Returns: nil if the account is not dormant any longer.
    func wake(_ account: DormantAccount, _ name: PlayerName) throws(RequestRefusal) -> Account? {
        guard let (stored, answers) = try directory.wake(account.id, name, on: loop) else { return nil }
        let account = Account(stored, name: name, answers: answers)
        adopt(account)
        return account
    }

    private func vacate(_ account: Account) {
        accounts[account.id] = nil
        account.session?.account = nil
        account.session = nil
        environment.setTimer(.player(account.id), at: nil)
    }

    /// Transfers an account, with its chips, to another loop.
    func release(_ account: Account) {
        precondition(account.table == nil, "a player stays with their table")
        bank &+= account.chips
        accounts[account.id] = nil
        environment.setTimer(.player(account.id), at: nil)
    }

    /// Takes over an account, with its chips, from another loop or from the store.
    func adopt(_ account: Account) {
        bank &-= account.chips
        accounts[account.id] = account
    }

    // MARK: Facts

    /// Applies a table's facts to accounts, lobby and results.
    func book(_ facts: [Fact], at table: HostedTable) {
        if table.hasVerboseViewers { table.notes += Note.sentences(facts, table, accounts) }
        count(facts)
        for fact in facts {
            if case .sat = fact { listingChanged(table) }
            if case .closed = fact { tableClosed(table) }
            if case .satOut(let id, _) = fact { table.lostSeats.sitsOut(id) }
            if case .satIn(let id) = fact { table.lostSeats.sitsIn(id) }
            if case .roundEnded = fact { keepResults(of: table, facts) }
            guard case .left(let id, let chips) = fact, let account = accounts[id] else { continue }
            account.chips += chips
            account.table = nil
            let address = account.isLimited ? account.address?.counted : nil
            table.lostSeats.left(id, from: account.session?.budget ?? address, inRound: table.engine.round)
            listingChanged(table)
            environment.log(
                .info, "left", [LogField("table", table.name), LogField("name", account.name), LogField("chips", chips)])
            if account.isExpired { retire(account) } else if account.session == nil { directory.leftSeat(account.id) }
        }
    }

    /// Records each player's result of a round, under the revision that is about to show it.
    private func keepResults(of table: HostedTable, _ facts: [Fact]) {
        let engine = table.engine
        for seat in 1...engine.rules.seats {
            guard let owner = engine.owner(seat: seat), let account = accounts[owner] else { continue }
            let chips = engine.bankroll(of: owner) ?? facts.chipsTaken(by: owner) ?? 0
            account.mayExpire = false
            account.results.note(engine, seat: seat, chips: chips, at: table.revision + 1, table.epoch)
        }
    }

    /// Sends a table's change to its viewers.
    func publish(_ table: HostedTable) {
        defer {
            table.sendNotes()
            if table.engine.phase == .closed, !isDraining { releaseViewers(table) }
        }
        guard table.publish() else { return }
        if let onPublish { onPublish(table.name, table.revision, table.shown) }
    }
}

extension [Fact] {
    /// The chips of a player who left at the end of the round: they are in the account already.
    fileprivate func chipsTaken(by player: PlayerID) -> Int? {
        for case .left(player, let chips) in self { return chips }
        return nil
    }
}
