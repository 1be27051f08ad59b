import Rules
import TableModel

/// Turns a list of tables into the next one: deletes, then inserts in ascending order, then updates.
public struct LobbyChange: Equatable, Sendable {
    public var from: Int
    public var to: Int
    /// Names of removed tables.
    public var deleted: [String]
    /// New tables with their places in the list after the change, ascending.
    public var inserted: [Placed]
    /// New contents of tables that stay.
    public var updated: [TableSummary]

    public struct Placed: Equatable, Sendable {
        public var index: Int
        public var table: TableSummary

        public init(index: Int, table: TableSummary) {
            self.index = index
            self.table = table
        }
    }

    public init(from: Int, to: Int, deleted: [String] = [], inserted: [Placed] = [], updated: [TableSummary] = []) {
        self.from = from
        self.to = to
        self.deleted = deleted
        self.inserted = inserted
        self.updated = updated
    }

    /// Applies the change; nil when it does not fit the list.
    public func applied(to tables: [TableSummary]) -> [TableSummary]? {
        var result = tables.filter { !deleted.contains($0.name) }
        guard result.count == tables.count - deleted.count else { return nil }
        for placed in inserted {
            guard placed.index <= result.count, !result.contains(where: { $0.name == placed.table.name }) else { return nil }
            result.insert(placed.table, at: placed.index)
        }
        for table in updated {
            guard let index = result.firstIndex(where: { $0.name == table.name }) else { return nil }
            result[index] = table
        }
        return result
    }
}

extension LobbyChange: WireObject {
    static var blank: Self { Self(from: 0, to: 0) }

    mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        let most = WireLimits.lobbyTables
        try visitor.required("from", &from, .revision, "the revision of the list that it applies to")
        try visitor.required("to", &to, .revision, "the revision that it leads to")
        try visitor.optional("delete", &deleted, .of(.table, maximum: most), absent: [], "tables that are gone")
        try visitor.optional("insert", &inserted, .upTo(most), absent: [], "new tables with their places in the new list")
        try visitor.optional("set", &updated, .upTo(most), absent: [], "tables that show something else")
    }
}

/// `[index, table]`
extension LobbyChange.Placed: WireValue {
    static func read(_ value: JSONValue, _: NoBounds) throws(JSONError) -> Self {
        var parts = try value.array()
        let index = try parts.required().integer(in: WireRange.lobbyIndex)
        return Self(index: index, table: try TableSummary.read(parts.required(), NoBounds()))
    }

    func write(to writer: inout JSONWriter) {
        writer.beginArray()
        writer.integer(index)
        table.write(to: &writer)
        writer.endArray()
    }

    static func shape(_: NoBounds) -> Shape { .tuple([.whole(WireRange.lobbyIndex), TableSummary.shape(NoBounds())]) }
}

extension TableSummary: WireObject {
    static var blank: Self { Self(name: "", seats: 1, freeSeats: 0, players: [], watchers: 0, rules: HouseRules()) }
    static var definition: Definition.Name? { .tableSummary }

    mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.required("table", &name, .table, "the table's name")
        try visitor.required("seats", &seats, WholeNumber(WireRange.seat), "seats that it has")
        try visitor.required("free", &freeSeats, WholeNumber(WireRange.freeSeats), "seats that nobody has")
        try visitor.required("players", &players, .of(.any), "names of those who sit, in the order of their seats")
        try visitor.required("watchers", &watchers, .count, "how many watch without a seat")
        try visitor.required("rules", &rules, "those house rules that are not as by default")
        try visitor.optional("locked", &isLocked, absent: false, "whether it takes a pass phrase to watch or to sit")
        try visitor.optional("closing", &isClosing, absent: false, "whether it closes after its round: nobody gets a seat")
        try visitor.optional("owner", &owner, .shownName, "the player whose table it is, where it is one's: see `kick`")
    }
}
