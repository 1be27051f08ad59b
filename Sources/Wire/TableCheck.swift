import TableModel

/// Works out the check value of a table time and again.
package struct TableCheck: Sendable {
    private var text: [UInt8] = []

    package init() {}

    /// What ``TableSnapshot/check`` is of the table's snapshot.
    package mutating func value(of table: TableRows) -> UInt32 { table.snapshot.check(using: &text) }
}
