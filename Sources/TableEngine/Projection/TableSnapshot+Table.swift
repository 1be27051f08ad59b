import TableModel

extension TableSnapshot {
    /// What can be seen of a table now. What lies face down is not in it, in no form.
    public init(_ table: Table) { self = TableRows(table).snapshot }
}

extension TableRows {
    init(_ table: Table) {
        self.init(seats: table.rules.seats)
        rules = table.rules
        var keepsakes = Keepsakes()
        for section in Self.possibleSections(seats: seats) {
            fill(section) { table.describe(section, into: &$0, &keepsakes) }
        }
    }
}
