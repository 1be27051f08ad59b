import TableModel

/// What everybody sees of a table, kept up to date with what happens there: only what the facts may have touched is looked at again, and in
/// the steady state nothing takes memory. It always shows what a fresh `TableSnapshot` of the table would.
///
/// A class, because a copy would share its memory, and then have to take some to change. Confined to whoever has it.
package final class TableDisplay {
    /// All of it in one, which is looked after as one while it changes.
    fileprivate struct State {
        var face: TableFace
        var keepsakes: Keepsakes
        /// What may look otherwise since the last time.
        var footprint = TableFootprint()
    }

    private var state: State

    package init(_ table: Table) {
        var keepsakes = Keepsakes(rules: table.rules)
        state = State(face: TableFace(TableRows(table, &keepsakes)), keepsakes: keepsakes)
    }

    /// Takes note of what has happened at the table.
    package func note(_ facts: [Fact], at table: Table) { state.note(facts, sharesBankrolls: table.rules.seatsPerPlayer > 1) }

    /// Shows the table as it is now, after the facts noted.
    /// - Returns: whether it looks otherwise than before; then ``difference`` says how.
    package func follow(_ table: Table) -> Bool {
        guard !state.footprint.isEmpty else { return false }
        return state.follow(table)
    }

    /// What turned the table as it was shown before the last ``follow(_:)`` into the one shown now.
    package var difference: TableDifference { state.face.difference }

    /// Lends the ``difference``, which is what takes no memory.
    package func withDifference(_ body: (borrowing TableDifference) -> Void) { state.face.withDifference(body) }

    /// What is shown.
    package var rows: TableRows { state.face.rows }

    /// What was shown before the last ``follow(_:)``.
    package var former: TableRows { state.face.former }

    /// The same, in memory that is there already.
    package func copyFormer(into table: inout TableRows) { state.face.copyFormer(into: &table) }

    package var phase: RoundPhase? { state.face.rows.phase }
}

extension TableDisplay.State {
    fileprivate mutating func note(_ facts: [Fact], sharesBankrolls: Bool) {
        for fact in facts { footprint.add(fact, sharesBankrolls: sharesBankrolls) }
    }

    fileprivate mutating func follow(_ table: Table) -> Bool {
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
}
