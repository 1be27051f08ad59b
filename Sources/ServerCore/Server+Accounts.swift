import Operations
import Records
import TableEngine
import Wire

/// An operator's view and changes of accounts. They wait for the loops, so none may be called on a loop.
extension Server {
    /// The id of the house.
    public var house: String { directory.configuration.house ?? "" }

    /// Accounts by name: at most `limit`, and the number of the others. Players who never sat down have none.
    ///
    /// Each loop lists its residents; the dormant accounts, most of all, are read without any loop.
    public func accounts(limit: Int) -> (entries: [AccountSummary], others: Int) {
        var found: [UInt64: AccountSummary] = [:]
        for account in directory.dormantAccountList { found[account.id.rawValue] = AccountSummary(account) }
        for driver in drivers {
            let residents = driver.performAndWait { $0.shard.accounts.values.filter(\.isOpen).map { AccountSummary($0) } }
            for account in residents { found[account.id] = account }
        }
        let sorted = found.values.sorted { ($0.name, $0.id) < ($1.name, $1.id) }
        return (Array(sorted.prefix(limit)), max(0, sorted.count - limit))
    }

    /// The account with a name, in any case; a name that only looks like it is another.
    public func account(named text: String) -> AccountSummary? {
        guard let name = try? PlayerName(text) else { return nil }
        return try? atAccount(named: text) { loop, id in
            guard let loop else { return directory.dormantAccount(of: name).map { AccountSummary($0) } }
            return drivers[loop].performAndWait { driver in
                driver.shard.openAccount(id, of: name).map { AccountSummary($0) }
            }
        }
    }

    /// Carries out an operator's change, wherever the account is. Durable after ``waitUntilDurable()``.
    /// - Throws: also if the server stops.
    /// - Returns: the account after the change; as it was before, if it was deleted.
    public func change(accountNamed text: String, _ change: AccountChange) throws(AccountRefusal) -> AccountSummary {
        guard let name = try? PlayerName(text) else { throw .noSuchAccount(text) }
        guard state != .stopping else { throw .stopping }
        try change.check(of: name, reserved: directory.configuration.reservedNames)
        let changed = try carryOut(change, on: name, text)
        switch change {
        case .rename, .delete:
            if change == .delete { directory.forgetDecisions(of: PlayerID(changed.id)) }
            let (id, name) = (PlayerID(changed.id), change == .delete ? nil : changed.name)
            for driver in drivers { driver.performAndWait { $0.shard.ownerChanged(id, name: name) } }
        case .credit, .disable, .secret: break
        }
        return changed
    }

    private func carryOut(_ change: AccountChange, on name: PlayerName, _ text: String) throws(AccountRefusal) -> AccountSummary {
        try atAccount(named: text) { loop, id throws(AccountRefusal) in
            guard let loop else {
                var sequence: UInt64 = 0
                // Recorded under the lock: nobody acts on the change before its record is in the journal.
                let account = try directory.change(name, change, at: now) { sequence = journal?.append($0.encoded()) ?? 0 }
                // A closed journal takes no record.
                guard sequence <= journal?.appended ?? 0 else { throw .stopping }
                return account
            }
            let result = drivers[loop].performAndWait { driver in
                Result { () throws(AccountRefusal) in
                    try driver.shard.change(id, of: name, change, at: driver.loop.now)
                }
            }
            return try result.get()
        }
    }

    /// Calls `body` with the loop of an account, nil for a dormant one, until it finds the account there: it may be moving.
    private func atAccount<Value>(
        named text: String, _ body: (_ loop: Int?, PlayerID) throws(AccountRefusal) -> Value?
    ) throws(AccountRefusal) -> Value {
        guard let name = try? PlayerName(text) else { throw .noSuchAccount(text) }
        for _ in 0..<8 {
            guard let location = directory.location(of: name) else { throw .noSuchAccount(text) }
            if let value = try body(location.loop, location.id) { return value }
            // A look-alike is there, and stays there.
            guard directory.hasName(name) else { throw .noSuchAccount(text) }
        }
        throw .moving(text)
    }
}

extension Shard {
    /// A resident's account that has a record; nil if it is not here.
    func openAccount(_ id: PlayerID, of name: PlayerName) -> Account? {
        guard let account = accounts[id], account.isOpen, account.name.key == name.key else { return nil }
        return account
    }

    /// Carries out an operator's change.
    /// - Returns: the account after the change; as it was before, if it was deleted. Nil if this loop does not have it.
    func change(
        _ id: PlayerID, of name: PlayerName, _ change: AccountChange, at now: Int64
    ) throws(AccountRefusal) -> AccountSummary? {
        self.now = now
        guard let account = accounts[id], account.name.key == name.key else { return nil }
        guard account.isOpen else { throw .noSuchAccount(name.text) }
        guard !account.isGuest else { throw .guest(name.text) }
        if let table = account.table, change.needsNoSeat { throw .seated(name.text, table: table.name) }
        let before = AccountSummary(account)
        switch change {
        case .credit(let chips): guard credit(chips, to: account) else { throw .chips(name.text, has: account.chips) }
        case .rename(let new): guard rename(account, to: new) else { throw .nameInUse(new.text) }
        case .disable(let isDisabled):
            disable(account, isDisabled)
            if isDisabled { _ = kick(id, reason: "The account is disabled.", at: now) }
        case .secret(let secret):
            setSecret(of: account, to: secret)
            // It was opened by the old secret, perhaps by a thief.
            if let session = account.session { dismiss(session.connection, .kicked, "The host has changed the secret.") }
        case .delete:
            delete(account)
            return before
        }
        environment.handOver()
        return AccountSummary(account)
    }
}
