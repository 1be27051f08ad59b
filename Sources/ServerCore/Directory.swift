import Fairness
import Operations
import Records
import Synchronization
import TableEngine
import TableModel
import Wire

/// State shared by the loops of a server: names, admission of connections, the lobby. All other state belongs to one loop, so
/// games never wait for this lock.
package final class Directory: Sendable {
    struct State {
        /// Residents by the key of their name.
        var players: [FoldedName.Key: Resident] = [:]
        /// Residents' name keys by the name's skeleton, which look-alikes share.
        var keys: [FoldedName.Key: FoldedName.Key] = [:]
        /// Residents that are about to leave, and make room for others.
        var leaving = 0
        /// Accounts with a secret, resident and dormant.
        var openAccounts = 0
        /// Names that settings of tables call owners: such accounts never expire.
        var owners: Set<FoldedName.Key> = []
        /// Invitation codes that have opened an account.
        var redeemed: Set<Digest> = []
        var away = AwayPlayers()
        var lastID: UInt64 = 0
        var admission: AddressTable
        var lobby: Lobby
        /// Free seats by table; 0 for a table with a pass.
        var freeSeats: [Int]
        /// Claimed seats by table.
        var claims: [Int: Int] = [:]
        var refusedSits = RefusedSits()
        /// Open tables by name.
        var indices: [String: Int]
        /// Number of table slots, vacant ones included.
        var tableCount: Int
        /// Vacant slots, ascending; never the last slot.
        var vacant: [Int] = []
        var configuration: ShardConfiguration
    }

    /// Number of loops: the table at index `i` is on loop `i % loops`.
    package let loops: Int
    /// The server's metrics.
    package let metrics: ServerMetrics
    let state: Mutex<State>
    /// A lock of its own, so that sums over all accounts delay no login. Taken inside ``state``, never around it.
    let store = Mutex(AccountStore())
    /// A lock of its own, so that a flood of unauthenticated requests delays no player.
    let budgets: Mutex<AddressBudgets>
    /// A lock of its own: a search through a million uncached bans takes microseconds.
    let banList: Mutex<BanList>
    /// By the table's name.
    let decisions = Mutex<[String: OwnerDecisions]>([:])
    private let tableObserver = Mutex<(@Sendable (_ name: String) -> Void)?>(nil)

    /// - Parameter bans: the configuration's bans.
    package init(
        configuration: ShardConfiguration, bans: AddressBlockSet = AddressBlockSet(), loops: Int = 1,
        metrics: ServerMetrics = ServerMetrics()
    ) {
        precondition(loops > 0, "tables are on loops")
        let configuration = configuration.bounded
        self.loops = loops
        self.metrics = metrics
        let admission = AddressTable(
            capacity: configuration.maximumConnections, capacityPerAddress: configuration.maximumConnectionsPerAddress)
        budgets = Mutex(AddressBudgets(configuration.addresses))
        var banList = BanList(capacity: configuration.maximumBans)
        _ = banList.configure(bans)
        self.banList = Mutex(banList)
        state = Mutex(
            State(
                admission: admission, lobby: Lobby(configuration.tables),
                freeSeats: configuration.tables.map { $0.pass == nil ? $0.rules.seats : 0 },
                indices: Dictionary(uniqueKeysWithValues: configuration.tables.enumerated().map { ($1.name, $0) }),
                tableCount: configuration.tables.count, configuration: configuration))
        for setting in configuration.tables { noteOwner(setting) }
        metrics.loops.set(loops)
        metrics.accountsLimit.set(configuration.maximumAccounts)
    }

    /// The configuration in force.
    package var configuration: ShardConfiguration { state.withLock { $0.configuration } }

    /// Applies new limits. Keeps the list of tables, the host's secret and the house.
    func reconfigure(_ configuration: ShardConfiguration) {
        budgets.withLock { $0.limits = configuration.bounded.addresses }
        banList.withLock { $0.capacity = configuration.maximumBans }
        metrics.accountsLimit.set(configuration.bounded.maximumAccounts)
        state.withLock { state in
            var configuration = configuration.bounded
            state.admission.capacity = configuration.maximumConnections
            state.admission.capacityPerAddress = configuration.maximumConnectionsPerAddress
            configuration.tables = state.configuration.tables
            configuration.hostSecret = state.configuration.hostSecret
            configuration.house = state.configuration.house
            state.configuration = configuration
        }
    }

    // MARK: Tables

    /// The loop of a table.
    func loop(ofTable index: Int) -> Int { index % loops }

    func index(ofTable name: String) -> Int? { state.withLock { $0.indices[name] } }

    /// The index of the only table; nil if there are several.
    var onlyTable: Int? { state.withLock { $0.indices.count == 1 ? $0.indices.first?.value : nil } }

    /// Reserves a slot for a new table, unlisted; nil if the name is in use or the limit on tables is reached.
    func reserveTable(_ name: String) -> Int? {
        state.withLock { state in
            guard state.indices[name] == nil, state.indices.count < state.configuration.maximumTables else { return nil }
            if !state.vacant.isEmpty { return state.vacant.removeFirst() }
            defer { state.tableCount += 1 }
            state.lobby.reserve()
            state.freeSeats.append(0)
            return state.tableCount
        }
    }

    /// Frees the slot of an unlisted, unreferenced table.
    func vacateTable(_ index: Int) {
        state.withLock { state in
            state.freeSeats[index] = 0
            state.vacant.insert(index, at: state.vacant.firstIndex { $0 > index } ?? state.vacant.count)
            while let last = state.vacant.last, last == state.tableCount - 1 {
                state.vacant.removeLast()
                state.tableCount -= 1
                state.freeSeats.removeLast()
                state.lobby.removeLast()
            }
        }
    }

    /// Number of table slots; trailing vacant slots are dropped.
    var tableSlots: Int { state.withLock { $0.tableCount } }

    /// Lists a table in a reserved slot.
    func list(_ index: Int, _ summary: TableSummary) {
        state.withLock { state in
            state.indices[summary.name] = index
            _ = state.lobby.update(index, summary)
        }
    }

    /// Removes a table from the lobby. False if it was not listed.
    func unlist(_ index: Int, _ name: String) -> Bool {
        let isUnlisted = state.withLock { state in
            guard state.indices[name] == index else { return false }
            state.indices[name] = nil
            return state.lobby.remove(index)
        }
        if isUnlisted { tableObserver.withLock { $0 }?(name) }
        return isUnlisted
    }

    /// Registers an observer, called on a loop with the name of each closed table; the name is free at that time.
    func observeClosedTables(_ observer: @escaping @Sendable (_ name: String) -> Void) {
        tableObserver.withLock { $0 = observer }
    }

    /// The smallest bet at the tables that take new players without a pass phrase; nil without such a table.
    var smallestMinimum: Int? {
        state.withLock { $0.lobby.tables.lazy.filter { !$0.isLocked && !$0.isClosing }.map(\.rules.minimumBet).min() }
    }

    // MARK: Connections

    /// Admits and counts a connection.
    /// - Returns: the key of its budget; nil for a trusted address and for a peer without one.
    /// - Throws: the reason to refuse it.
    func admitConnection(from address: IPAddress?, at now: Int64) throws(AddressTable.Refusal) -> IPAddress? {
        // Bans apply to trusted addresses, too.
        if let address, isBanned(address, at: now) { throw .banned }
        let (key, verdict) = budgets.withLock { budgets in
            let key = address.flatMap { budgets.key(of: $0) }
            return (key, budgets.take(.connect, key, at: now))
        }
        if case .refused(let wait) = verdict { throw .tooFast(retryAfter: wait) }
        let result = state.withLock { state in
            Result { () throws(AddressTable.Refusal) in try state.admission.admit(key) }
        }
        try result.get()
        metrics.accepted.add()
        metrics.connections.add(1)
        return key
    }

    /// - Parameter key: the result of ``admitConnection(from:at:)``.
    func releaseConnection(_ key: IPAddress?) {
        state.withLock { $0.admission.release(key) }
        metrics.connections.add(-1)
    }

    // MARK: Players who are away

    /// Registers an absent player.
    /// - Parameter isLimited: whether the limit per address applies.
    /// - Returns: a player to evict on their loop, if the address has too many.
    func wentAway(
        _ member: AwayPlayers.Member, from address: IPAddress?, isSeated: Bool, isLimited: Bool
    ) -> AwayPlayers.Member? {
        state.withLock { state in
            state.away.insert(member, from: address, isSeated: isSeated)
            guard isLimited,
                let first = state.away.surplus(
                    from: address, limit: state.configuration.maximumAwayPerAddress, total: state.configuration.maximumPlayers)
            else { return nil }
            state.away.remove(first.id)
            return first
        }
    }

    /// An absent player has given up the seat.
    func leftSeat(_ id: PlayerID) { state.withLock { $0.away.leaveSeat(id) } }

    /// A player has returned. False if they are about to become dormant.
    func cameBack(_ id: PlayerID, _ name: PlayerName) -> Bool {
        let name = FoldedName(name)
        return state.withLock { state in
            guard let resident = state.players[name.key], resident.id == id, !resident.isLeaving else { return false }
            state.away.remove(id)
            return true
        }
    }

    /// If the limit on residents is reached, lets an absent player without a seat make room.
    /// - Returns: that player, whose residence has to be ended on its loop.
    func makeRoom() -> AwayPlayers.Member? {
        state.withLock { state in
            guard state.residents >= state.configuration.maximumPlayers, let first = state.away.first else { return nil }
            state.away.remove(first.id)
            state.players[first.name.key]?.isLeaving = true
            state.leaving += 1
            return first
        }
    }

    /// Number of absent players.
    var awayPlayers: Int { state.withLock { $0.away.count } }

    // MARK: Seats

    /// Records the free seats of a table without a pass.
    func note(freeSeats: Int, ofTable index: Int) {
        state.withLock { if $0.freeSeats.indices.contains(index) { $0.freeSeats[index] = freeSeats } }
    }

    /// Claims a free seat of a table without a pass, preferably on a loop. Claimed seats count as taken, so players spread over
    /// the free seats.
    func claimSeat(preferring loop: Int) -> SeatClaim? {
        let index = state.withLock { state -> Int? in
            var found: Int?
            for index in state.freeSeats.indices where state.freeSeats[index] > state.claims[index] ?? 0 {
                let isHere = self.loop(ofTable: index) == loop
                if found == nil || isHere { found = index }
                if isHere { break }
            }
            if let found { state.claims[found, default: 0] += 1 }
            return found
        }
        return index.map { SeatClaim(table: $0, of: self) }
    }

    func releaseSeat(ofTable index: Int) {
        state.withLock { state in
            let left = (state.claims[index] ?? 1) - 1
            state.claims[index] = left == 0 ? nil : left
        }
    }

    /// Notes that an address got no seat for want of a free one; nil for a trusted one.
    func noteRefusedSit(from address: IPAddress?, at now: Int64) { state.withLock { $0.refusedSits.note(address, at: now) } }

    /// Whether other addresses lately got no seat.
    func othersWantSeats(than address: IPAddress, at now: Int64) -> Bool {
        state.withLock { $0.refusedSits.hasOther(than: address, at: now) }
    }

    // MARK: Lobby

    /// Updates lobby entries. True if any has changed.
    func update(_ summaries: [(index: Int, summary: TableSummary)]) -> Bool {
        state.withLock { state in
            var isChanged = false
            // Viewers leaving a closed table must not list it again.
            for (index, summary) in summaries where state.indices[summary.name] == index {
                if state.lobby.update(index, summary) { isChanged = true }
            }
            return isChanged
        }
    }

    var lobby: Lobby { state.withLock { $0.lobby } }
}
