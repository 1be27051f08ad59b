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
        var players: [String: Residence] = [:]
        var lastID: UInt32 = 0
        var connections = 0
        var lobby: Lobby
        /// Free seats by table, less those that somebody is on the way to; none for a table that is not open to all.
        var freeSeats: [Int]
    }

    public let configuration: CasinoConfiguration
    /// How many loops share the tables: the table at index `i` is on loop `i % loops`.
    public let loops: Int
    private let state: Mutex<State>
    /// Tables by name.
    private let indices: [String: Int]

    public init(configuration: CasinoConfiguration, loops: Int = 1) {
        precondition(loops > 0, "tables are on loops")
        self.configuration = configuration
        self.loops = loops
        indices = Dictionary(uniqueKeysWithValues: configuration.tables.enumerated().map { ($1.name, $0) })
        state = Mutex(
            State(
                lobby: Lobby(configuration.tables),
                freeSeats: configuration.tables.map { $0.pass == nil ? $0.rules.seats : 0 }))
    }

    /// The loop that a table is on.
    func loop(ofTable index: Int) -> Int { index % loops }

    func index(ofTable name: String) -> Int? { indices[name] }

    // MARK: Connections

    /// Counts a connection in; false when the house is full.
    func enter() -> Bool {
        state.withLock { state in
            guard state.connections < configuration.maximumConnections else { return false }
            state.connections += 1
            return true
        }
    }

    func exit() { state.withLock { $0.connections -= 1 } }

    // MARK: Names

    func residence(of name: PlayerName) -> Residence? { state.withLock { $0.players[name.key] } }

    /// Gives a name to a new player on a loop; nil when it is taken.
    /// - Throws: when the house knows as many players as it may.
    func register(_ name: PlayerName, on loop: Int) throws(CasinoRefusal) -> PlayerID? {
        let result = state.withLock { state -> Result<PlayerID?, CasinoRefusal> in
            guard state.players[name.key] == nil else { return .success(nil) }
            guard state.players.count < configuration.maximumPlayers else { return .failure(.serverFull) }
            state.lastID += 1
            let id = PlayerID(state.lastID)
            state.players[name.key] = Residence(id: id, loop: loop)
            return .success(id)
        }
        return try result.get()
    }

    func move(_ name: PlayerName, to loop: Int) { state.withLock { $0.players[name.key]?.loop = loop } }

    func forget(_ name: PlayerName) { state.withLock { $0.players[name.key] = nil } }

    // MARK: Seats

    /// Notes how many seats of a table are free.
    func note(freeSeats: Int, ofTable index: Int) {
        guard configuration.tables[index].pass == nil else { return }
        state.withLock { $0.freeSeats[index] = freeSeats }
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
            for (index, summary) in summaries where state.lobby.update(index, summary) { isChanged = true }
            return isChanged
        }
    }

    var lobby: Lobby { state.withLock { $0.lobby } }
}

/// The list of tables at a revision.
struct Lobby: Sendable {
    private(set) var revision = 0
    private(set) var tables: [TableSummary]

    init(_ settings: [CasinoConfiguration.TableSetting]) {
        tables = settings.map { setting in
            TableSummary(
                name: setting.name, seats: setting.rules.seats, freeSeats: setting.rules.seats, players: [], watchers: 0,
                rules: setting.rules, isLocked: setting.pass != nil)
        }
    }

    mutating func update(_ index: Int, _ summary: TableSummary) -> Bool {
        guard tables[index] != summary else { return false }
        tables[index] = summary
        revision += 1
        return true
    }

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
