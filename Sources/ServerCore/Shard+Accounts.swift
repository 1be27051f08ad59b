import Fairness
import Records
import TableEngine
import TableModel
import Wire

/// Names and accounts. An account is *resident* while its player is connected or their seat is kept: in ``Shard/accounts``. Otherwise it is
/// *dormant*: in ``Shard/dormant``. A name belongs to one of them at every instant.
///
/// The bank's balance is minus the chips that it has issued, so bank, accounts, tables and house sum to zero, modulo 2^64. Only these
/// functions change an account's existence, or its chips other than by a table's facts.
extension Shard {
    // MARK: Names

    /// The player with a name, or with one that looks like it.
    func player(like name: PlayerName) -> PlayerID? {
        let name = FoldedName(name)
        return names.place(like: name) ?? dormant.account(like: name)?.id
    }

    /// The player with a name, case-insensitively.
    func player(named name: PlayerName) -> PlayerID? {
        let name = FoldedName(name)
        return names[name] ?? dormant.account(named: name)?.id
    }

    /// The account with a name, or with one that looks like it, that this server does not have.
    /// - Throws: ``RemoteDependency/registry(_:)``, or a refusal if the registry has no answer.
    func absent(like name: PlayerName, _ session: Session) throws -> PlayerID? {
        guard registryClient != nil, player(like: name) == nil else { return nil }
        switch session.answered?.answer {
        case .free: return nil
        case .found(let id): return id
        case nil: throw RemoteDependency.registry(.lookUp(name))
        default: throw Rejection.elsewhere
        }
    }

    /// Registers a new resident's name.
    /// - Parameter given: the id of the registry; nil: the next one of this server.
    /// - Returns: nil if the name, or one that looks like it, is in use.
    /// - Throws: ``Rejection/serverFull`` if the limit on residents is reached.
    func register(_ name: PlayerName, as given: PlayerID? = nil) throws(Rejection) -> PlayerID? {
        let name = FoldedName(name)
        guard names.place(like: name) == nil, dormant.account(like: name) == nil else { return nil }
        guard accounts.count < configuration.maximumPlayers else { throw .serverFull }
        if let given { guard registryClient?.use(given, serial: 0) == true else { return nil } }
        if given == nil { lastID += 1 }
        let id = given ?? PlayerID(lastID)
        names.insert(id, name)
        return id
    }

    // MARK: Opening and closing

    /// Opens a player's account, with its first chips: before the first sit, a move to another server, or owning a table.
    /// - Throws: the refusal, without effect, if the address or the house allows no new account.
    func open(_ account: Account, _ session: Session) throws(Rejection) {
        guard let chips = account.firstChips else { preconditionFailure("an account is opened once") }
        // A guest's account is not stored.
        if !account.state.isGuest {
            // With a registry, the login was charged for the row.
            if registryClient == nil { try payClaim(session) }
            let count = max(openAccounts, registryClient?.accounts ?? 0)
            guard count < configuration.maximumAccounts || replaceAccount() else {
                noteAccountsFull()
                throw .accountsFull
            }
            openAccounts += 1
        }
        account.firstChips = nil
        let state = account.state
        apply(
            .account(state.id, name: state.name, isBot: state.isBot, secret: state.secret, chips: chips, time: now), to: account)
    }

    /// Closes a replaceable account to make room, so that a flood of new names does not fill the house permanently.
    /// - Returns: false if there is none.
    private func replaceAccount() -> Bool {
        // With a registry, rows are removed instead: dormant accounts here are about to be used.
        guard registryClient == nil, let account = dormant.firstReplaceable else { return false }
        environment.record(.closed(account.id, time: now))
        closeDormant(account, FoldedName(account.playerName))
        return true
    }

    private func noteAccountsFull() {
        guard failuresLogged.take(of: .perSecond(2, burst: 20), at: now) == .granted else { return }
        environment.log(.warning, "accounts_full", ["max_accounts": configuration.maximumAccounts])
    }

    /// Changes a resident's account, and records the change.
    func apply(_ record: Record, to account: Account) {
        bank &-= record.issuedChips
        account.state.follow(record)
        environment.record(record)
    }

    /// Closes an account: one that does not last, one that was never opened, or by the operator's order. The chips return to the bank.
    func close(_ account: Account) {
        precondition(account.table == nil, "an account at a table can't be closed")
        if account.isOpen { environment.record(.closed(account.id, time: now)) }
        vacate(account)
        guard account.isOpen else { return removeRow(of: account.state) }
        settle(account.state)
        if !account.state.isGuest { forgetPast(of: account.id, fromStandings: !account.isBrief) }
    }

    /// Returns the chips of a closed account to the bank, and removes its row.
    func settle(_ account: AccountState) {
        bank &+= account.chips
        if !account.isGuest { openAccounts -= 1 }
        removeRow(of: account)
    }

    private func forgetPast(of player: PlayerID, fromStandings: Bool = true) {
        owners.forget(player)
        if fromStandings { leaderboard.forget(player) }
        careers.forget(player)
        ownerChanged(player)
    }

    // MARK: Residence

    func attach(_ account: Account, to session: Session) {
        account.session = session
        (account.isExpired, account.isExpected, account.isBrief) = (false, false, false)
        account.address = session.address
        account.isLimited = session.budget != nil
        session.account = account
        ownerChanged(account.id, isHere: true)
    }

    /// Ends a player's residence: a lasting account becomes dormant, or returns to its row; others are closed.
    func retire(_ account: Account) {
        precondition(account.table == nil, "a player stays with their table")
        guard account.lasts else { return close(account) }
        guard registryClient == nil else { return depart(account) }
        usedBudgets.keep(account.budgets, of: account.id)
        vacate(account)
        dormant.insert(account.state, FoldedName(account.name))
    }

