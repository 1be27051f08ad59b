import TableModel
import Wire

/// The list of tables at a revision.
struct Lobby: Sendable {
    private(set) var revision = 0
    /// Entries by table index; nil for a slot without a listed table.
    private var summaries: [TableSummary?]

    init(_ settings: [ShardConfiguration.TableSetting]) {
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

    /// The listed tables.
    var tables: [TableSummary] { summaries.compactMap(\.self) }

    /// The index of the first table that matches.
    func firstIndex(where isWanted: (TableSummary) -> Bool) -> Int? { summaries.firstIndex { $0.map(isWanted) ?? false } }

    /// The entries sent to clients, at most ``WireLimits/lobbyTables``.
    var listed: ArraySlice<TableSummary> { tables.prefix(WireLimits.lobbyTables) }

    /// The change from an earlier revision to this one; nil if both list the same.
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
