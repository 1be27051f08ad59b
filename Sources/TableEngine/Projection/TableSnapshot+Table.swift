import Fairness
import Rules
import TableModel

extension TableSnapshot {
    /// What can be seen of a table now. What lies face down is not in it, in no form.
    public init(_ table: Table) { self = TableRows(table).snapshot }
}

extension TableRows {
    init(_ table: Table) {
        self.init(seats: table.rules.seats)
        rules = TableRules(table.rules, digest: table.rules.digest.hex)
        var (keepsakes, change) = (Keepsakes(), RowChange())
        let hands = table.shownHands
        _ = change.begin(self, hands: hands)
        for place in PlaceSet.all(seats: seats).subtracting(.hands).union(hands) {
            change.describe(place, in: &self) { table.describe(Self.section(place), by: &$0, &keepsakes) }
        }
    }
}

extension HouseRules {
    /// The SHA-256 of all rules: what a table shows, and what a shoe is committed with.
    public var digest: Digest { SHA256.hash(canonicalText.utf8) }
}
