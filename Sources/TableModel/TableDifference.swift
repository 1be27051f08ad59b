import Snapshots

/// What turns one table into another: the structure's difference, and what the new and the changed things show.
public struct TableDifference: Equatable, Sendable {
    /// Whether the table is cleared first, as ``TableSnapshot/cleared()`` says: all the rest is about the table after that.
    public var clears: Bool
    public var structure: SnapshotDifference<TableSection, TableItem>
    /// What each inserted item of the structure shows, in the same order.
    public var insertions: [TableEntry]
    /// What items that were there already show now.
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
}

/// Why a difference does not fit a table.
public enum TableDifferenceError: Error, Equatable, Sendable {
    case structure(SnapshotError)
    /// An inserted item has nothing to show.
    case contentMissing
    /// An update of something that is not there.
    case unknownItem(TableItem)
}

extension TableSnapshot {
    /// What turns this table into another one.
    public func difference(to other: TableSnapshot) -> TableDifference {
        // A round's end in one word: naming every hand and card that goes would take longer than naming what stays.
        guard other.hasHands || !hasHands else {
            var rest = cleared().difference(to: other)
            rest.clears = true
            return rest
        }
        let changes = structure.difference(to: other.structure)
        let insertions = changes.insertedItems.compactMap { other[$0.item] }
        var updates: [TableEntry] = []
        let sections = other.structure.sectionIdentifiers
        for (index, row) in other.rows.enumerated() {
            // A row that shares its storage with the old one, or equals it, is passed over at once.
            if index < rows.count && rows[index] == row { continue }
            let before = structure.indexOfSection(sections[index])
            for entry in row {
                let item = entry.item
                let old = before.flatMap { section in rows[section].firstIndex { $0.item == item }.map { rows[section][$0] } }
                // An item that was not here before is new, unless something has moved at all.
                guard let old = old ?? (changes.movedItems.isEmpty ? nil : self[item]), old != entry else { continue }
                updates.append(entry)
            }
        }
        return TableDifference(structure: changes, insertions: insertions, updates: updates)
    }

    /// This table after a difference. `a.applying(a.difference(to: b)) == b`.
    /// - Throws: when the difference does not fit; this table is as it was.
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

    /// What the items of a structure show: what they showed before, or else what is inserted. Every item is one or the other. Rows in which
    /// nothing comes, goes or moves keep sharing their storage.
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
