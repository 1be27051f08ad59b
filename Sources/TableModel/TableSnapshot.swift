import Rules
import Snapshots

/// The visible state of a table at one instant, equal for players and spectators.
///
/// Copies share storage by section, so unchanged sections compare in constant time.
public struct TableSnapshot: Equatable, Sendable {
    /// Sections and items, by identifier.
    public let structure: Snapshot<TableSection, TableItem>
    /// The contents: a row for each section of ``structure``, an entry for each of its items, in the same order.
    let rows: [[TableEntry]]

    /// A table with no sections.
    public init() {
        structure = Snapshot()
        rows = []
    }

    /// - Precondition: `rows` matches `structure`.
    init(structure: Snapshot<TableSection, TableItem>, rows: [[TableEntry]]) {
        self.structure = structure
        self.rows = rows
    }

    /// A table from its sections in order.
    /// - Throws: `SnapshotError` for a duplicate section or item.
    public init(_ sections: [(TableSection, [TableEntry])]) throws(SnapshotError) {
        structure = try Snapshot(sections.map { (section: $0.0, items: $0.1.map(\.item)) })
        rows = sections.map(\.1)
    }

    /// The content of an item; nil when it is absent.
    public subscript(_ item: TableItem) -> TableEntry? {
        structure.itemPath(of: item).map { rows[$0.section][$0.item] }
    }

    /// The contents of a section in order; empty for an absent section.
    public func entries(in section: TableSection) -> [TableEntry] { structure.indexOfSection(section).map { rows[$0] } ?? [] }

    /// Calls `body` with each section whose storage differs from `old`, in order.
    /// - Returns: false, without a call, when the list of sections differs.
    package func forEachSection(changedSince old: TableSnapshot, _ body: (TableSection, [TableEntry]) -> Void) -> Bool {
        let sections = structure.sectionIdentifiers
        guard sections == old.structure.sectionIdentifiers else { return false }
        for index in rows.indices {
            let isShared = rows[index].withUnsafeBufferPointer { new in
                old.rows[index].withUnsafeBufferPointer { $0.baseAddress == new.baseAddress && $0.count == new.count }
            }
            if !isShared { body(sections[index], rows[index]) }
        }
        return true
    }
}
