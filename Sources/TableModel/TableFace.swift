/// What is shown of a table while it is played, and what turned it into that: made to be changed with every action, without taking memory.
///
/// A change goes: ``begin()``, then ``fill(_:_:)`` for each section that may look otherwise now, then ``end()``. From then until the next
/// change the face shows the new, knows the ``difference`` from the old, and can still tell the old.
package struct TableFace: Sendable {
    /// What is shown.
    package private(set) var rows: TableRows
    /// Where rows are described anew; after the change, what they were before.
    private var others: TableRows
    /// The places of the rows that are, or were last, described anew: one bit each.
    private var touched: UInt64 = 0
    /// What the last change was. Its lists are always the same memory.
    package private(set) var difference = TableDifference(structure: .init(), insertions: [], updates: [])
    private var travellers = Travellers()

    /// A face that shows what there is.
    package init(_ rows: TableRows) {
        self.rows = rows
        others = TableRows(seats: rows.seats)
    }

    /// What was shown before the last change.
    package var former: TableRows {
        var former = TableRows(seats: rows.seats)
        copyFormer(into: &former)
        return former
    }

    /// Makes another table of as many seats what was shown before the last change.
    package func copyFormer(into table: inout TableRows) {
        for place in rows.rows.indices { table.copyRow(place, of: isTouched(place) ? others : rows) }
    }

    package mutating func begin() {
        touched = 0
        difference.removeAll()
    }

    /// Has a section described anew, or for the first time. Each section at most once in a change.
    package mutating func fill(_ section: TableSection, _ describe: (inout [TableEntry]) -> Void) {
        let place = TableRows.place(of: section)
        touched |= 1 << UInt64(place)
        others.fill(place, describe)
    }

    /// - Returns: whether anything is shown otherwise than before; then ``difference`` says what.
    package mutating func end() -> Bool {
        if rows.hasHands, !hasHandsNow { clear() }
        compare(knowingTravellers: false)
        if travellers.areThereAny {
            difference.removeChanges()
            compare(knowingTravellers: true)
        }
        for place in touchedPlaces { rows.swapRow(place, with: &others) }
        return !difference.isEmpty
    }

    private var touchedPlaces: PlaceSet { PlaceSet(bits: touched) }

    private var hasHandsNow: Bool {
        (1...rows.seats).contains { seat in
            let place = TableRows.place(of: .hand(HandIdentifier(seat: seat, number: 1)))
            return !(isTouched(place) ? others : rows).rows[place].isEmpty
        }
    }

    private func isTouched(_ place: Int) -> Bool { touched & (1 << UInt64(place)) != 0 }

    /// A round's end in one word, which is about every section: naming every hand and card that goes would take longer than naming what
    /// stays.
    private mutating func clear() {
        difference.clears = true
        for place in rows.rows.indices where !isTouched(place) {
            others.copyRow(place, of: rows)
            touched |= 1 << UInt64(place)
        }
    }
}

/// Comparing. Things keep their order in a section, so two rows are compared in one walk along both.
extension TableFace {
    private mutating func compare(knowingTravellers: Bool) {
        if !knowingTravellers { travellers.removeAll() }
        for place in touchedPlaces {
            let section = TableRows.section(place)
            if TableRows.isHand(place), rows.rows[place].isEmpty != others.rows[place].isEmpty {
                guard rows.rows[place].isEmpty else {
                    if !difference.clears { lose(place, section, knowingTravellers) }
                    continue
                }
                difference.structure.insertedSections.append(.init(section: section, index: index(place)))
            }
            compare(place, section, knowingTravellers)
        }
    }

    /// Where a section is among those that are there after the change.
    private func index(_ place: Int) -> Int {
        (0..<place).reduce(0) { $0 + ((isTouched($1) ? others : rows).isPresent($1) ? 1 : 0) }
    }

    /// A hand is gone: whatever of it is nowhere else goes with its section.
    private mutating func lose(_ place: Int, _ section: TableSection, _ knowingTravellers: Bool) {
        difference.structure.deletedSections.append(section)
        guard !knowingTravellers else { return }
        for entry in rows.rows[place] { travellers.leaves(entry) }
    }

