import TableEngine
import TableModel
import Wire

/// Accounting. The bank's balance is minus the chips it has issued, so bank, accounts, tables and house sum to zero. Sums wrap
/// around, which keeps them zero modulo 2^64.
extension Shard {
    func open(_ id: PlayerID, _ name: PlayerName, token: String, isBot: Bool, session: Session) -> Account {
        let account = Account(id: id, name: name, token: token, isBot: isBot, chips: configuration.startingChips)
        bank &-= account.chips
        accounts[id] = account
        attach(account, to: session)
        return account
    }

    func attach(_ account: Account, to session: Session) {
        account.session = session
        account.isExpired = false
        account.address = session.address
        account.isLimited = session.budget != nil
        session.account = account
    }

    /// Closes the account of a player without a table; the chips return to the bank.
    func close(_ account: Account) {
        precondition(account.table == nil, "a player at a table can't be forgotten")
        bank &+= account.chips
        accounts[account.id] = nil
        account.session?.account = nil
        account.session = nil
        environment.setTimer(.player(account.id), at: nil)
        directory.forget(account.name, of: account.id)
    }

    /// Transfers an account, with its chips, to another loop.
    func release(_ account: Account) {
        precondition(account.table == nil, "a player stays with his table")
        bank &+= account.chips
        accounts[account.id] = nil
        environment.setTimer(.player(account.id), at: nil)
    }

    /// Takes over an account, with its chips, from another loop.
    func adopt(_ account: Account) {
        bank &-= account.chips
        accounts[account.id] = account
    }

    /// Applies a table's facts to accounts, lobby and results.
    func book(_ facts: [Fact], at table: HostedTable) {
        if table.hasVerboseViewers { table.notes += Note.sentences(facts, table, accounts) }
        count(facts)
        for fact in facts {
            if case .sat = fact { listingChanged(table) }
            if case .closed = fact { tableClosed(table) }
            if case .roundEnded = fact { keepResults(of: table, facts) }
            guard case .left(let id, let chips) = fact, let account = accounts[id] else { continue }
            account.chips += chips
            account.table = nil
            listingChanged(table)
            environment.log(
                .info, "left", [LogField("table", table.name), LogField("name", account.name), LogField("chips", chips)])
            if account.isExpired { close(account) } else if account.session == nil { directory.leftSeat(account.id) }
        }
    }

    /// Records each player's result of a round, under the revision that is about to show it.
    private func keepResults(of table: HostedTable, _ facts: [Fact]) {
        let engine = table.engine
        for seat in 1...engine.rules.seats {
            guard let owner = engine.owner(seat: seat), let account = accounts[owner] else { continue }
            let chips = engine.bankroll(of: owner) ?? facts.chipsTaken(by: owner) ?? 0
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
