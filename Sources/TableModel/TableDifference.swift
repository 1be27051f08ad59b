import Snapshots

/// The difference between two tables, by item: what a diff says.
public struct TableDifference: Equatable, Sendable {
    /// Whether ``TableSnapshot/cleared()`` is applied first; the rest refers to the cleared table.
    public var clears: Bool
    /// New and changed items, in the table's order. A card that moves is one of them: it says where it lies.
    public var entries: [TableEntry]
    /// Items that go.
    public var removals: [TableItem]

    public init(clears: Bool = false, entries: [TableEntry] = [], removals: [TableItem] = []) {
        self.clears = clears
        self.entries = entries
        self.removals = removals
    }

    public var isEmpty: Bool { !clears && entries.isEmpty && removals.isEmpty }

    /// Becomes empty and keeps its memory.
    package mutating func removeAll() {
        clears = false
        entries.removeAll(keepingCapacity: true)
        // Mostly empty already: 1.1 % of a line in bjbench shard.
        if !removals.isEmpty { removals.removeAll(keepingCapacity: true) }
    }
}

/// A difference removes an item that the table does not have.
public struct UnknownItem: Error, Equatable, Sendable {
    public let item: TableItem
}

extension TableSnapshot {
    /// The difference that leads from this table to another.
    public func difference(to other: TableSnapshot) -> TableDifference {
        // Card numbers restart with a round. Without the flag a new card 1 would look like a move of the old one.
        let isOver = if let round, let next = other.round { round.isOver(at: next) } else { false }
        var difference = TableDifference(clears: hasHands && (isOver || !other.hasHands))
        let old = difference.clears ? cleared() : self
        for row in rows.indices where !old.rows[row].elementsEqual(other.rows[row], by: { $0.isSpelled(like: $1) }) {
            difference.entries += other.rows[row].filter { old[$0.item]?.isSpelled(like: $0) != true }
            difference.removals += old.rows[row].map(\.item).filter { other[$0] == nil }
        }
        return difference
    }

    /// Applies a difference. `a.applying(a.difference(to: b)) == b`.
    public func applying(_ difference: TableDifference) throws(UnknownItem) -> TableSnapshot {
        var next = difference.clears ? cleared() : self
        for item in difference.removals {
            guard next.remove(item) else { throw UnknownItem(item: item) }
        }
        for entry in difference.entries { next.show(entry) }
        return next
    }

    /// The steps of ``structure`` by which a difference leads to the table after it: one, or two where it clears, first the end of the round and
    /// then the rest. An absent item is inserted, one that lies elsewhere moves, any other is reconfigured; no content is compared.
    public func steps(
        to next: TableSnapshot, by difference: TableDifference
    ) -> [SnapshotDifference<TableSection, TableItem>] {
        guard difference.clears else { return [step(difference, to: next)] }
        let cleared = cleared()
        let gone = TableDifference(removals: entries.map(\.item).filter { cleared[$0] == nil })
        return [step(gone, to: cleared), cleared.step(difference, to: next)]
    }

    private func step(_ difference: TableDifference, to next: TableSnapshot) -> SnapshotDifference<TableSection, TableItem> {
        let (old, new) = (presentRows, next.presentRows)
        var step = SnapshotDifference<TableSection, TableItem>(
            deletedSections: old.subtracting(new).map(TableRows.section),
            insertedSections: new.subtracting(old).map { .init(section: TableRows.section($0), index: new.count(before: $0)) },
            deletedItems: difference.removals)
        let places = difference.entries.map { entry in
            let row = entry.section.row
            return (row: row, index: next.rows[row].firstIndex { $0.item == entry.item } ?? 0, item: entry.item)
        }
        for (row, index, item) in places.sorted(by: { ($0.row, $0.index) < ($1.row, $1.index) }) {
            let place = SnapshotDifference<TableSection, TableItem>.ItemPlacement(
                item: item, section: TableRows.section(row), index: index)
            switch self[item]?.section.row {
            case nil: step.insertedItems.append(place)
            case row: step.reconfiguredItems.append(item)
            default: step.movedItems.append(place)
            }
        }
        return step
    }
}

extension TableEntry {
    /// Strings are equal in any equivalent spelling (`é` in one scalar or two); a check value is that of their bytes.
    fileprivate func isSpelled(like other: TableEntry) -> Bool {
        self == other && texts.elementsEqual(other.texts) { $0.utf8.elementsEqual($1.utf8) }
    }

    private var texts: [String] {
        switch self {
        case .nextShoe(let shoe): shoe.withheld
        case .closing(let notice): [notice.reason]
        case .pause(let pause): [pause.by, pause.reason]
        case .match(let match): match.leads.map(\.name)
        case .rules(let rules): [rules.digest] + rules.others.flatMap { [$0.key, $0.value] }
        case .player(_, let player): [player.name]
        case .other(_, let text): [text]
        // Their values have no text.
        default: []
        }
    }
}
