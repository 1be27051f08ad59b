import Rules
import Snapshots

/// Everything that can be seen of a table at one instant, the same for players and spectators: which things are where, and what
/// each shows.
public struct TableSnapshot: Equatable, Sendable {
    /// Which things are where.
    public private(set) var structure: Snapshot<TableSection, TableItem>
    /// What each thing of the structure shows; exactly the structure's items, each once.
    public private(set) var entries: [TableItem: TableEntry]

    /// A table before anything is known of it.
    public init() {
        structure = Snapshot()
        entries = [:]
    }

    /// A table from its sections in order.
    /// - Throws: when a section or an item is there twice.
    public init(_ sections: [(TableSection, [TableEntry])]) throws(SnapshotError) {
        structure = try Snapshot(sections.map { (section: $0.0, items: $0.1.map(\.item)) })
        entries = [:]
        for (_, list) in sections {
            for entry in list { entries[entry.item] = entry }
        }
    }

    /// What a thing shows; nil when it is not there.
    public subscript(_ item: TableItem) -> TableEntry? { entries[item] }

    /// What is in a section, in order; nothing for a section that is not there.
    public func entries(in section: TableSection) -> [TableEntry] {
        guard let items = try? structure.itemIdentifiers(inSection: section) else { return [] }
        return items.compactMap { entries[$0] }
    }

    /// What turns this table into another one.
    public func difference(to other: TableSnapshot) -> TableDifference {
        let changes = structure.difference(to: other.structure)
        var shown: [TableEntry] = []
        for placement in changes.insertedItems {
            if let entry = other.entries[placement.item] { shown.append(entry) }
        }
        var updates: [TableEntry] = []
        for item in other.structure.itemIdentifiers {
            guard let entry = other.entries[item], let old = entries[item], old != entry else { continue }
            updates.append(entry)
        }
        return TableDifference(structure: changes, insertions: shown, updates: updates)
    }

    /// This table after a difference. `a.applying(a.difference(to: b)) == b`.
    /// - Throws: when the difference does not fit; this table is as it was.
    public func applying(_ difference: TableDifference) throws(TableDifferenceError) -> TableSnapshot {
        var result = self
        do {
            result.structure = try structure.applying(difference.structure)
        } catch {
            throw .structure(error)
        }
        guard difference.insertions.count == difference.structure.insertedItems.count else { throw .contentMissing }
        for (entry, placement) in zip(difference.insertions, difference.structure.insertedItems) {
            guard entry.item == placement.item else { throw .contentMissing }
            result.entries[entry.item] = entry
        }
        if result.entries.count != result.structure.numberOfItems {
            let present = Set(result.structure.itemIdentifiers)
            result.entries = result.entries.filter { present.contains($0.key) }
        }
        for entry in difference.updates {
            guard result.entries.updateValue(entry, forKey: entry.item) != nil else { throw .unknownItem(entry.item) }
        }
        return result
    }
}

/// What turns one table into another: the structure's difference, and what the new and the changed things show.
public struct TableDifference: Equatable, Sendable {
    public var structure: SnapshotDifference<TableSection, TableItem>
    /// What each inserted item of the structure shows, in the same order.
    public var insertions: [TableEntry]
    /// What items that were there already show now.
    public var updates: [TableEntry]

    public init(structure: SnapshotDifference<TableSection, TableItem>, insertions: [TableEntry], updates: [TableEntry]) {
        self.structure = structure
        self.insertions = insertions
        self.updates = updates
    }

    public var isEmpty: Bool { structure.isEmpty && updates.isEmpty }
}

/// Why a difference does not fit a table.
public enum TableDifferenceError: Error, Equatable, Sendable {
    case structure(SnapshotError)
    /// An inserted item has nothing to show.
    case contentMissing
    /// An update of something that is not there.
    case unknownItem(TableItem)
}
