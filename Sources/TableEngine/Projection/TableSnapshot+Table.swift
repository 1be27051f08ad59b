import TableModel

extension TableSnapshot {
    /// What can be seen of a table now. What lies face down is not in it, in no form.
    public init(_ table: Table) {
        var keepsakes = Keepsakes(rules: table.rules)
        self = TableRows(table, &keepsakes).snapshot
    }
}

extension TableRows {
    init(_ table: Table, _ keepsakes: inout Keepsakes) {
        self.init(seats: table.rules.seats)
        for section in Self.possibleSections(seats: seats) {
            fill(section) { table.describe(section, into: &$0, &keepsakes) }
        }
    }
}
