import Rules
import TableModel
import Wire

/// The list of tables at a revision.
struct Lobby: Sendable {
    private(set) var revision: Int
    /// Entries by table index; nil for a slot without a listed table.
    private var summaries: [TableSummary?]
    /// Tables of the house's other servers.
    private var elsewhere: [TableSummary] = []
    /// By the rules of a table.
    private var edges: [HouseRules: Int] = [:]

    /// - Parameter partition: this server's. A connection that goes to another one compares revisions of both: they have nothing in common.
    init(_ settings: [ShardConfiguration.TableSetting], partition: Int = 0) {
        revision = partition << 32
        summaries = settings.map { setting in
            TableSummary(
                name: setting.name, seats: setting.rules.seats, freeSeats: setting.rules.seats, players: [], watchers: 0,
                rules: setting.rules, isLocked: setting.pass != nil)
        }
    }

    /// Adds a slot.
    mutating func reserve() { summaries.append(nil) }

    /// Removes the last slot, whose table is gone.
    mutating func removeLast() { summaries.removeLast() }

    mutating func update(_ index: Int, _ summary: TableSummary) -> Bool {
        var summary = summary
        summary.edge = edges[summary.rules]
        guard summaries[index] != summary else { return false }
        summaries[index] = summary
        revision += 1
        return true
    }

    /// Shows the edge at every table with these rules, also at one that opens later.
    mutating func note(edge: Int, of rules: HouseRules) {
        if edges.count > summaries.count {
            let open = Set(summaries.compactMap { $0?.rules })
            edges = edges.filter { open.contains($0.key) }
        }
        edges[rules] = edge
        for case (let index, let summary?) in summaries.enumerated() where summary.rules == rules { _ = update(index, summary) }
    }

    func hasEdge(of rules: HouseRules) -> Bool { edges[rules] != nil }

    mutating func remove(_ index: Int) -> Bool {
        guard summaries[index] != nil else { return false }
        summaries[index] = nil
        revision += 1
        return true
    }

    /// Replaces the tables of the house's other servers.
    mutating func list(elsewhere tables: [TableSummary]) {
        if tables != elsewhere { revision += 1 }
        elsewhere = tables
    }

    /// Whether other servers have tables.
    var isShared: Bool { !elsewhere.isEmpty }

    /// The listed tables of this server.
    var ownTables: [TableSummary] { summaries.compactMap(\.self) }

    /// The listed tables.
    var tables: [TableSummary] {
        guard !elsewhere.isEmpty else { return ownTables }
        var names = Set<String>()
        return (ownTables + elsewhere).filter { names.insert($0.name).inserted }
    }

    /// The entries sent to clients, at most ``WireLimits/lobbyTables``.
    var listed: ArraySlice<TableSummary> { tables.prefix(WireLimits.lobbyTables) }

    /// The change from an earlier revision to this one. A change has no moves: a table that has closed and opened elsewhere in the list is deleted
    /// and inserted.
    func change(since old: Lobby) -> LobbyChange {
        let before = Array(old.listed)
        let places = Dictionary(uniqueKeysWithValues: before.enumerated().map { ($1.name, $0) })
        var change = LobbyChange(from: old.revision, to: revision)
        var kept: Set<String> = []
        var last = -1
        for (index, table) in listed.enumerated() {
            guard let place = places[table.name], place > last else {
                change.inserted.append(.init(index: index, table: table))
                continue
            }
            last = place
            kept.insert(table.name)
            if before[place] != table { change.updated.append(table) }
        }
        change.deleted = before.map(\.name).filter { !kept.contains($0) }
        return change
    }
}
