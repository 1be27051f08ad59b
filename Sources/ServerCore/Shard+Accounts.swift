import TableEngine
import TableModel
import Wire

/// Whose chips are where. The bank's balance is negative by what it has issued, so bank, accounts, tables and house add up to zero. Sums
/// without end wrap around: modulo 2^64 they add up to zero all the same.
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

    /// Forgets a player who is at no table; the chips go back to the bank.
    func close(_ account: Account) {
        precondition(account.table == nil, "a player at a table can't be forgotten")
        bank &+= account.chips
        accounts[account.id] = nil
        account.session?.account = nil
        account.session = nil
        environment.setTimer(.player(account.id), at: nil)
        directory.forget(account.name, of: account.id)
    }

    /// Gives a player to another loop, with all chips.
    func release(_ account: Account) {
        precondition(account.table == nil, "a player stays with his table")
        bank &+= account.chips
        accounts[account.id] = nil
        environment.setTimer(.player(account.id), at: nil)
    }

    /// Takes a player from another loop, with all chips.
    func adopt(_ account: Account) {
        bank &-= account.chips
        accounts[account.id] = account
    }

    /// Books what facts mean outside the table: who takes chips home.
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

    /// Keeps what a round came to for each of its players, under the revision that is about to show it.
    private func keepResults(of table: HostedTable, _ facts: [Fact]) {
        let engine = table.engine
        for seat in 1...engine.rules.seats {
            guard let owner = engine.owner(seat: seat), let account = accounts[owner] else { continue }
            // Whoever goes with the end of the round has taken the chips home.
            let taken = facts.lazy.compactMap { if case .left(owner, let chips) = $0 { chips } else { nil as Int? } }.first
            account.results.note(
                engine, seat: seat, chips: engine.bankroll(of: owner) ?? taken ?? 0, at: table.revision + 1, table.epoch)
        }
    }

    /// Tells those who watch a table what has changed.
    func publish(_ table: HostedTable) {
        defer {
            table.sendNotes()
            if table.engine.phase == .closed, !isDraining { letViewersGo(table) }
        }
        guard table.publish() else { return }
        if let onPublish { onPublish(table.name, table.revision, table.shown) }
    }
}
