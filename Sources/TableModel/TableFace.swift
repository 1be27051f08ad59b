/// What is shown of a table while it is played, and what turned it into that: made to be changed with every action, without taking memory.
///
/// A change goes: ``begin()``, then ``fill(_:_:)`` for each section that may look otherwise now, then ``end()``. From then until the next
/// change the face shows the new, knows the ``difference`` from the old, and can still tell the old.
package struct TableFace: Sendable {
    /// What is shown.
    package private(set) var rows: TableRows
    /// Where rows are described anew; after the change, what they were before.
    private var others: TableRows
    /// The rows that are, or were last, described anew.
    private var touched = PlaceSet()
    private var comparison = TableComparison()

    /// A face that shows what there is.
    package init(_ rows: TableRows) {
        self.rows = rows
        others = TableRows(seats: rows.seats)
    }

    /// What the last change was. Its lists are always the same memory.
    package var difference: TableDifference { comparison.difference }

    /// Lends the ``difference``: whoever is given a copy of it shares its memory until it is gone again.
    package func withDifference(_ body: (borrowing TableDifference) -> Void) { body(comparison.difference) }

    /// What was shown before the last change.
    package var former: TableRows {
        var former = TableRows(seats: rows.seats)
        copyFormer(into: &former)
        return former
    }

    /// Makes another table of as many seats what was shown before the last change.
    package func copyFormer(into table: inout TableRows) {
        for place in rows.rows.indices { table.copyRow(place, of: touched.contains(place) ? others : rows) }
    }

    package mutating func begin() { touched = PlaceSet() }

    /// Has a section described anew, or for the first time. Each section at most once in a change.
    package mutating func fill(_ section: TableSection, _ describe: (inout [TableEntry]) -> Void) {
        let place = TableRows.place(of: section)
        touched.insert(place)
        others.fill(place, describe)
    }

    /// - Returns: whether anything is shown otherwise than before; then ``difference`` says what.
    package mutating func end() -> Bool {
        // A round's end in one word: naming every hand and card that goes would take longer than naming what stays.
        let clears = rows.hasHands && !hasHandsNow
        if clears { touchEverything() }
        comparison.begin(clears: clears)
        compare()
        if comparison.mustGoAgain() { compare() }
        for place in touched { rows.swapRow(place, with: &others) }
        return !comparison.difference.isEmpty
    }

    private var hasHandsNow: Bool {
        for seat in 1...rows.seats {
            let place = TableRows.place(ofSeat: seat) + 1
            if !(touched.contains(place) ? others.rows[place].isEmpty : rows.rows[place].isEmpty) { return true }
        }
        return false
    }

    /// Clearing concerns every section.
    private mutating func touchEverything() {
        for place in rows.rows.indices where !touched.contains(place) {
            others.copyRow(place, of: rows)
            touched.insert(place)
        }
    }

    private mutating func compare() {
        for place in touched {
            let section = TableRows.section(place)
            if TableRows.isHand(place) {
                if others.rows[place].isEmpty {
                    if !rows.rows[place].isEmpty { comparison.delete(section, rows.rows[place]) }
                    continue
                }
                if rows.rows[place].isEmpty { comparison.insert(section, at: index(place)) }
            }
            comparison.compare(rows.rows[place], others.rows[place], in: section)
        }
    }

    /// Where a section is among those that are there after the change.
    private func index(_ place: Int) -> Int {
        (0..<place).reduce(0) { $0 + ((touched.contains($1) ? others.isPresent($1) : rows.isPresent($1)) ? 1 : 0) }
    }
}

/// Places of rows, one bit each; in ascending order.
private struct PlaceSet: Sequence, IteratorProtocol, Sendable {
    private var bits: UInt64 = 0

    func contains(_ place: Int) -> Bool { bits & (1 << UInt64(place)) != 0 }

    mutating func insert(_ place: Int) { bits |= 1 << UInt64(place) }

    /// Takes out the first.
    mutating func next() -> Int? {
        guard bits != 0 else { return nil }
        defer { bits &= bits &- 1 }
        return bits.trailingZeroBitCount
    }
}
