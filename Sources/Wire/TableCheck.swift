import TableModel

/// Computes check values in reused memory: the sum of the CRC-32 of each item as a snapshot has it, `"name":content`. A sum has no order, and
/// changes with an item by that item's share.
package struct TableCheck: Sendable {
    private var text: [UInt8] = []

    package init() {}

    /// - Parameter rules: the share of the rules, which never change.
    package mutating func value(of table: TableRows, rules: UInt32) -> UInt32 {
        var sum = rules
        JSONWriter.append(to: &text) { writer in table.forEachRow { sum &+= writer.check(of: $0) } }
        return sum
    }

    package mutating func value(of entries: [TableEntry]) -> UInt32 {
        var sum: UInt32 = 0
        JSONWriter.append(to: &text) { writer in entries.withUnsafeBufferPointer { sum = writer.check(of: $0) } }
        return sum
    }
}

extension TableSnapshot {
    /// The check value: the same for equal tables, and almost certainly another one for different tables.
    public var check: UInt32 {
        var check = TableCheck()
        return check.value(of: entries)
    }
}

extension JSONWriter {
    /// Discards all that was written before.
    fileprivate mutating func check(of entries: UnsafeBufferPointer<TableEntry>) -> UInt32 {
        var sum: UInt32 = 0
        for index in entries.indices {
            next = start
            bytes.removeAll(keepingCapacity: true)
            room(Self.memberBytes)
            putMember(entries, index)
            flush()
            sum &+= bytes.withUnsafeBufferPointer(CRC32.value)
        }
        return sum
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

    package static func value(of bytes: UnsafeBufferPointer<UInt8>) -> UInt32 {
        tables.withUnsafeBufferPointer { tables in
            let raw = UnsafeRawBufferPointer(bytes)
            var crc = ~UInt32(0)
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
