import TableModel

/// What everybody sees of a table, kept up to date with what happens there: only what the facts may have touched is looked at again, and in
/// the steady state nothing takes memory. It always shows what a fresh `TableSnapshot` of the table would.
package struct TableDisplay: Sendable {
    private var face: TableFace
    private var keepsakes: Keepsakes
    /// What may look otherwise since the last time.
    private var footprint = TableFootprint()
    private let sharesBankrolls: Bool

    package init(_ table: Table) {
        keepsakes = Keepsakes(rules: table.rules)
        face = TableFace(TableRows(table, &keepsakes))
        sharesBankrolls = table.rules.seatsPerPlayer > 1
    }

    /// Takes note of something that has happened at the table.
    package mutating func note(_ fact: Fact) { footprint.add(fact, sharesBankrolls: sharesBankrolls) }

    /// Shows the table as it is now, after the facts noted.
    /// - Returns: whether it looks otherwise than before; then ``difference`` says how.
    package mutating func follow(_ table: Table) -> Bool {
        guard !footprint.isEmpty else { return false }
        face.begin()
        describe(.table, table)
        if footprint.dealer { describe(.dealer, table) }
        for seat in 1...face.rows.seats {
            // Whoever was asked may be asked no more, or something else, by whatever happened.
            guard footprint.touches(seat) || face.rows.isAsked(seat) else { continue }
            describe(.seat(seat), table)
            for number in 1...TableRows.handsPerSeat { describe(.hand(HandIdentifier(seat: seat, number: number)), table) }
        }
        footprint = TableFootprint()
        return face.end()
    }

    private mutating func describe(_ section: TableSection, _ table: Table) {
        face.fill(section) { table.describe(section, into: &$0, &keepsakes) }
    }

    /// What turned the table as it was shown before the last ``follow(_:)`` into the one shown now.
    package var difference: TableDifference {
        _read { yield face.difference }
    }

    package var rows: TableRows {
        _read { yield face.rows }
    }

    /// What was shown before the last ``follow(_:)``.
    package var former: TableRows { face.former }

    /// The same, in memory that is there already.
    package func copyFormer(into table: inout TableRows) { face.copyFormer(into: &table) }

    package var phase: RoundPhase? { face.rows.phase }
}
