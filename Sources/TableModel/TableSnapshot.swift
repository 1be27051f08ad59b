import Rules
import Snapshots

/// Everything that can be seen of a table at one instant, the same for players and spectators: which things are where, and what
/// each shows.
///
/// Copies share their storage, section by section: a section that no edit has touched is known to be unchanged without a look at it.
public struct TableSnapshot: Equatable, Sendable {
    /// Which things are where.
    public let structure: Snapshot<TableSection, TableItem>
    /// What each thing shows: a row for each section of the structure, an entry for each of its items, in the same order.
    let rows: [[TableEntry]]

    /// A table before anything is known of it.
    public init() {
        structure = Snapshot()
        rows = []
    }

    /// A structure and what its items show, row by row.
    init(structure: Snapshot<TableSection, TableItem>, rows: [[TableEntry]]) {
        self.structure = structure
        self.rows = rows
    }

    /// A table from its sections in order.
    /// - Throws: when a section or an item is there twice.
    public init(_ sections: [(TableSection, [TableEntry])]) throws(SnapshotError) {
        structure = try Snapshot(sections.map { (section: $0.0, items: $0.1.map(\.item)) })
        rows = sections.map(\.1)
    }

    /// What a thing shows; nil when it is not there.
    public subscript(_ item: TableItem) -> TableEntry? {
        structure.itemPath(of: item).map { rows[$0.section][$0.item] }
    }

    /// What is in a section, in order; nothing for a section that is not there.
    public func entries(in section: TableSection) -> [TableEntry] { structure.indexOfSection(section).map { rows[$0] } ?? [] }

    /// Hands on each section that may show something else than in a table before, in order. One that shares its storage with the old one does
    /// not.
    /// - Returns: false, and nothing was handed on, when sections have come, gone or moved since.
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
