import Operations
import Synchronization
import TableEngine
import TableModel
import Wire

/// What the loops of one server share: who is known by which name and where, how many are connected, and the list of tables. Everything
/// else belongs to one loop, so nothing of a game ever waits for this lock.
public final class Directory: Sendable {
    /// Where a player is at home: the loop that has the account, and the table if he has a seat.
    struct Residence {
        var id: PlayerID
        var loop: Int
    }

    private struct State {
        /// By their names' keys.
        var players: [FoldedName.Key: Residence] = [:]
        /// The keys of the players' names, by how they look.
        var keys: [FoldedName.Key: FoldedName.Key] = [:]
        var away = AwayPlayers()
        var lastID: UInt64 = 0
        var admission: AddressTable
        var lobby: Lobby
        /// Free seats by table; none for a table that is not open to all.
        var freeSeats: [Int]
        /// How many of a table's free seats somebody is on the way to.
        var claims: [Int: Int] = [:]
        /// Open tables by name.
        var indices: [String: Int]
        /// Places for tables, vacant ones included.
        var tableCount: Int
        /// Places whose tables are gone, ascending; the last place is never one of them.
        var vacant: [Int] = []
        var configuration: ShardConfiguration

        func residence(of name: FoldedName) -> Residence? {
            players[name.key] ?? keys[name.look].flatMap { players[$0] }
        }

        /// Frees a name, unless it is somebody else's by now.
        mutating func forget(_ name: FoldedName, of id: PlayerID) {
            away.remove(id)
            guard players[name.key]?.id == id else { return }
            players[name.key] = nil
            keys[name.look] = nil
        }
    }

    /// How many loops share the tables: the table at index `i` is on loop `i % loops`.
    public let loops: Int
    /// What is measured.
    public let metrics: ServerMetrics
    private let state: Mutex<State>
    /// Apart from ``state``, so that a flood of strangers waits for nobody but other strangers.
    let budgets: Mutex<AddressBudgets>
    /// Apart from the state: a look through a million bans that are in no cache takes some microseconds.
    let banList: Mutex<BanList>
    private let tableObserver = Mutex<(@Sendable (_ name: String) -> Void)?>(nil)

    /// - Parameter bans: what the configuration bans.
    public init(
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
        metrics.loops.set(loops)
    }

    /// What holds now.
    public var configuration: ShardConfiguration { state.withLock { $0.configuration } }

    /// Has other bounds hold from now on. The list of tables stays: they are opened and closed one by one.
    func reconfigure(_ configuration: ShardConfiguration) {
        budgets.withLock { $0.limits = configuration.bounded.addresses }
        banList.withLock { $0.capacity = configuration.maximumBans }
        state.withLock { state in
            var configuration = configuration.bounded
            state.admission.capacity = configuration.maximumConnections
            state.admission.capacityPerAddress = configuration.maximumConnectionsPerAddress
            configuration.tables = state.configuration.tables
            configuration.hostToken = state.configuration.hostToken
            state.configuration = configuration
        }
    }

    // MARK: Tables

    /// The loop that a table is on.
    func loop(ofTable index: Int) -> Int { index % loops }

    func index(ofTable name: String) -> Int? { state.withLock { $0.indices[name] } }

    /// The only table there is, if there is only one.
    var onlyTable: Int? { state.withLock { $0.indices.count == 1 ? $0.indices.first?.value : nil } }

    /// A place for a new table; nil when its name is taken or there are as many tables as there may be. Nobody finds it until it is listed.
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

    /// Gives the place of a table back that is not listed any more and that nothing refers to.
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

    /// Places for tables that are kept: as many as there are tables, once the last ones are among them.
    var tableSlots: Int { state.withLock { $0.tableCount } }

    /// Has a table found by its name, and listed.
    func list(_ index: Int, _ summary: TableSummary) {
        state.withLock { state in
            state.indices[summary.name] = index
            _ = state.lobby.update(index, summary)
        }
    }

    /// A table is gone. True if there was one.
    func unlist(_ index: Int, _ name: String) -> Bool {
        let isUnlisted = state.withLock { state in
            guard state.indices[name] == index else { return false }
            state.indices[name] = nil
            return state.lobby.remove(index)
        }
        if isUnlisted { tableObserver.withLock { $0 }?(name) }
        return isUnlisted
    }

    /// Calls back, on a loop, with the name of each table that has closed for good: the name is free then.
    func observeClosedTables(_ observer: @escaping @Sendable (_ name: String) -> Void) {
        tableObserver.withLock { $0 = observer }
    }

    // MARK: Connections

    /// Counts a connection in, or says why it can't be let in.
    /// - Returns: what its budget is kept under; nil for a trusted one, and for one without an address.
    func enter(_ address: IPAddress?, at now: Int64) throws(AddressTable.Refusal) -> IPAddress? {
        // A ban holds for trusted addresses, too.
        if let address, isBanned(address, at: now) { throw .banned }
        let (key, verdict) = budgets.withLock { budgets in
            let key = address.flatMap { budgets.key(of: $0) }
            return (key, budgets.take(.connect, key, at: now))
        }
        switch verdict {
        case .granted: break
        case .refused(let wait): throw .tooFast(retryAfter: wait)
        case .banned(let wait): throw .keptOut(retryAfter: wait)
        }
        let result = state.withLock { state in
            Result { () throws(AddressTable.Refusal) in try state.admission.admit(key) }
        }
        try result.get()
        metrics.accepted.add()
        metrics.connections.add(1)
        return key
    }

