import Fairness
import Operations
import Records
import TableEngine
import Wire

/// The state that a start goes on with.
package struct Restart: Sendable {
    package let state: SavedState
    /// Milliseconds since the last record, by which deadlines were moved.
    package let outage: Int64

    package init(state: SavedState, outage: Int64) {
        self.state = state
        self.outage = outage
    }
}

/// Taking over the accounts, names, bans and owners' decisions of a recovered state.
extension Directory {
    func restore(_ saved: SavedState) {
        for (text, end) in saved.bans {
            guard let block = AddressBlock(text) else { continue }
            _ = banList.withLock { $0.ban(block, until: end, at: saved.time) }
        }
        decisions.withLock { $0 = saved.decisions }
        // Names are folded outside the lock: most of the work.
        let accounts = saved.accounts.values.map { (saved: $0, name: FoldedName(PlayerName(kept: $0.name, of: $0.id))) }
        state.withLock { state in
            state.lastID = max(state.lastID, saved.lastID)
            state.redeemed = Set(saved.invitations.keys)
            for (account, name) in accounts {
                if account.secret != nil { state.openAccounts += 1 }
                if let table = account.table.flatMap({ state.indices[$0] }) {
                    state.admit(account.id, name, on: loop(ofTable: table))
                } else if let dormant = DormantAccount(account) {
                    store.withLock { $0.insert(dormant, name, answers: account.answers.map(RecentAnswers.Entry.init)) }
                }
            }
        }
    }
}

/// Taking over the tables of a recovered state, and their players.
extension Shard {
    /// Milliseconds after a start for which players count as connected: clients need some time to come back.
    static let restartGrace: Int64 = 30_000

    /// Called once the tables exist.
    func restorePlayers(_ restart: Restart) {
        // The totals of tables that are gone belong to one loop.
        if loop == 0 {
            formerTables = (restart.state.former.houseNet, restart.state.former.rounds)
            bank &-= formerTables.houseNet
        }
        // Each loop has all: a player asks on any.
        formerProofs = restart.state.formerProofs
        for table in hostedTables where restart.state.tables[table.name] != nil {
            bank &-= table.engine.chipsOnTable &+ table.engine.houseNet
            for player in table.engine.playerViews {
                guard let saved = restart.state.accounts[player.id] else { preconditionFailure("a seat has an account") }
                restore(saved, at: table)
            }
            // A table of a version without ceremonies.
            let hasCeremonies = configuration.tables.first { $0.name == table.name }?.hasCeremonies ?? true
            if hasCeremonies, !table.engine.hasCeremonies {
                try? perform(.beginCeremonies(table: table.name), at: table, now)
            }
            for player in table.engine.playerViews {
                if let account = accounts[player.id] { awaitReturn(of: account, at: table) }
            }
            publish(table)
        }
    }

    private func restore(_ saved: SavedAccount, at table: HostedTable) {
        let account = Account(saved, name: PlayerName(kept: saved.name, of: saved.id), staked: saved.lastRebuy ?? saved.created)
        account.table = table
        adopt(account)
    }

    private func awaitReturn(of account: Account, at table: HostedTable) {
        guard !account.isGuest else { return giveUpSeat(of: account) }
        account.isExpected = true
        account.heldUntil = now + Self.restartGrace
        environment.setTimer(.player(account.id), at: account.heldUntil)
    }
}

extension PlayerName {
    /// A recorded name. One that is no longer valid becomes `player-ID`.
    init(kept text: String, of id: PlayerID) {
        if let name = try? PlayerName(text) {
            self = name
        } else if let name = try? PlayerName("player-\(id.rawValue)") {
            self = name
        } else {
            preconditionFailure("letters, a dash and at most 12 digits are a name")
        }
    }
}

extension DormantAccount {
    /// nil for a guest's account.
    init?(_ account: SavedAccount) {
        guard let digest = account.secret else { return nil }
        self.init(
            id: account.id, name: account.name, chips: account.chips, digest: digest,
            stakedAt: account.lastRebuy ?? account.created, issued: account.issued, created: account.created,
            isBot: account.isBot, isDisabled: account.isDisabled)
    }
}

extension Account {
    /// An account whose chips are partly at a table.
    convenience init(_ saved: SavedAccount, name: PlayerName, staked: Int64) {
        self.init(id: saved.id, name: name, digest: saved.secret, isBot: saved.isBot, firstChips: saved.chips)
        chips = saved.chips
        isOpen = true
        stakedAt = staked
        (issued, created) = (saved.issued, saved.created)
        isDisabled = saved.isDisabled
        answers = RecentAnswers(saved.answers.map(RecentAnswers.Entry.init))
    }
}

extension RecentAnswers.Entry {
    init(_ saved: SavedAnswer) {
        id = saved.id
        request = saved.request
        line = []
        switch saved.answer {
        case .done: answer = .done
        case .applied(let revision): answer = .applied(revision)
        case .line(let bytes): (answer, line) = (.line, bytes)
        }
    }
}
