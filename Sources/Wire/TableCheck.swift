import Rules
import TableModel

/// Computes check values of tables in reused memory.
package struct TableCheck: Sendable {
    private var text: [UInt8] = []
    /// The entries of rules as text, which hardly ever change: those of several tables, of which most have the same.
    private var known: [(rules: TableRules, text: [UInt8])] = []
    /// Which of them gives way to a new one, once there are as many as are kept.
    private var oldest = 0
    private static let maximumKnown = 8

    package init() {}

    /// Equals ``TableSnapshot/check`` of the table's snapshot.
    package mutating func value(of table: TableRows) -> UInt32 {
        let rules = table.rules.map { known[place(of: $0)].text }
        text.removeAll(keepingCapacity: true)
        JSONWriter.append(to: &text) { writer in
            writer.beginArray()
            table.forEachSection { section, row in
                row.withUnsafeBufferPointer { writer.write(section, $0, known: section == .table ? rules : nil) }
            }
            writer.endArray()
        }
        return text.withUnsafeBufferPointer(CRC32.value)
    }

    private mutating func place(of rules: TableRules) -> Int {
        for place in known.indices where known[place].rules == rules { return place }
        var text: [UInt8] = []
        JSONWriter.append(to: &text) { TableEntry.rules(rules).write(to: &$0) }
        guard known.count == Self.maximumKnown else {
            known.append((rules, text))
            return known.count - 1
        }
        let place = oldest
        known[place] = (rules, text)
        oldest = (oldest + 1) % Self.maximumKnown
        return place
    }
}
