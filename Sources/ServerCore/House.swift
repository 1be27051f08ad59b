import Operations
import Synchronization
import TableEngine
import TableModel
import Wire

/// What the loops of one server share: who is known by which name and where, how many are connected, and the list of tables. Everything
/// else belongs to one loop, so nothing of a game ever waits for this lock.
public final class House: Sendable {
    /// Where a player is at home: the loop that has the account, and the table if he has a seat.
    struct Residence {
        var id: PlayerID
        var loop: Int
    }

    private struct State {
        /// By their names' keys.
        var players: [String: Residence] = [:]
        /// The keys of the players' names, by how they look.
        var keys: [String: String] = [:]
        var lastID: UInt32 = 0
        var admission: AddressTable
        var lobby: Lobby
        /// Free seats by table, less those that somebody is on the way to; none for a table that is not open to all.
        var freeSeats: [Int]
        /// Open tables by name.
        var indices: [String: Int]
        /// Places for tables, vacant ones included.
        var tableCount: Int
        /// Places whose tables are gone, ascending; the last place is never one of them.
        var vacant: [Int] = []
        var configuration: CasinoConfiguration

        func residence(of name: PlayerName) -> Residence? {
            players[name.key] ?? keys[name.skeleton].flatMap { players[$0] }
        }
    }

    /// How many loops share the tables: the table at index `i` is on loop `i % loops`.
    public let loops: Int
    /// What is measured.
    public let metrics: ServerMetrics
    private let state: Mutex<State>

    public init(configuration: CasinoConfiguration, loops: Int = 1, metrics: ServerMetrics = ServerMetrics()) {
        precondition(loops > 0, "tables are on loops")
        self.loops = loops
        self.metrics = metrics
        var admission = AddressTable(
            capacity: configuration.maximumConnections, capacityPerAddress: configuration.maximumConnectionsPerAddress)
        for block in configuration.bans { admission.bans.ban(block, until: nil, at: 0) }
        state = Mutex(
            State(
                admission: admission, lobby: Lobby(configuration.tables),
                freeSeats: configuration.tables.map { $0.pass == nil ? $0.rules.seats : 0 },
                indices: Dictionary(uniqueKeysWithValues: configuration.tables.enumerated().map { ($1.name, $0) }),
                tableCount: configuration.tables.count, configuration: configuration))
        metrics.loops.set(loops)
    }

    /// What holds now.
    public var configuration: CasinoConfiguration { state.withLock { $0.configuration } }

