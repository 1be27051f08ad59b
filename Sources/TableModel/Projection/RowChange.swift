/// Updates the rows of a table in place and records the difference. Buffers are reused, for many tables in turn.
///
/// Call order: ``begin(_:hands:)``; ``describe(_:in:_:)`` or ``remove(_:from:)`` for each dirty row, ascending; ``end()``.
package struct RowChange: Sendable {
    /// The result of the last change.
    package private(set) var difference = TableDifference(structure: .init(), insertions: [], updates: [])
    private var cardMoves = CardMoves()
    /// The hands present after the change.
    private var hands = RowSet()
    private var seats = 0
    /// The section being described.
    private var section = TableSection.table
    /// Its entries: new before `next`, old from there on.
    private var row: [TableEntry] = []
    private var next = 0
    package var options = OptionInterner()

    package init() {}

    /// Passes ``difference`` without a copy, which would retain each of its arrays.
    package mutating func withDifference(_ body: (borrowing TableDifference) -> Void) { body(difference) }

    /// - Parameters:
    ///   - hands: the hands present after the change.
    ///   - status: after the change.
    /// - Returns: whether the table is cleared. The difference then says so in one flag, and every row must be described.
    package mutating func begin(_ rows: borrowing TableRows, hands: RowSet, status: RoundStatus) -> Bool {
        difference.removeAll()
        cardMoves.removeAll()
        difference.clears = rows.hasHands && (hands.isEmpty || rows.isFollowed(by: status))
        self.hands = hands
        seats = rows.seats
        return difference.clears
    }

    /// Rewrites a row: `body` calls ``show(_:)`` with each of its present entries, in order.
    package mutating func describe(_ index: Int, in rows: inout TableRows, _ body: (inout RowChange) -> Void) {
        section = TableRows.section(index)
        if hands.contains(index), difference.clears || !rows.filled.contains(index) {
            let sections = hands.union(RowSet.all(seats: seats).subtracting(.hands))
            difference.structure.insertedSections.append(.init(section: section, index: sections.count(before: index)))
        }
        next = 0
        rows.exchange(index, with: &row)
        body(&self)
        if next < row.count {
            for index in next..<row.count { recordDeletion(index) }
            row.removeLast(row.count - next)
        }
        assert(zip(row, row.dropFirst()).allSatisfy { $0.rank < $1.rank }, "entries ascend by rank")
        assert(!row.contains { if case .rules = $0 { true } else { false } }, "rules are kept outside the rows")
        rows.exchange(index, with: &row)
    }

    /// Empties the row of a hand that has gone. Cards that another row shows later have moved.
    package mutating func remove(_ index: Int, from rows: inout TableRows) {
        rows.exchange(index, with: &row)
        if !difference.clears {
            difference.structure.deletedSections.append(TableRows.section(index))
            for entry in row {
                if case .card(let id, let card) = entry { cardMoves.recordDeparture(id, card, deletion: nil) }
            }
        }
        row.removeAll(keepingCapacity: true)
        rows.exchange(index, with: &row)
    }

    /// - Returns: whether anything visible has changed.
    package mutating func end() -> Bool {
        if cardMoves.areAny { cardMoves.turnIntoMoves(in: &difference) }
        return !difference.isEmpty
    }
}

extension RowChange {
    private enum Comparison { case same, changed, new, gone }

    /// Sets the next entry of the row being described.
    package mutating func show(_ entry: TableEntry) {
        let rank = entry.rank
        while true {
            switch compare(entry, rank) {
            case .same: break
            case .changed:
                difference.updates.append(entry)
                row[next] = entry
            case .new: insert(entry)
            case .gone:
                recordDeletion(next)
                row.remove(at: next)
                continue
            }
            next += 1
            return
        }
    }

    /// Leaves the items of ceremonies as they are: they change once a shoe, and comparing them costs more than all others.
    package mutating func keepCeremonies() {
        while next < row.count {
            switch row[next] {
            case .fairShoe, .nextShoe: next += 1
            default: return
            }
        }
    }

    /// Mutating: a `self` that is only read is copied for the call, 1.3 % of a line in bjbench shard.
    private mutating func compare(_ entry: borrowing TableEntry, _ rank: Int) -> Comparison {
        guard next < row.count else { return .new }
        let old = row[next].rank
        if old < rank || difference.clears && isCleared(row[next]) { return .gone }
        guard old == rank else { return .new }
        return row.withUnsafeBufferPointer { entry.hasContent(of: $0, next) } ? .same : .changed
    }

    private func isCleared(_ entry: TableEntry) -> Bool { section == .dealer || !entry.outlivesRound }

    private mutating func recordDeletion(_ index: Int) {
        if difference.clears && isCleared(row[index]) { return }
        if case .card(let id, let card) = row[index] {
            cardMoves.recordDeparture(id, card, deletion: difference.structure.deletedItems.count)
        }
        difference.structure.deletedItems.append(row[index].item)
    }

    private mutating func insert(_ entry: TableEntry) {
        if case .card(let id, _) = entry {
            cardMoves.recordArrival(id, insertion: difference.insertions.count, updates: difference.updates.count)
        }
        difference.structure.insertedItems.append(.init(item: entry.item, section: section, index: next))
        difference.insertions.append(entry)
        // `insert` at the end takes 100 instructions more: 0.9 % of a line in bjbench shard.
        if next == row.count { row.append(entry) } else { row.insert(entry, at: next) }
    }
}
