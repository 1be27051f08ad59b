import Rules
import Snapshots

/// Everything that can be seen of a table at one instant, the same for players and spectators: which things are where, and what
/// each shows.
///
/// Copies share their storage, section by section: a section that no edit has touched is known to be unchanged without a look at it.
public struct TableSnapshot: Equatable, Sendable {
    /// Which things are where.
    public private(set) var structure: Snapshot<TableSection, TableItem>
    /// What each thing shows: a row for each section of the structure, an entry for each of its items, in the same order.
    private(set) var rows: [[TableEntry]]

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

    /// Gives a run of sections that begins with `first` another content: its first `count` sections become these ones. What is equal
    /// to what was there keeps its storage. An item may move to a later section of the run, not to an earlier one.
    /// - Throws: when `first` is not there, or a section or an item would be there twice; the table is then as it was.
    public mutating func replace(
        _ count: Int, from first: TableSection, with sections: [(TableSection, [TableEntry])]
    ) throws(SnapshotError) {
        guard let start = structure.indexOfSection(first) else { throw .unknownSection("\(first)") }
        var copy = self
        let old = Array(structure.sectionIdentifiers[start..<min(start + count, rows.count)])
        for (offset, section) in old.enumerated().reversed() where !sections.contains(where: { $0.0 == section }) {
            copy.structure.deleteSections([section])
            copy.rows.remove(at: start + offset)
        }
        for (offset, (section, entries)) in sections.enumerated() {
            if !old.contains(section) {
                if offset == 0 {
                    throw .unknownSection("\(section)")
                }
                try copy.structure.insertSections([section], afterSection: sections[offset - 1].0)
                copy.rows.insert([], at: start + offset)
            }
            try copy.set(entries, at: start + offset, section)
        }
        self = copy
    }

    private mutating func set(_ entries: [TableEntry], at index: Int, _ section: TableSection) throws(SnapshotError) {
        guard rows[index] != entries else { return }
        let hasOtherItems = rows[index].count != entries.count || !zip(rows[index], entries).allSatisfy { $0.item == $1.item }
        if hasOtherItems { try structure.setItems(entries.map(\.item), inSection: section) }
        rows[index] = entries
    }
}
