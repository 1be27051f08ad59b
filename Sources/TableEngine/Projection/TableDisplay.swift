import TableModel

/// The visible rows of a table, kept up to date from its facts: always equal to a fresh `TableSnapshot` of the table.
///
/// Describes only rows that the facts may have changed. Avoid copies: one would share the rows, and the next change copy them.
package struct TableDisplay: Sendable {
    package private(set) var rows: TableRows
    /// Rows that may differ from the table since the last ``follow(_:_:)``.
    private var dirty = DirtyRows()
    /// Seats that show a question.
    private var asked = RowSet.seats

    package init(_ table: Table) { rows = TableRows(table) }

    /// Marks the rows that facts may have changed.
    package mutating func note(_ facts: [Fact], at table: Table) {
        let sharesBankrolls = table.rules.seatsPerPlayer > 1
        for fact in facts { dirty.add(fact, sharesBankrolls: sharesBankrolls) }
    }

    /// Brings the rows up to date with the table after the noted facts.
    /// - Parameter change: receives the difference.
    /// - Returns: whether anything visible has changed.
    package mutating func follow(_ table: Table, _ change: inout RowChange) -> Bool {
        guard !dirty.isEmpty else { return false }
        let hands = table.shownHands
        var touched = dirty.rows.union(asked).union(.table)
        let changesCeremony = dirty.changesCeremony
        dirty = DirtyRows()
        if change.begin(rows, hands: hands, status: table.status) { touched = .everything }
        // Skips hands that neither were nor are there.
        touched = touched.intersection(.all(seats: rows.seats)).subtracting(RowSet.hands.subtracting(hands.union(rows.filled)))
        for row in touched {
            if RowSet.hands.contains(row), !hands.contains(row) {
                change.remove(row, from: &rows)
            } else {
                change.describe(row, in: &rows) {
                    table.describe(TableRows.section(row), by: &$0, changesCeremony: changesCeremony)
                }
            }
        }
        for row in touched.intersection(.seats) { asked.set(row, rows.isAsked(row)) }
        return change.end()
    }
}
