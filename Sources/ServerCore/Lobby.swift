import Rules
import TableModel
import Wire

/// The list of tables at a revision. Lookup by name takes constant time, and the list for clients is bounded in entries and bytes, so the cost
/// of a request does not grow with the number of tables.
struct Lobby: Sendable {
    private(set) var revision: Int
    /// This server's entries by table index, then those of the house's other servers.
    private var summaries: [TableSummary]
    /// Indices of this server's tables by name.
    let indices: [String: Int]
    /// Indices of the other servers' tables by name. This server's table hides others of the same name.
    private var elsewhereIndices: [String: Int] = [:]
    /// Indices in the order of names, without those of this server's tables that are beyond the bounds of the list.
    private var order: [Int]
    /// The house edge by rules.
    private var edges: [HouseRules: Int] = [:]
    /// The bytes of an entry without names, by its rules; see ``bytes(of:)``.
    private var entryBytes: [HouseRules: Int] = [:]
    /// The number of entries sent to clients, and their maximum bytes.
    private(set) var listing = (count: 0, bytes: 0)

    /// - Parameter partition: this server's. Part of the revision, since a relayed connection may compare revisions of two servers.
    init(_ settings: [ShardConfiguration.TableSetting], partition: Int = 0) {
        revision = partition << 32
        summaries = settings.map { setting in
            TableSummary(
                name: setting.name, seats: setting.rules.seats, freeSeats: setting.rules.seats, players: [], watchers: 0,
                rules: setting.rules, isLocked: setting.pass != nil)
        }
        indices = Dictionary(uniqueKeysWithValues: settings.enumerated().map { ($1.name, $0) })
        let sorted = settings.indices.sorted { [summaries] in summaries[$0].precedes(summaries[$1]) }
        order = Array(sorted.prefix(WireLimits.lobbyTables))
        measure()
    }

    mutating func update(_ index: Int, _ summary: TableSummary) -> Bool {
        var summary = summary
        summary.edge = edges[summary.rules]
        let old = summaries[index]
        guard old != summary else { return false }
        summaries[index] = summary
        revision += 1
        if old.owner != summary.owner { measure() }
        return true
    }

    /// Shows the edge at every table with these rules.
    mutating func note(edge: Int, of rules: HouseRules) {
        edges[rules] = edge
        for index in indices.values where summaries[index].rules == rules { _ = update(index, summaries[index]) }
    }

    func hasEdge(of rules: HouseRules) -> Bool { edges[rules] != nil }

    /// Replaces the tables of the house's other servers.
    mutating func list(elsewhere tables: [TableSummary]) {
        guard tables[...] != summaries[indices.count...] else { return }
        revision += 1
        summaries.replaceSubrange(indices.count..., with: tables)
        elsewhereIndices = [:]
        var order = ownOrder
        for (index, table) in summaries.enumerated().dropFirst(indices.count) where self[table.name] == nil {
            elsewhereIndices[table.name] = index
            order.append(index)
        }
        self.order = order.sorted { summaries[$0].precedes(summaries[$1]) }
        measure()
    }

    // MARK: Tables

    /// The number of tables.
    var total: Int { indices.count + elsewhereIndices.count }

    /// The only table's name; nil if there are several.
    var onlyName: String? { total == 1 ? indices.keys.first ?? elsewhereIndices.keys.first : nil }

    subscript(name: String) -> TableSummary? {
        (indices[name] ?? elsewhereIndices[name]).map { summaries[$0] }
    }

    /// The smallest bet at the tables that take new players without a pass phrase; nil without such a table.
    var smallestMinimum: Int? {
        let elsewhere = elsewhereIndices.values.lazy.compactMap { summaries[$0].open }
        return (summaries.prefix(indices.count).lazy.compactMap(\.open) + elsewhere).min()
    }

    private var ownOrder: [Int] { order.filter { $0 < indices.count } }

    /// The tables of this server, at most ``WireLimits/lobbyTables``, for the other servers.
    var ownTables: [TableSummary] { ownOrder.map { summaries[$0].withoutPlayers } }

    /// The entries sent to clients, in the order of their names and without names of players.
    var listed: [TableSummary] { order.prefix(listing.count).map { summaries[$0].withoutPlayers } }

    /// Counts the entries that fit the bounds of the list.
    private mutating func measure() {
        listing = (0, 0)
        if entryBytes.count > 2 * WireLimits.lobbyTables { entryBytes = [:] }
        for index in order.prefix(WireLimits.lobbyTables) {
            let bytes = listing.bytes + bytes(of: summaries[index])
            guard bytes <= WireLimits.lobbyBytes else { break }
            listing = (listing.count + 1, bytes)
        }
    }

    /// The maximum bytes of an entry, for any numbers in it.
    private mutating func bytes(of table: TableSummary) -> Int {
        func size(_ tables: [TableSummary]) -> Int {
            ServerMessage.ok(id: nil, .lobby(revision: 0, total: 0, tables)).encoded().count
        }
        let longest = TableSummary(
            name: "", seats: 7, freeSeats: 7, players: [], bots: 7, watchers: 1_000_000,
            rules: table.rules,
            isLocked: true, isClosing: true, owner: "", edge: -1_000_000)
        // Includes a comma.
        let bytes = entryBytes[table.rules] ?? size([longest]) - size([]) + 1
        entryBytes[table.rules] = bytes
        // A letter of a name is escaped to two bytes at most.
        return bytes + table.name.utf8.count + 2 * (table.owner?.utf8.count ?? 0)
    }

    /// The change from an earlier revision to this one. A table that moves up into the list counts as new.
    func change(since old: Lobby) -> LobbyChange {
        let (before, after) = (old.listed, listed)
        let known = Dictionary(uniqueKeysWithValues: before.map { ($0.name, $0) })
        let names = Set(after.map(\.name))
        return LobbyChange(
            from: old.revision, to: revision, tables: after.filter { known[$0.name] != $0 },
            gone: before.map(\.name).filter { !names.contains($0) })
    }
}

extension TableSummary {
    /// The smallest bet of a table that takes new players without a pass phrase; nil for any other table.
    fileprivate var open: Int? { isLocked || isClosing ? nil : rules.minimumBet }

    /// The entry for lists, whose bytes are bounded. Only `lobby` with `table` has names of players.
    fileprivate var withoutPlayers: Self {
        var entry = self
        entry.players = []
        return entry
    }
}

/// A set of table indices. 10,000 tables are 157 words, scanned in 0.1 µs.
struct TableSet: Sendable {
    private var words: [UInt64] = []

    mutating func set(_ index: Int, _ isMember: Bool) {
        while words.count <= index / 64 { words.append(0) }
        if isMember { words[index / 64] |= 1 << (index % 64) } else { words[index / 64] &= ~(1 << (index % 64)) }
    }

    /// The first member that satisfies a condition; nil if none does.
    func first(where isMeant: (Int) -> Bool) -> Int? {
        for (index, word) in words.enumerated() where word != 0 {
            var rest = word
            while rest != 0 {
                let member = 64 * index + rest.trailingZeroBitCount
                if isMeant(member) { return member }
                rest &= rest - 1
            }
        }
        return nil
    }
}