    /// Has other bounds hold from now on. The list of tables stays: they are opened and closed one by one.
    func reconfigure(_ configuration: CasinoConfiguration) {
        state.withLock { state in
            var configuration = configuration
            for block in state.configuration.bans where !configuration.bans.contains(block) { state.admission.bans.unban(block) }
            for block in configuration.bans where !state.configuration.bans.contains(block) {
                state.admission.bans.ban(block, until: nil, at: 0)
            }
            state.admission.capacity = configuration.maximumConnections
            state.admission.capacityPerAddress = configuration.maximumConnectionsPerAddress
            configuration.tables = state.configuration.tables
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
    var places: Int { state.withLock { $0.tableCount } }

    /// Has a table found by its name, and listed.
    func list(_ index: Int, _ summary: TableSummary) {
        state.withLock { state in
            state.indices[summary.name] = index
            _ = state.lobby.update(index, summary)
        }
    }

    /// A table is gone. True if there was one.
    func unlist(_ index: Int, _ name: String) -> Bool {
        state.withLock { state in
            guard state.indices[name] == index else { return false }
            state.indices[name] = nil
            return state.lobby.remove(index)
        }
    }

    // MARK: Connections

    /// Counts a connection in, or says why it can't be let in.
    func enter(_ address: IPAddress?, at now: Int64) throws(AddressTable.Refusal) {
        let result = state.withLock { state in
            Result { () throws(AddressTable.Refusal) in
                // A ban holds for this machine's own addresses too.
                if let address, let ban = state.admission.bans.entry(for: address, at: now) { throw .banned(until: ban.until) }
                try state.admission.admit(Self.counted(address), at: now)
            }
        }
        try result.get()
        metrics.accepted.add()
        metrics.connections.add(1)
    }

    func exit(_ address: IPAddress?) {
        state.withLock { $0.admission.release(Self.counted(address)) }
        metrics.connections.add(-1)
    }

    /// The address, unless it is this machine's own.
    private static func counted(_ address: IPAddress?) -> IPAddress? { address.flatMap { $0.isLoopback ? nil : $0 } }

    /// Bans a block. False when the list is full.
    func ban(_ block: AddressBlock, until end: Int64?, at now: Int64) -> Bool {
        state.withLock { $0.admission.bans.ban(block, until: end, at: now) }
    }

    /// Lifts a ban. False when there is none of this very block.
    func unban(_ block: AddressBlock) -> Bool { state.withLock { $0.admission.bans.unban(block) } }

    func bans(at now: Int64) -> [BanList.Entry] { state.withLock { $0.admission.bans.entries(at: now) } }

    /// Whether an address is kept out.
    func isBanned(_ address: IPAddress, at now: Int64) -> Bool { state.withLock { $0.admission.bans.bans(address, at: now) } }

    // MARK: Names

    /// Who has a name, or one that looks like it: for whoever reads it the two are one.
    func residence(of name: PlayerName) -> Residence? { state.withLock { $0.residence(of: name) } }

    /// Gives a name to a new player on a loop; nil when it is taken, or one that looks like it.
    /// - Throws: when the house knows as many players as it may.
    func register(_ name: PlayerName, on loop: Int) throws(CasinoRefusal) -> PlayerID? {
        let result = state.withLock { state -> Result<PlayerID?, CasinoRefusal> in
            guard state.residence(of: name) == nil else { return .success(nil) }
            guard state.players.count < state.configuration.maximumPlayers else { return .failure(.serverFull) }
            state.lastID += 1
            let id = PlayerID(state.lastID)
            state.players[name.key] = Residence(id: id, loop: loop)
            state.keys[name.skeleton] = name.key
            return .success(id)
        }
        return try result.get()
    }

    /// - Parameter name: a player's own, as ``register(_:on:)`` got it.
    func move(_ name: PlayerName, to loop: Int) { state.withLock { $0.players[name.key]?.loop = loop } }

    /// - Parameter name: a player's own, as ``register(_:on:)`` got it.
    func forget(_ name: PlayerName) {
        state.withLock {
            $0.players[name.key] = nil
            $0.keys[name.skeleton] = nil
        }
    }

    /// Names and looks that are kept: none when nobody is known.
    var knownNames: Int { state.withLock { $0.players.count + $0.keys.count } }

    // MARK: Seats

    /// Notes how many seats of a table that is open to all are free.
    func note(freeSeats: Int, ofTable index: Int) {
        state.withLock { if $0.freeSeats.indices.contains(index) { $0.freeSeats[index] = freeSeats } }
    }

    /// The first table open to all that has a free seat, one of a loop if there is one; the seat counts as taken until the table says
    /// otherwise, so that not everybody is sent to the same one.
    func claimSeat(preferring loop: Int) -> Int? {
        state.withLock { state in
            let free = state.freeSeats.indices.filter { state.freeSeats[$0] > 0 }
            guard let index = free.first(where: { self.loop(ofTable: $0) == loop }) ?? free.first else { return nil }
            state.freeSeats[index] -= 1
            return index
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

/// The list of tables at a revision.
struct Lobby: Sendable {
    private(set) var revision = 0
    /// By the tables' indices; nil for one that is gone, or not there yet.
    private var summaries: [TableSummary?]

    init(_ settings: [CasinoConfiguration.TableSetting]) {
        summaries = settings.map { setting in
            TableSummary(
                name: setting.name, seats: setting.rules.seats, freeSeats: setting.rules.seats, players: [], watchers: 0,
                rules: setting.rules, isLocked: setting.pass != nil)
        }
    }

    /// Makes room for one more table.
    mutating func reserve() { summaries.append(nil) }

    /// Gives up the room of the last table, which is gone.
    mutating func removeLast() { summaries.removeLast() }

    mutating func update(_ index: Int, _ summary: TableSummary) -> Bool {
        guard summaries[index] != summary else { return false }
        summaries[index] = summary
        revision += 1
        return true
    }

    mutating func remove(_ index: Int) -> Bool {
        guard summaries[index] != nil else { return false }
        summaries[index] = nil
        revision += 1
        return true
    }

    /// Every table that there is.
    var tables: [TableSummary] { summaries.compactMap(\.self) }

    /// The first table of which something is true, by its index.
    func firstIndex(where isWanted: (TableSummary) -> Bool) -> Int? { summaries.firstIndex { $0.map(isWanted) ?? false } }

    /// What is listed: the first so many.
    var listed: ArraySlice<TableSummary> { tables.prefix(WireLimits.lobbyTables) }

    /// What turns the list of an earlier revision into this one; nil when they list the same.
    func change(since old: Lobby) -> LobbyChange? {
        let before = Dictionary(uniqueKeysWithValues: old.listed.map { ($0.name, $0) })
        let names = Set(listed.map(\.name))
        var change = LobbyChange(from: old.revision, to: revision)
        change.deleted = old.listed.map(\.name).filter { !names.contains($0) }
        for (index, table) in listed.enumerated() {
            guard let known = before[table.name] else {
                change.inserted.append(.init(index: index, table: table))
                continue
            }
            if known != table { change.updated.append(table) }
        }
        return change.deleted.isEmpty && change.inserted.isEmpty && change.updated.isEmpty ? nil : change
    }
}
