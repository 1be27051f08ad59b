import Fairness
import Records
import Rules
import Sockets
import Synchronization
import TableEngine
import TableModel
import Wire

/// State that the loop shares with other threads: names, admission of connections, the lobby. Games never wait for this lock.
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
        /// No account expires before: a start whose clock is wrong must not cost accounts, as it costs no history.
        var firstExpiry: Int64 = 0
        var away = AwayPlayers()
        var lastID: UInt64 = 0
        var admission: AddressTable
        var lobby: Lobby
        var refusedSits = RefusedSits()
        /// Journeys of guests to other servers.
        var guestJourneys = TokenBucket()
    }

    package let configuration: ShardConfiguration
    /// The server's metrics.
    package let metrics: Metrics
    /// Where accounts are that this server does not have; nil for a house of one server.
    let registrar: Registrar?
    let state: Mutex<State>
    /// A lock of its own, so that sums over all accounts delay no login. Taken inside ``state``, never around it.
    let store = Mutex(AccountStore())
    /// A lock of its own, so that a flood of unauthenticated requests delays no player.
    let budgets: Mutex<AddressBudgets>
    /// A lock of its own: a search through a million uncached bans takes microseconds.
    let banList: Mutex<BanList>
    let owners = Mutex(TableOwners())
    let evening = Mutex(Evening())
    let usedBudgets = Mutex(UsedBudgets())
    /// The proofs of tables that starts have closed, in that order.
    let formerProofs = Mutex<[FormerProofs]>([])
    /// For players whose table this start has closed, until they log in.
    let startNotices = Mutex<[PlayerID: String]>([:])

    /// - Parameter bans: the configuration's bans.
    package convenience init(
        configuration: ShardConfiguration, bans: Set<AddressBlock> = [], metrics: Metrics = Metrics()
    ) {
        self.init(configuration: configuration, bans: bans, metrics: metrics, registrar: nil)
    }

    init(configuration: ShardConfiguration, bans: Set<AddressBlock>, metrics: Metrics, registrar: Registrar?) {
        let configuration = configuration.bounded
        self.configuration = configuration
        self.metrics = metrics
        self.registrar = registrar
        let admission = AddressTable(
            capacity: configuration.maximumConnections, capacityPerAddress: configuration.maximumConnectionsPerAddress)
        budgets = Mutex(AddressBudgets(configuration.addresses))
        banList = Mutex(BanList(configured: bans))
        let lobby = Lobby(configuration.tables, partition: registrar?.registry.partition ?? 0)
        state = Mutex(State(admission: admission, lobby: lobby))
        metrics.accountsLimit.set(configuration.maximumAccounts)
    }

    // MARK: Tables

    func index(ofTable name: String) -> Int? { state.withLock { $0.lobby.indices[name] } }

    /// The index of the only table; nil if there are several.
    var onlyTable: Int? { state.withLock { state in state.lobby.onlyName.flatMap { state.lobby.indices[$0] } } }

    /// The smallest bet at the tables that take new players without a pass phrase; nil without such a table.
    var smallestMinimum: Int? { state.withLock { $0.lobby.smallestMinimum } }

    /// The table of a name, or the only one, in the whole house.
    func table(named name: String?) throws(RequestRefusal) -> TableSummary {
        try state.withLock { state throws(RequestRefusal) in
            guard let name = name ?? state.lobby.onlyName else { throw .noTableNamed }
            guard let table = state.lobby[name] else { throw .noSuchTable }
            return table
        }
    }

    // MARK: Connections

    /// Admits and counts a connection.
    /// - Returns: the key of its budget; nil for a trusted address and for a peer without one.
    /// - Throws: the reason to refuse it.
    func admitConnection(from address: IPAddress?, isNew: Bool = true, at now: Int64) throws(AddressTable.Refusal) -> IPAddress? {
        // Bans apply to trusted addresses, too.
        if let address, isBanned(address, at: now) { throw .banned }
        let (key, verdict) = budgets.withLock { budgets in
            let key = address.flatMap { budgets.key(of: $0) }
            return (key, isNew ? budgets.take(.connect, key, at: now) : .granted)
        }
        if case .refused(let wait) = verdict { throw .tooFast(retryAfter: wait) }
        try state.withLock { state throws(AddressTable.Refusal) in try state.admission.admit(key) }
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
    /// - Returns: a player to evict, if the address has too many.
    func wentAway(
        _ member: AwayPlayers.Member, from address: IPAddress?, isSeated: Bool, isLimited: Bool
    ) -> AwayPlayers.Member? {
        state.withLock { state in
            state.away.insert(member, from: address, isSeated: isSeated)
            guard isLimited,
                let first = state.away.surplus(
                    from: address, limit: configuration.maximumAwayPerAddress, total: configuration.maximumPlayers)
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
    /// - Returns: that player, whose residence has to be ended.
    func makeRoom() -> AwayPlayers.Member? {
        state.withLock { state in
            guard state.residents >= configuration.maximumPlayers, let first = state.away.first else { return nil }
            state.away.remove(first.id)
            state.players[first.name.key]?.isLeaving = true
            state.leaving += 1
            return first
        }
    }

    /// Number of absent players.
    var awayPlayers: Int { state.withLock { $0.away.count } }

    // MARK: Seats

    /// Notes that a network got no seat for want of a free one; nil for a trusted one.
    func noteRefusedSit(from network: IPAddress?, at now: Int64) { state.withLock { $0.refusedSits.note(network, at: now) } }

    /// Whether other networks lately got no seat.
    func othersWantSeats(than network: IPAddress, at now: Int64) -> Bool {
        state.withLock { $0.refusedSits.hasOther(than: network, at: now) }
    }

    // MARK: Lobby

    func update(_ summaries: [(index: Int, summary: TableSummary)]) {
        state.withLock { state in for (index, summary) in summaries { _ = state.lobby.update(index, summary) } }
    }

    func note(edge: Int, of rules: HouseRules) { state.withLock { $0.lobby.note(edge: edge, of: rules) } }

    var lobby: Lobby { state.withLock { $0.lobby } }

    /// Lists the tables of the house's other servers.
    func list(elsewhere house: HouseNotice) {
        let tables = house.partitions.sorted { $0.key < $1.key }.flatMap(\.value.tables)
        state.withLock { $0.lobby.list(elsewhere: tables) }
    }

    // MARK: Names

    // Names, residents and dormant accounts. A name belongs to one of them at every instant: both locks are held for a change between them.

    /// A player's identity, and where the account is.
    struct PlayerLocation {
        let id: PlayerID
        /// Whether a player is here; false for a dormant account.
        let isResident: Bool
        /// Whether this is the player's name, in any case, and not one that only looks like it.
        let isExact: Bool
    }

    struct Resident {
        let id: PlayerID
        /// Whether the residence is about to end, for another player's.
        var isLeaving = false
    }

    /// The player with a name, or with one that looks like it.
    func location(of name: PlayerName) -> PlayerLocation? {
        let name = FoldedName(name)
        return state.withLock { state in
            if let resident = state.resident(named: name) {
                return PlayerLocation(id: resident.id, isResident: true, isExact: state.players[name.key] != nil)
            }
            return store.withLock { store in
                store.account(like: name).map {
                    PlayerLocation(id: $0.id, isResident: false, isExact: store.account(named: name) != nil)
                }
            }
        }
    }

    /// The dormant account with a name, in any case.
    func dormantAccount(named name: PlayerName) -> AccountState? {
        let name = FoldedName(name)
        return store.withLock { $0.account(named: name) }
    }

    /// The dormant account with a name, or with one that looks like it.
    func dormantAccount(like name: PlayerName) -> AccountState? {
        let name = FoldedName(name)
        return store.withLock { $0.account(like: name) }
    }

    /// Registers a new player's name. Returns nil if the name, or one that looks like it, is in use.
    /// - Parameter given: the id of the registry; nil: the next one of this server.
    /// - Throws: ``RequestRefusal/serverFull`` if the limit on residents is reached.
    func register(_ name: PlayerName, as given: PlayerID? = nil) throws(RequestRefusal) -> PlayerID? {
        let name = FoldedName(name)
        return try state.withLock { state throws(RequestRefusal) in
            guard state.resident(named: name) == nil, store.withLock({ $0.account(like: name) }) == nil else { return nil }
            guard state.residents < configuration.maximumPlayers else { throw .serverFull }
            if let given { guard registrar?.use(given, serial: 0) == true else { return nil } }
            if given == nil { state.lastID += 1 }
            let id = given ?? PlayerID(state.lastID)
            state.admit(id, name)
            return id
        }
    }

    /// Frees the name of a player whose account is closed.
    /// - Parameters:
    ///   - name: as passed to ``register(_:as:)``.
    ///   - isLasting: whether the account was counted.
    func forget(_ name: PlayerName, of id: PlayerID, isLasting: Bool = false) {
        leave(id, name, isLasting: isLasting)
        if isLasting { forgetPast(of: id) }
    }

    /// Frees the name of a player whose account is no longer here.
    func leave(_ id: PlayerID, _ name: PlayerName, isLasting: Bool) {
        let name = FoldedName(name)
        state.withLock { state in
            state.dismiss(id, name)
            if isLasting { state.openAccounts -= 1 }
        }
    }

    /// Number of name keys and skeletons of residents.
    var knownNames: Int { state.withLock { $0.players.count + $0.keys.count } }

    // MARK: Accounts

    /// Counts a new account that lasts. At the limit on accounts the one that may expire makes room whose player left first.
    /// - Parameter record: called with the record of an account that makes room, before its name is free.
    /// - Throws: ``RequestRefusal/accountsFull`` at the limit on accounts.
    func open(at now: Int64, record: (Record) -> Void) throws(RequestRefusal) {
        try state.withLock { state throws(RequestRefusal) in
            let accounts = max(state.openAccounts, registrar?.accounts ?? 0)
            guard accounts < configuration.maximumAccounts || expireFirst(&state, at: now, record) else {
                throw .accountsFull
            }
            state.openAccounts += 1
        }
    }

    /// Whether a house of several servers has as many accounts as it may. Of one server the directory counts: see `openAccounts`.
    var isFull: Bool { configuration.maximumAccounts <= registrar?.accounts ?? 0 }

    /// Ends accounts that have never played and whose players have not been here for ``AccountState/expiry``.
    /// - Parameter limit: accounts at most.
    func expireAccounts(limit: Int, at now: Int64, record: (Record) -> Void) {
        for _ in 0..<limit {
            let isDone = state.withLock { state in
                now < state.firstExpiry || !expireFirst(&state, seenBefore: now - AccountState.expiry, at: now, record)
            }
            if isDone { return }
        }
    }

    /// When the next account expires; nil if none may.
    var nextExpiry: Int64? {
        let first = state.withLock { $0.firstExpiry }
        return store.withLock { $0.firstExpiring }.map { max(first, $0.lastSeen + AccountState.expiry) }
    }

    /// Ends the account that may expire whose player left first.
    /// - Returns: false if there is none.
    private func expireFirst(
        _ state: inout State, seenBefore end: Int64 = .max, at now: Int64, _ record: (Record) -> Void
    ) -> Bool {
        let expired = store.withLock { store -> AccountState? in
            guard let account = store.firstExpiring, account.lastSeen <= end else { return nil }
            record(.closed(account.id, time: now))
            removeRow(of: account, at: now)
            return store.remove(account.id, FoldedName(account.playerName))?.account
        }
        guard expired != nil else { return false }
        state.openAccounts -= 1
        metrics.expiredAccounts.add()
        return true
    }

    /// A resident's account becomes dormant.
    func store(_ account: AccountState, _ name: PlayerName, _ activity: RecentActivity) {
        let name = FoldedName(name)
        state.withLock { state in
            state.dismiss(account.id, name)
            store.withLock { $0.insert(account, name, activity) }
        }
    }

    /// A dormant account becomes a resident's.
    /// - Parameter name: of the account, not of a look-alike.
    /// - Returns: nil if it is not dormant any longer.
    /// - Throws: ``RequestRefusal/serverFull`` if the limit on residents is reached.
    func wake(_ id: PlayerID, _ name: PlayerName) throws(RequestRefusal) -> (account: AccountState, activity: RecentActivity)? {
        let name = FoldedName(name)
        return try state.withLock { state throws(RequestRefusal) in
            guard state.residents < configuration.maximumPlayers else { throw .serverFull }
            guard let stored = store.withLock({ $0.remove(id, name) }) else { return nil }
            state.admit(id, name)
            return stored
        }
    }

    /// Changes a resident's name. False if the new one, or one that looks like it, is another player's.
    func rename(_ id: PlayerID, from old: PlayerName, to new: PlayerName) -> Bool {
        let (old, new) = (FoldedName(old), FoldedName(new))
        return state.withLock { state in
            guard let resident = state.players[old.key], resident.id == id, !resident.isLeaving else { return false }
            if let other = state.resident(named: new), other.id != id { return false }
            guard store.withLock({ $0.account(like: new) }) == nil else { return false }
            state.dismiss(id, old)
            state.admit(id, new)
            return true
        }
    }

    /// The chips of dormant accounts.
    var ledger: Ledger { store.withLock { $0.ledger } }

    /// Number of accounts with a secret, resident and dormant.
    var openAccounts: Int { state.withLock { $0.openAccounts } }

    /// Number of dormant accounts.
    package var dormantAccounts: Int { store.withLock { $0.count } }

    // MARK: Bans

    // Bans of addresses. See ``BanList``.

    /// Bans a block for the operator. False if the operator's bans have reached the limit.
    /// - Parameter end: end of the ban, in milliseconds; nil for never.
    func ban(_ block: AddressBlock, until end: Int64?, at now: Int64) -> Bool {
        banList.withLock { $0.ban(block, until: end, at: now) }
    }

    /// Lifts the operator's ban of exactly this block.
    func unban(_ block: AddressBlock, at now: Int64) -> Unbanning {
        banList.withLock { bans in
            Unbanning(isLifted: bans.unban(block, at: now) != nil, left: bans.entry(for: block, at: now))
        }
    }

    /// The active bans.
    func bans(at now: Int64) -> [BanList.Entry] { banList.withLock { $0 }.list(at: now) }

    /// Whether the configuration or the operator bans an address, which also closes its open connections.
    func isBanned(_ address: IPAddress, at now: Int64) -> Bool { banList.withLock { $0.bans(address, at: now) } }

    // MARK: Operating

    // An operator's view and changes of dormant accounts.
    //
    // An account is either resident, confined to the loop, or dormant, in the directory's store. The loop changes a resident one without a
    // lock; a dormant one is changed here under two: `state` (names in use, residents), then `store`, always in that order. Holding both keeps the account from waking between the check of the name and
    // the change. The record is handed over inside the locks, before a login can see the change and write records that presume it.

    /// Accounts read under one lock: some 50 µs.
    private static let accountsPerLock = 1024

    /// The dormant accounts. One that wakes or falls asleep meanwhile may be missing, or be there although it is resident.
    var dormantAccountList: [AccountState] {
        var list: [AccountState] = []
        var next = 0
        while true {
            let (part, count) = store.withLock { ($0.accounts(inSlots: next..<next + Self.accountsPerLock), $0.slotCount) }
            list += part
            next += Self.accountsPerLock
            if next >= count { return list }
        }
    }

    /// Changes a dormant account.
    /// - Parameters:
    ///   - name: in any case; a name that only looks like it is another.
    ///   - record: called with the record of the change before anybody sees it.
    /// - Returns: the account after the change; nil if it is not dormant.
    func change(
        _ name: PlayerName, _ change: AccountChange, at time: Int64, record: (Record) -> Void
    ) throws(AccountRefusal) -> AccountSummary? {
        let name = FoldedName(name)
        let newName: FoldedName? = if case .rename(let new) = change { FoldedName(new) } else { nil }
        return try state.withLock { state throws(AccountRefusal) in
            try store.withLock { store throws(AccountRefusal) in
                guard let account = store.account(named: name) else { return nil }
                let (changed, made) = try account.changed(by: change, at: time)
                if let newName, state.resident(named: newName) != nil { throw .nameInUse(changed.name) }
                if let newName, let other = store.account(like: newName), other.id != account.id {
                    throw .nameInUse(changed.name)
                }
                record(made)
                let activity = store.remove(account.id, name)?.activity
                if change == .delete {
                    removeRow(of: account, at: time)
                    state.openAccounts -= 1
                } else {
                    store.insert(changed, newName ?? name, activity ?? RecentActivity())
                }
                return AccountSummary(dormant: changed)
            }
        }
    }

    // MARK: The past

    /// An account is deleted.
    func forgetPast(of player: PlayerID) {
        owners.withLock { $0.forget(player) }
        evening.withLock { $0.forget(player) }
    }
}

extension Directory.State {
    /// Players who take up room: those about to leave do not.
    var residents: Int { players.count - leaving }

    func resident(named name: FoldedName) -> Directory.Resident? {
        players[name.key] ?? keys[name.skeleton].flatMap { players[$0] }
    }

    mutating func admit(_ id: PlayerID, _ name: FoldedName) {
        players[name.key] = Directory.Resident(id: id)
        keys[name.skeleton] = name.key
    }

    /// Ends a residence and frees the name, unless another player has it.
    fileprivate mutating func dismiss(_ id: PlayerID, _ name: FoldedName) {
        away.remove(id)
        guard let resident = players[name.key], resident.id == id else { return }
        if resident.isLeaving { leaving -= 1 }
        players[name.key] = nil
        keys[name.skeleton] = nil
    }
}

/// The result of lifting the bans of a block.
public struct Unbanning: Sendable, Equatable {
    /// Whether the operator had banned it.
    public let isLifted: Bool
    /// The ban that still covers the whole block: its own or that of an enclosing block.
    public let left: BanList.Entry?
}

/// Lookup keys of a player name. Folded and hashed outside the directory's lock: hashing 20 letters with marks takes 5 µs.
struct FoldedName: Sendable {
    struct Key: Hashable, Sendable {
        let text: String
        let digest: Int

        init(_ text: String) {
            self.text = text
            digest = text.hashValue
        }

        static func == (a: Self, b: Self) -> Bool { a.digest == b.digest && a.text == b.text }
        func hash(into hasher: inout Hasher) { hasher.combine(digest) }
    }

    let key: Key
    let skeleton: Key

    init(_ name: PlayerName) {
        key = Key(name.key)
        skeleton = Key(name.skeleton)
    }
}
