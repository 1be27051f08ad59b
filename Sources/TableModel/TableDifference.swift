import Snapshots

/// The difference between two table snapshots: structural changes, and the contents of new and changed items.
public struct TableDifference: Equatable, Sendable {
    /// Whether ``TableSnapshot/cleared()`` is applied first; the rest refers to the cleared table.
    public var clears: Bool
    public var structure: SnapshotDifference<TableSection, TableItem>
    /// The content of each inserted item of ``structure``, in the same order.
    public var insertions: [TableEntry]
    /// The new content of items already present.
    public var updates: [TableEntry]

    public init(
        clears: Bool = false, structure: SnapshotDifference<TableSection, TableItem>, insertions: [TableEntry],
        updates: [TableEntry]
    ) {
        self.clears = clears
        self.structure = structure
        self.insertions = insertions
        self.updates = updates
    }

    public var isEmpty: Bool { !clears && structure.isEmpty && updates.isEmpty }

    /// Becomes empty and keeps its memory.
    package mutating func removeAll() {
        clears = false
        structure.deletedSections.empty()
        structure.insertedSections.empty()
        structure.movedSections.empty()
        structure.deletedItems.empty()
        structure.insertedItems.empty()
        structure.movedItems.empty()
        insertions.empty()
        updates.empty()
    }
}

extension Array {
    /// Removes all elements and keeps the memory. Most lists of a difference are empty already: 1.1 % of a line in bjbench shard.
    mutating func empty() { if !isEmpty { removeAll(keepingCapacity: true) } }
}

/// Why a difference does not fit a table.
public enum TableDifferenceError: Error, Equatable, Sendable {
    case structure(SnapshotError)
    /// An inserted item has no content.
    case contentMissing
    /// An update of an item that is not present.
    case unknownItem(TableItem)
}

extension TableSnapshot {
    /// The difference that leads from this table to another.
    public func difference(to other: TableSnapshot) -> TableDifference {
        // The end of a round as one flag: listing every hand and card removed would take longer than listing the rest.
        let isFollowed = if let round, let next = other.round { round.isFollowed(by: next) } else { false }
        if hasHands, isFollowed || !other.hasHands {
            var rest = cleared().difference(to: other)
            rest.clears = true
            return rest
        }
        let changes = structure.difference(to: other.structure)
        let insertions = changes.insertedItems.compactMap { other[$0.item] }
        var updates: [TableEntry] = []
        let sections = other.structure.sectionIdentifiers
        for (index, row) in other.rows.enumerated() {
            // Skips a row that shares its storage with the old one, or equals it.
            if index < rows.count && rows[index] == row { continue }
            let before = structure.indexOfSection(sections[index])
            for entry in row {
                let item = entry.item
                let old = before.flatMap { section in rows[section].firstIndex { $0.item == item }.map { rows[section][$0] } }
                // An item that was not in this section is new, unless some item has moved.
                guard let old = old ?? (changes.movedItems.isEmpty ? nil : self[item]), old != entry else { continue }
                updates.append(entry)
            }
        }
        return TableDifference(structure: changes, insertions: insertions, updates: updates)
    }

    /// Applies a difference. `a.applying(a.difference(to: b)) == b`.
    /// - Throws: `TableDifferenceError` when the difference does not fit.
    public func applying(_ difference: TableDifference) throws(TableDifferenceError) -> TableSnapshot {
        guard !difference.clears else {
            var rest = difference
            rest.clears = false
            return try cleared().applying(rest)
        }
        let next: Snapshot<TableSection, TableItem>
        do {
            next = difference.structure.isEmpty ? structure : try structure.applying(difference.structure)
        } catch {
            throw .structure(error)
        }
        guard difference.insertions.count == difference.structure.insertedItems.count else { throw .contentMissing }
        for (entry, placement) in zip(difference.insertions, difference.structure.insertedItems)
        where entry.item != placement.item {
            throw .contentMissing
        }
        var rows = difference.structure.isEmpty ? rows : rows(in: next, inserting: difference.insertions)
        for entry in difference.updates {
            guard let path = next.itemPath(of: entry.item) else { throw .unknownItem(entry.item) }
            rows[path.section][path.item] = entry
        }
        return TableSnapshot(structure: next, rows: rows)
    }

    /// The rows of a structure, from old and inserted contents. A row without structural changes keeps sharing its storage.
    private func rows(in next: Snapshot<TableSection, TableItem>, inserting fresh: [TableEntry]) -> [[TableEntry]] {
        let sections = structure.sectionIdentifiers
        return next.contents.enumerated().map { position, content in
            let row =
                position < rows.count && sections[position] == content.section ? rows[position] : entries(in: content.section)
            if row.count == content.items.count, zip(row, content.items).allSatisfy({ $0.item == $1 }) { return row }
            return content.items.compactMap { item in
                row.first { $0.item == item } ?? fresh.first { $0.item == item } ?? self[item]
            }
        }
    }
}