    /// - Parameter key: what ``enter(_:at:)`` has returned.
    func exit(_ key: IPAddress?) {
        state.withLock { $0.admission.release(key) }
        metrics.connections.add(-1)
    }

    // MARK: Names

    /// Who has a name, or one that looks like it: for whoever reads it the two are one.
    func residence(of name: PlayerName) -> Residence? {
        let name = FoldedName(name)
        return state.withLock { $0.residence(of: name) }
    }

    /// Gives a name to a new player on a loop; nil when it is taken, or one that looks like it.
    /// - Throws: when the house knows as many players as it may.
    func register(_ name: PlayerName, on loop: Int) throws(RequestRefusal) -> PlayerID? {
        let name = FoldedName(name)
        let result = state.withLock { state -> Result<PlayerID?, RequestRefusal> in
            guard state.residence(of: name) == nil else { return .success(nil) }
            guard state.players.count < state.configuration.maximumPlayers else { return .failure(.serverFull) }
            state.lastID += 1
            let id = PlayerID(state.lastID)
            state.players[name.key] = Residence(id: id, loop: loop)
            state.keys[name.look] = name.key
            return .success(id)
        }
        return try result.get()
    }

    /// - Parameter name: a player's own, as ``register(_:on:)`` got it.
    func move(_ name: PlayerName, of id: PlayerID, to loop: Int) {
        let name = FoldedName(name)
        state.withLock { if $0.players[name.key]?.id == id { $0.players[name.key]?.loop = loop } }
    }

    /// - Parameter name: a player's own, as ``register(_:on:)`` got it.
    func forget(_ name: PlayerName, of id: PlayerID) {
        let name = FoldedName(name)
        state.withLock { $0.forget(name, of: id) }
    }

    /// Names and looks that are kept: none when nobody is known.
    var knownNames: Int { state.withLock { $0.players.count + $0.keys.count } }

    // MARK: Players who are away

    /// A player is away, with or without a seat.
    /// - Parameter isLimited: whether the address may have only so many of them.
    /// - Returns: who has to make room for that, on their loop.
    func wentAway(
        _ member: AwayPlayers.Member, from address: IPAddress?, isSeated: Bool, isLimited: Bool
    ) -> AwayPlayers.Member? {
        state.withLock { state in
            state.away.insert(member, from: address, isSeated: isSeated)
            guard isLimited, state.away.count(from: address) > state.configuration.maximumAwayPerAddress else { return nil }
            let first = state.away.first(from: address)
            if let first { state.away.remove(first.id) }
            return first
        }
    }

    /// A player who is away has given up the seat.
    func leftSeat(_ id: PlayerID) { state.withLock { $0.away.leaveSeat(id) } }

    /// A player is there again. False if somebody else was given the place meanwhile: the account is about to be closed.
    func cameBack(_ id: PlayerID, _ name: PlayerName) -> Bool {
        let name = FoldedName(name)
        return state.withLock { state in
            state.away.remove(id)
            return state.players[name.key]?.id == id
        }
    }

    /// Where no new player fits in, frees the name of one who is away and has no seat.
    /// - Returns: who that is: the account has yet to be closed, on its loop.
    func makeRoom() -> AwayPlayers.Member? {
        state.withLock { state in
            guard state.players.count >= state.configuration.maximumPlayers, let first = state.away.first else { return nil }
            state.forget(first.name, of: first.id)
            return first
        }
    }

    /// Players who are away and still known.
    var awayPlayers: Int { state.withLock { $0.away.count } }

    // MARK: Seats

    /// Notes how many seats of a table that is open to all are free.
    func note(freeSeats: Int, ofTable index: Int) {
        state.withLock { if $0.freeSeats.indices.contains(index) { $0.freeSeats[index] = freeSeats } }
    }

    /// A seat at the first table open to all that has a free one, of a loop if there is one there. It counts as taken as long as the claim
    /// lasts, so that not everybody is sent to the same one.
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

    func giveBackSeat(ofTable index: Int) {
        state.withLock { state in
            let left = (state.claims[index] ?? 1) - 1
            state.claims[index] = left == 0 ? nil : left
        }
    }

    // MARK: Lobby

    /// Notes what tables show now. True if the list is another one than before.
    func update(_ summaries: [(index: Int, summary: TableSummary)]) -> Bool {
        state.withLock { state in
            var isChanged = false
            // A table that is gone is not listed again by the last who leave it.
            for (index, summary) in summaries where state.indices[summary.name] == index {
                if state.lobby.update(index, summary) { isChanged = true }
            }
            return isChanged
        }
    }

    var lobby: Lobby { state.withLock { $0.lobby } }
}
