/// What turns the rows of a table into those of the next moment, and the memory for it: one serves many tables, one after the other, and so
/// stays close at hand while the memory of tables comes and goes.
///
/// A change goes: ``begin()``, then ``fill(_:_:)`` for each place that may look otherwise now, then ``end(_:)`` with the table's rows. From
/// then until the next change, be it of another table, it knows the ``difference`` and can still tell what the rows were.
package struct RowChange: Sendable {
    /// Where rows are described anew; after the change, what they were before. Enough for a table of any size.
    private var others = TableRows(seats: PlaceSet.maximumSeats)
    /// The rows that are, or were last, described anew.
    private var touched = PlaceSet()
    private var comparison = TableComparison()

    package init() {}

    // What only looks is `mutating`, too, so that whoever has this behind a pointer lends it: otherwise it is copied for the call, which retains
    // each of its lists.

    /// What the last change was. Its lists are always the same memory.
    package var difference: TableDifference { comparison.difference }

    /// Lends the ``difference``: whoever is given a copy of it shares its memory until it is gone again.
    package mutating func withDifference(_ body: (borrowing TableDifference) -> Void) { body(comparison.difference) }

    /// What was shown before the last change.
    /// - Parameter rows: what that has led to.
    package mutating func former(of rows: TableRows) -> TableRows {
        var former = TableRows(seats: rows.seats)
        copyFormer(of: rows, into: &former)
        return former
    }

    /// Makes another table of as many seats what was shown before the last change, which has led to these rows.
    package mutating func copyFormer(of rows: TableRows, into table: inout TableRows) {
        table.copyRules(of: rows)
        for place in rows.rows.indices {
            if touched.contains(place) { table.copyRow(place, of: others) } else { table.copyRow(place, of: rows) }
        }
    }

    package mutating func begin() { touched = PlaceSet() }

    /// Has a place described anew, or for the first time. Each at most once in a change.
    package mutating func fill(_ place: Int, _ describe: (inout [TableEntry]) -> Void) {
        touched.insert(place)
        others.fill(place, describe)
    }

    /// Makes rows what was described.
    /// - Returns: whether anything is shown otherwise than before; then ``difference`` says what.
    package mutating func end(_ rows: inout TableRows) -> Bool {
        // A round's end in one word: naming every hand and card that goes would take longer than naming what stays.
        let clears = rows.hasHands && present(in: rows).isDisjoint(with: .hands)
        if clears { touchEverything(of: rows) }
        comparison.begin(clears: clears)
        compare(rows)
        if comparison.mustGoAgain() { compare(rows) }
        for place in touched { rows.swapRow(place, with: &others) }
        return !comparison.difference.isEmpty
    }

    /// The rows in which there will be anything.
    private func present(in rows: TableRows) -> PlaceSet {
        rows.filled.subtracting(touched).union(others.filled.intersection(touched))
    }

    /// Clearing concerns every section.
    private mutating func touchEverything(of rows: TableRows) {
        for place in rows.rows.indices where !touched.contains(place) {
            others.copyRow(place, of: rows)
            touched.insert(place)
        }
    }

    private mutating func compare(_ rows: TableRows) {
        // Whatever is there stands in the place that its section has among them.
        let sections = present(in: rows).intersection(.hands).union(PlaceSet.all(seats: rows.seats).subtracting(.hands))
        for place in touched {
            let section = TableRows.section(place)
            if TableRows.isHand(place) {
                guard others.filled.contains(place) else {
                    if rows.filled.contains(place) {
                        rows.rows[place].withUnsafeBufferPointer { comparison.delete(section, $0) }
                    }
                    continue
                }
                if !rows.filled.contains(place) { comparison.insert(section, at: sections.count(before: place)) }
            }
            rows.rows[place].withUnsafeBufferPointer { old in
                others.rows[place].withUnsafeBufferPointer { comparison.compare(old, $0, in: section) }
            }
        }
    }
}
