import Fairness
import Rules
import TableModel

extension TableSnapshot {
    /// The visible state of a table. Contains nothing about face-down cards.
    public init(_ table: Table) { self = TableRows(table).snapshot }
}

extension TableRows {
    init(_ table: Table) {
        self.init(seats: table.rules.seats)
        rules = TableRules(table.rules, digest: table.rules.digest.hex)
        var change = RowChange()
        let hands = table.shownHands
        _ = change.begin(self, hands: hands, status: table.status)
        for row in RowSet.all(seats: seats).subtracting(.hands).union(hands) {
            change.describe(row, in: &self) { table.describe(Self.section(row), by: &$0) }
        }
    }
}

extension HouseRules {
    /// The SHA-256 of all rules: shown by the table, and part of a shoe's commitment.
    public var digest: Digest { SHA256.hash(canonicalText.utf8) }
}
