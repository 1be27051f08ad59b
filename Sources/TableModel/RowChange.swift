/// What turns the rows of a table into those of the next moment, in one walk along each, and the memory for it: one serves many tables, one
/// after the other, and so stays close at hand while the memory of tables comes and goes.
///
/// A change goes: ``begin(_:hands:)``; then each place that may look otherwise now, in order, by ``describe(_:in:_:)`` or, for a hand that
/// is not there any more, ``takeAway(_:from:)``; then ``end()``. From then until the next change, be it of another table, it knows the
/// ``difference``.
///
/// Whatever is described is set beside what was there before, at once: nothing is made that shows the same, and a row is written to only
/// where it changes. Things keep their order in a section (``TableEntry/rank``).
package struct RowChange: Sendable {
    /// What the last change was. Its lists are always the same memory.
    package private(set) var difference = TableDifference(structure: .init(), insertions: [], updates: [])
    private var travellers = Travellers()
    /// The hands that are there now.
    private var hands = PlaceSet()
    /// How many seats the table has.
    private var seats = 0
    /// The section at hand, its row as far as it has been changed, and what in it is to be set beside what comes next.
    private var section = TableSection.table
    private var row: [TableEntry] = []
    private var next = 0

    package init() {}

    // What only looks is `mutating`, too, so that whoever has this behind a pointer lends it: otherwise it is copied for the call, which retains
    // each of its lists.

    /// Lends the ``difference``: whoever is given a copy of it shares its memory until it is gone again.
    package mutating func withDifference(_ body: (borrowing TableDifference) -> Void) { body(difference) }

    /// - Parameter hands: the hands that are there now.
    /// - Returns: whether the table is cleared, in one word: naming every hand and card that goes would take longer than naming what stays.
    ///   That concerns every section, so each is to be described.
    package mutating func begin(_ rows: borrowing TableRows, hands: PlaceSet) -> Bool {
        difference.removeChanges()
        travellers.removeAll()
        difference.clears = rows.hasHands && hands.isEmpty
        self.hands = hands
        seats = rows.seats
        return difference.clears
    }

    /// Has a place described by what is shown there now, in order; see ``show(_:)``.
    package mutating func describe(_ place: Int, in rows: inout TableRows, _ body: (inout RowChange) -> Void) {
        section = TableRows.section(place)
        if hands.contains(place), !rows.filled.contains(place) {
            // Whatever is there stands in the place that its section has among them.
            let sections = hands.union(PlaceSet.all(seats: seats).subtracting(.hands))
            difference.structure.insertedSections.append(.init(section: section, index: sections.count(before: place)))
        }
        next = 0
        rows.exchange(place, with: &row)
        body(&self)
        if next < row.count {
            for index in next..<row.count { noteGone(index) }
            row.removeLast(row.count - next)
        }
        assert(zip(row, row.dropFirst()).allSatisfy { $0.rank < $1.rank }, "things are in the order of their ranks")
        assert(!row.contains { if case .rules = $0 { true } else { false } }, "rules are apart")
        rows.exchange(place, with: &row)
    }

    /// A hand is gone: whatever of it is nowhere else goes with it.
    package mutating func takeAway(_ place: Int, from rows: inout TableRows) {
        rows.exchange(place, with: &row)
        if !difference.clears {
            difference.structure.deletedSections.append(TableRows.section(place))
            for entry in row {
                if case .card(let id, let card) = entry { travellers.leave(id, card, deletion: nil) }
            }
        }
        row.removeAll(keepingCapacity: true)
        rows.exchange(place, with: &row)
    }

    /// - Returns: whether anything is shown otherwise than before; then ``difference`` says what.
    package mutating func end() -> Bool {
        if travellers.areThereAny { travellers.settle(&difference) }
        return !difference.isEmpty
    }
}

extension RowChange {
    private enum Finding { case same, changed, new, gone }

    /// What comes next in the place that is being described.
    package mutating func show(_ entry: TableEntry) {
        let rank = entry.rank
        while true {
            switch row.withUnsafeBufferPointer({ find(entry, rank, in: $0) }) {
            case .same: break
            case .changed:
                difference.updates.append(entry)
                row[next] = entry
            case .new: putIn(entry)
            case .gone:
                noteGone(next)
                row.remove(at: next)
                continue
            }
            next += 1
            return
        }
    }

    private func find(_ entry: borrowing TableEntry, _ rank: Int, in row: UnsafeBufferPointer<TableEntry>) -> Finding {
        guard next < row.count else { return .new }
        let old = row[next].rank
        if old < rank || difference.clears && isCleared(row[next]) { return .gone }
        guard old == rank else { return .new }
        return entry.showsSame(as: row, next) ? .same : .changed
    }

    private func isCleared(_ entry: TableEntry) -> Bool { section == .dealer || !entry.outlivesRound }

    /// An old thing is not there any more.
    private mutating func noteGone(_ index: Int) {
        if difference.clears && isCleared(row[index]) { return }
        if case .card(let id, let card) = row[index] {
            travellers.leave(id, card, deletion: difference.structure.deletedItems.count)
        }
        difference.structure.deletedItems.append(row[index].item)
    }

    private mutating func putIn(_ entry: TableEntry) {
        if case .card(let id, _) = entry {
            travellers.arrive(id, insertion: difference.insertions.count, updates: difference.updates.count)
        }
        difference.structure.insertedItems.append(.init(item: entry.item, section: section, index: next))
        difference.insertions.append(entry)
        // Nearly always what comes is the last, and to append takes a fraction of what it takes to insert.
        if next == row.count { row.append(entry) } else { row.insert(entry, at: next) }
    }
}

extension TableDifference {
    /// Says nothing any more, in the same memory.
    fileprivate mutating func removeChanges() {
        structure.deletedSections.empty()
        structure.insertedSections.empty()
        structure.deletedItems.empty()
        structure.insertedItems.empty()
        structure.movedItems.empty()
        insertions.empty()
        updates.empty()
    }
}

extension Array {
    /// Takes everything out and keeps the memory; most of the lists here are empty already.
    mutating func empty() {
        if !isEmpty { removeAll(keepingCapacity: true) }
    }
}
