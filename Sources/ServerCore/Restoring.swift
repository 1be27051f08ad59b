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

extension SavedState {
    /// The folded names of all accounts. A server relies on what this checks: nobody but a forger's records break it.
    /// - Throws: `.contradiction`.
    func checkedNames() throws(RecoveryError) -> [PlayerID: FoldedName] {
        var names: [PlayerID: FoldedName] = [:]
        var owners: [FoldedName.Key: PlayerID] = [:]
        for account in accounts.values {
            let (id, name) = (account.id.rawValue, FoldedName(PlayerName(kept: account.name, of: account.id)))
            if let other = owners.updateValue(account.id, forKey: name.skeleton) {
                throw .contradiction(
                    "accounts \(min(id, other.rawValue)) and \(max(id, other.rawValue)) have names that look alike")
            }
            if let table = account.table, tables[table]?.table.playerViews.contains(where: { $0.id == account.id }) != true {
                throw .contradiction("account \(id) has chips at table \(table), but no seat")
            }
            guard account.answers.count <= WireLimits.retries else {
                throw .contradiction("account \(id) has more answers than are remembered")
            }
            guard id <= lastID, lastID < 1 << 53 else {
                throw .contradiction("account \(id) and the highest id, \(lastID), do not fit")
            }
            names[account.id] = name
        }
        return names
    }
}

/// Taking over the accounts, names, bans and owners' decisions of a recovered state.
extension Directory {
    /// - Parameter names: of all accounts, folded: most of the work of a start.
    func restore(_ saved: SavedState, _ names: [PlayerID: FoldedName]) {
        for (text, end) in saved.bans {
            guard let block = AddressBlock(text) else { continue }
            _ = banList.withLock { $0.ban(block, until: end, at: saved.time) }
        }
        decisions.withLock { $0 = saved.decisions }
        // In the order in which they expire.
        let accounts = saved.accounts.values.sorted { ($0.lastSeen, $0.id.rawValue) < ($1.lastSeen, $1.id.rawValue) }
            .compactMap { account in names[account.id].map { (saved: account, name: $0) } }
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
        if loop == 0 { scheduleExpiry() }
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
        if table.pass != nil { table.admitted.insert(account.id) }
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
        } else if let name = try? PlayerName("player-\(id.rawValue % 1_000_000_000_000)") {
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
            isBot: account.isBot, isDisabled: account.isDisabled, mayExpire: account.mayExpire,
            lastSeen: UnixSecond(milliseconds: account.lastSeen))
    }
}

extension Account {
    /// An account whose chips are partly at a table.
    convenience init(_ saved: SavedAccount, name: PlayerName, staked: Int64) {
        self.init(id: saved.id, name: name, digest: saved.secret, isBot: saved.isBot, firstChips: saved.chips)
        chips = saved.chips
        isOpen = true
        stakedAt = staked
        (issued, created, lastSeen) = (saved.issued, saved.created, saved.lastSeen)
        mayExpire = saved.mayExpire
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
