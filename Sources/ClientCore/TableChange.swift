import TableModel

/// A table that changed, or is shown for the first time.
public struct TableChange: Equatable, Sendable {
    public enum Origin: Equatable, Sendable {
        /// Nothing of this table was shown before.
        case firstShown
        /// The table before, and what leads from it to the new one: as received, or computed once where a whole table was received.
        case changed(from: TableSnapshot, by: TableDifference)
    }

    public let table: String
    public let revision: Int
    public let origin: Origin
    public let new: TableSnapshot

    init(table: String, revision: Int, from old: TableSnapshot, by difference: TableDifference, to new: TableSnapshot) {
        self.table = table
        self.revision = revision
        origin = .changed(from: old, by: difference)
        self.new = new
    }

    /// A whole table, and what was shown of it before; nil for nothing.
    package init(table: String, revision: Int, old: TableSnapshot?, new: TableSnapshot) {
        self.table = table
        self.revision = revision
        origin = old.map { .changed(from: $0, by: $0.difference(to: new)) } ?? .firstShown
        self.new = new
    }

    /// The table before; nil if nothing of it was shown.
    public var old: TableSnapshot? { if case .changed(let old, _) = origin { old } else { nil } }
}
