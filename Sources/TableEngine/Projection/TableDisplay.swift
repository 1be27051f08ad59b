import TableModel

/// What everybody sees of a table, kept up to date with what happens there: only what the facts may have touched is looked at again, and in
/// the steady state nothing takes memory. It always shows what a fresh `TableSnapshot` of the table would.
///
/// A class, because a copy would share its memory, and then have to take some to change. Confined to whoever has it.
package final class TableDisplay {
    /// All of it in one, which is looked after as one while it changes.
    fileprivate struct State {
        var rows: TableRows
        /// What may look otherwise since the last time.
        var footprint = TableFootprint()
        /// The seats whose players are being asked something.
        var asked = PlaceSet()
        /// How many things were in the rows looked at last. Nobody asks for it: it is kept so that they are counted, which fetches them.
        var formerCount = 0
    }

    /// Not checked for exclusive access at each action: nothing that is called on the way knows of this.
    @exclusivity(unchecked) private var state: State

    package init(_ table: Table) { state = State(rows: TableRows(table), asked: .seats) }

    /// Takes note of what has happened at the table.
    package func note(_ facts: [Fact], at table: Table) { state.note(facts, sharesBankrolls: table.rules.seatsPerPlayer > 1) }

    /// Shows the table as it is now, after the facts noted.
    /// - Parameter change: how it looks otherwise then, until another table follows with the same.
    /// - Returns: whether it looks otherwise than before.
    package func follow(_ table: Table, _ keepsakes: inout Keepsakes, _ change: inout RowChange) -> Bool {
        guard !state.footprint.isEmpty else { return false }
        return state.follow(table, &keepsakes, &change)
    }

    /// What is shown.
    package var rows: TableRows { state.rows }
}

extension TableDisplay.State {
    fileprivate mutating func note(_ facts: [Fact], sharesBankrolls: Bool) {
        for fact in facts { footprint.add(fact, sharesBankrolls: sharesBankrolls) }
    }

    fileprivate mutating func follow(_ table: Table, _ keepsakes: inout Keepsakes, _ change: inout RowChange) -> Bool {
        let hands = table.shownHands
        var places = footprint.places.union(asked).union(.table)
        footprint = TableFootprint()
        if change.begin(rows, hands: hands) { places = .everything }
        // Most hands are not there, and were not.
        places = places.intersection(.all(seats: rows.seats)).subtracting(PlaceSet.hands.subtracting(hands.union(rows.filled)))
        formerCount = rows.countEntries(places)
        for place in places {
            if PlaceSet.hands.contains(place), !hands.contains(place) {
                change.takeAway(place, from: &rows)
            } else {
                change.describe(place, in: &rows) { table.describe(TableRows.section(place), by: &$0, &keepsakes) }
            }
        }
        for place in places.intersection(.seats) { asked.set(place, rows.isAsked(place)) }
        return change.end()
    }
}