    private mutating func compare(_ place: Int, _ section: TableSection, _ knowingTravellers: Bool) {
        var old = 0
        let oldCount = rows.rows[place].count
        let count = others.rows[place].count
        for new in 0..<count {
            let rank = others.rows[place][new].rank
            while old < oldCount, rows.rows[place][old].rank < rank || isCleared(place, old) {
                takeOut(place, old, knowingTravellers)
                old += 1
            }
            if old < oldCount, rows.rows[place][old].rank == rank {
                if !others.rows[place][new].shows(rows.rows[place][old]) { difference.updates.append(others.rows[place][new]) }
                old += 1
            } else {
                putIn(place, new, section, knowingTravellers)
            }
        }
        while old < oldCount {
            takeOut(place, old, knowingTravellers)
            old += 1
        }
    }

    private func isCleared(_ place: Int, _ old: Int) -> Bool {
        difference.clears && (place == 1 || !rows.rows[place][old].outlivesRound)
    }

    private mutating func takeOut(_ place: Int, _ old: Int, _ knowingTravellers: Bool) {
        guard !isCleared(place, old) else { return }
        if knowingTravellers, travellers.moves(rows.rows[place][old]) != nil { return }
        difference.structure.deletedItems.append(rows.rows[place][old].item)
        if !knowingTravellers { travellers.leaves(rows.rows[place][old]) }
    }

    private mutating func putIn(_ place: Int, _ new: Int, _ section: TableSection, _ knowingTravellers: Bool) {
        let entry = others.rows[place][new]
        if knowingTravellers, let old = travellers.moves(entry) {
            difference.structure.movedItems.append(.init(item: entry.item, section: section, index: new))
            if old != entry { difference.updates.append(entry) }
            return
        }
        difference.structure.insertedItems.append(.init(item: entry.item, section: section, index: new))
        difference.insertions.append(entry)
        if !knowingTravellers { travellers.arrives(entry) }
    }
}

/// The cards that left a section and those that came into one: who did both has moved, as in a split.
private struct Travellers: Sendable {
    private var left: [TableEntry] = []
    private var arrived: [Int] = []

    mutating func removeAll() {
        left.removeAll(keepingCapacity: true)
        arrived.removeAll(keepingCapacity: true)
    }

    mutating func leaves(_ entry: TableEntry) {
        if case .card = entry { left.append(entry) }
    }

    mutating func arrives(_ entry: TableEntry) {
        if case .card(let id, _) = entry { arrived.append(id) }
    }

    var areThereAny: Bool {
        !left.isEmpty && !arrived.isEmpty
            && left.contains { if case .card(let id, _) = $0 { arrived.contains(id) } else { false } }
    }

    /// What a thing that has moved showed before; nil for one that has not.
    func moves(_ entry: TableEntry) -> TableEntry? {
        guard case .card(let id, _) = entry, arrived.contains(id) else { return nil }
        return left.first { $0.item == .card(id) }
    }
}

/// Places of rows, ascending, as one bit each.
private struct PlaceSet: Sequence, IteratorProtocol {
    var bits: UInt64

    mutating func next() -> Int? {
        guard bits != 0 else { return nil }
        defer { bits &= bits &- 1 }
        return bits.trailingZeroBitCount
    }
}

extension TableEntry {
    /// Whether the same thing shows the same here. A table's rules never change.
    fileprivate func shows(_ other: TableEntry) -> Bool {
        if case .rules = self { return true }
        return self == other
    }
}

extension TableDifference {
    /// Says nothing any more, in the same memory.
    fileprivate mutating func removeAll() {
        clears = false
        removeChanges()
    }

    fileprivate mutating func removeChanges() {
        structure.deletedSections.removeAll(keepingCapacity: true)
        structure.insertedSections.removeAll(keepingCapacity: true)
        structure.deletedItems.removeAll(keepingCapacity: true)
        structure.insertedItems.removeAll(keepingCapacity: true)
        structure.movedItems.removeAll(keepingCapacity: true)
        insertions.removeAll(keepingCapacity: true)
        updates.removeAll(keepingCapacity: true)
    }
}
