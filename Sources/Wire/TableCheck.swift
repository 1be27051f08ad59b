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

// MARK: - Check

extension TableSnapshot {
    /// A value that two tables share only if, as good as certainly, they are the same: the CRC-32 of the text of `sections` as a snapshot
    /// of the table carries it, without spaces and with the keys of each object in alphabetical order.
    public var check: UInt32 {
        var bytes: [UInt8] = []
        return check(using: &bytes)
    }

    /// The same, with memory that may be used again and again.
    public func check(using bytes: inout [UInt8]) -> UInt32 {
        bytes.removeAll(keepingCapacity: true)
        JSONWriter.append(to: &bytes) { $0.write(self) }
        return bytes.withUnsafeBufferPointer(CRC32.value)
    }
}

/// The check value of ISO 3309 and of gzip, zlib, PNG and Ethernet (reflected polynomial EDB88320): what `zlib.crc32` gives in Python and
/// `crc32` in nearly every other language's library.
package enum CRC32 {
    /// Four tables, so that four bytes are taken at a step.
    private static let tables: [UInt32] = {
        var tables = [UInt32](repeating: 0, count: 4 * 256)
        for index in 0..<256 {
            var value = UInt32(index)
            for _ in 0..<8 { value = value & 1 == 0 ? value >> 1 : value >> 1 ^ 0xEDB8_8320 }
            tables[index] = value
        }
        for index in 256..<1024 {
            let before = tables[index - 256]
            tables[index] = before >> 8 ^ tables[Int(before & 0xFF)]
        }
        return tables
    }()

    static func value(of bytes: UnsafeBufferPointer<UInt8>) -> UInt32 { value(of: bytes, after: 0) }

    /// - Parameter before: the value of the bytes before these; 0 for none.
    package static func value(of bytes: UnsafeBufferPointer<UInt8>, after before: UInt32) -> UInt32 {
        tables.withUnsafeBufferPointer { tables in
            let raw = UnsafeRawBufferPointer(bytes)
            var crc = ~before
            var index = 0
            while index &+ 4 <= raw.count {
                crc ^= UInt32(littleEndian: raw.loadUnaligned(fromByteOffset: index, as: UInt32.self))
                crc =
                    tables[768 + Int(crc & 0xFF)] ^ tables[512 + Int(crc >> 8 & 0xFF)] ^ tables[256 + Int(crc >> 16 & 0xFF)]
                    ^ tables[Int(crc >> 24)]
                index &+= 4
            }
            while index < raw.count {
                crc = crc >> 8 ^ tables[Int((crc ^ UInt32(raw[index])) & 0xFF)]
                index &+= 1
            }
            return ~crc
        }
    }
}
