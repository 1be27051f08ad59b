import Rules
import TableModel

/// Works out the check value of a table time and again, in the same memory.
package struct TableCheck: Sendable {
    private var text: [UInt8] = []
    /// The entry of the rules as text, which is a third of all and hardly ever changes.
    private var rulesText: [UInt8] = []
    private var rules: HouseRules?

    package init() {}

    /// What ``TableSnapshot/check`` is of the table's snapshot.
    package mutating func value(of table: TableRows) -> UInt32 {
        text.removeAll(keepingCapacity: true)
        table.forEachSection { section, row in
            text.append(UInt8(ascii: text.isEmpty ? "[" : ","))
            guard case .rules(let rules)? = row.last else {
                return JSONWriter.append(to: &text) { $0.write(section, row[...]) }
            }
            keep(rules)
            JSONWriter.append(to: &text) { $0.write(section, row[..<(row.count - 1)]) }
            // Between the last entry and the two brackets behind it.
            text.removeLast(2)
            if row.count > 1 { text.append(UInt8(ascii: ",")) }
            text.append(contentsOf: rulesText)
            text.append(UInt8(ascii: "]"))
            text.append(UInt8(ascii: "]"))
        }
        if text.isEmpty { text.append(UInt8(ascii: "[")) }
        text.append(UInt8(ascii: "]"))
        return text.withUnsafeBufferPointer(CRC32.value)
    }

    private mutating func keep(_ rules: HouseRules) {
        guard self.rules != rules else { return }
        self.rules = rules
        rulesText.removeAll(keepingCapacity: true)
        JSONWriter.append(to: &rulesText) { $0.putPair(.rules(rules)) }
    }
}