    /// Makes a dormant account a resident.
    /// - Throws: ``Rejection/serverFull``.
    /// - Returns: nil if the account is not dormant.
    func wake(_ id: PlayerID, _ name: PlayerName) throws(Rejection) -> Account? {
        guard accounts.count < configuration.maximumPlayers else { throw .serverFull }
        let name = FoldedName(name)
        guard let stored = dormant.remove(id, name) else { return nil }
        names.insert(id, name)
        let account = Account(stored, usedBudgets[id])
        accounts[id] = account
        return account
    }

    func vacate(_ account: Account) {
        accounts[account.id] = nil
        names.remove(account.id, FoldedName(account.name))
        away.remove(account.id)
        account.session?.account = nil
        account.session = nil
        ownerChanged(account.id, isHere: false)
        environment.setTimer(.player(account.id), at: nil)
    }

    // MARK: Absence

    /// Registers a player as away; evicts one of the same address if it has too many.
    func noteAway(_ account: Account) {
        away.insert(account.id, from: account.address, isSeated: account.table != nil)
        let (limit, total) = (configuration.maximumAwayPerAddress, configuration.maximumPlayers)
        guard account.isLimited, let first = away.surplus(from: account.address, limit: limit, total: total) else { return }
        away.remove(first)
        evictEarly(first)
    }

    /// At the limit on residents, evicts an absent player without a seat, whose account is kept if it lasts.
    func makeRoom() {
        guard accounts.count >= configuration.maximumPlayers, let first = away.first else { return }
        evictEarly(first)
    }

    private func evictEarly(_ id: PlayerID) {
        environment.log(.debug, "evicted", ["player": id.rawValue])
        evict(id, at: now)
    }

    private func closeDormant(_ account: AccountState, _ name: FoldedName) {
        dormant.remove(account.id, name)
        settle(account)
    }

    // MARK: Operator's changes

    /// Refuses a change that an account does not allow.
    /// - Parameter name: case-insensitive; look-alikes do not count.
    func check(_ change: AccountChange, of name: PlayerName) throws(AccountRefusal) -> PlayerID {
        try change.check(of: name, reserved: configuration.reservedNames)
        guard let account = summary(of: name)?.account else { throw .noSuchAccount(name.text) }
        _ = try account.changed(by: change, at: now)
        return account.id
    }

    /// Performs an operator's change of a resident or dormant account.
    /// - Parameter name: case-insensitive; look-alikes do not count.
    /// - Returns: the account after the change; as it was before, if it was deleted.
    func change(_ name: PlayerName, _ change: AccountChange, at now: Int64) throws(AccountRefusal) -> AccountSummary {
        self.now = now
        guard let id = player(named: name) else { throw .noSuchAccount(name.text) }
        try change.check(of: name, reserved: configuration.reservedNames)
        if case .rename(let new) = change, let other = player(like: new), other != id { throw .nameInUse(new.text) }
        guard let account = accounts[id] else { return try changeDormant(FoldedName(name), change) }
        guard account.isOpen else { throw .noSuchAccount(name.text) }
        let record = try account.state.changed(by: change, at: now).record
        if change == .delete { return delete(account) }
        if case .rename(let new) = change {
            names.remove(id, FoldedName(account.name))
            names.insert(id, FoldedName(new))
            account.name = new
        }
        apply(record, to: account)
        if case .rename(let new) = change { follow(new, of: id) }
        if change == .disable(true) { _ = kick(id, reason: "The account is disabled.", at: now) }
        if case .secret = change, let session = account.session {
            // The session was opened with the old secret, perhaps a stolen one.
            dismiss(session.connection, .kicked, "The host has changed this account's secret.")
        }
        return account.summary
    }

    private func changeDormant(_ name: FoldedName, _ change: AccountChange) throws(AccountRefusal) -> AccountSummary {
        guard let account = dormant.account(named: name) else { preconditionFailure("who is not resident is dormant") }
        let (changed, record) = try account.changed(by: change, at: now)
        if change == .delete { endEvenings(of: account.id) }
        environment.record(record)
        guard change != .delete else {
            closeDormant(account, name)
            forgetPast(of: account.id)
            return AccountSummary(dormant: changed)
        }
        dormant.remove(account.id, name)
        bank &-= record.issuedChips
        dormant.insert(changed, FoldedName(changed.playerName))
        if case .rename(let new) = change { follow(new, of: account.id) }
        return AccountSummary(dormant: changed)
    }

    private func follow(_ name: PlayerName, of id: PlayerID) {
        leaderboard.rename(id, to: name.text)
        careers.rename(id, to: name.text)
        owners.rename(id, to: name.text)
        ownerChanged(id)
        for table in hostedTables {
            guard var match = table.evening.match else { continue }
            match.rename(id, to: name.text)
            table.play(match)
            table.publish()
        }
    }

    private func delete(_ account: Account) -> AccountSummary {
        let (summary, session) = (account.summary, account.session)
        endEvenings(of: account.id)
        if let session { stopWatching(session) }
        close(account)
        if let session { dismiss(session.connection, .kicked, "The host has deleted this account.") }
        return summary
    }

    /// The account with a name, case-insensitively.
    func summary(of name: PlayerName) -> AccountSummary? {
        guard let id = player(named: name) else { return nil }
        if let account = accounts[id] { return account.isOpen ? account.summary : nil }
        return dormant.account(named: FoldedName(name)).map { AccountSummary(dormant: $0) }
    }
}
