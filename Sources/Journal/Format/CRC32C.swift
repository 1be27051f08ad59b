/// CRC-32C (Castagnoli), RFC 3720 B.4, eight bytes per step by eight tables ("slicing by 8", Kounavis and Berry 2005).
package enum CRC32C {
    /// Reflected polynomial.
    private static let polynomial: UInt32 = 0x82F6_3B78
    private static let slices = 8

    /// Table `k` at `k * 256`: the checksum of a byte that is followed by `k` zero bytes.
    private static let tables: [UInt32] = {
        var tables = [UInt32](repeating: 0, count: slices * 256)
        for byte in 0..<256 {
            var crc = UInt32(byte)
            for _ in 0..<8 { crc = (crc >> 1) ^ (crc & 1 == 1 ? polynomial : 0) }
            tables[byte] = crc
        }
        for index in 256..<tables.count {
            let shorter = tables[index - 256]
            tables[index] = (shorter >> 8) ^ tables[Int(shorter & 0xFF)]
        }
        return tables
    }()

    /// The checksum of a text of which `crc` is the checksum of the first part and `bytes` are the rest; 0 for no first part.
    package static func extended(_ crc: UInt32 = 0, over bytes: UnsafeRawBufferPointer) -> UInt32 {
        tables.withUnsafeBufferPointer { table in
            var crc = ~crc
            var index = 0
            let whole = bytes.count & ~(slices - 1)
            while index < whole {
                let low = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt32.self)) ^ crc
                let high = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: index + 4, as: UInt32.self))
                let first = table[0x700 + Int(low & 0xFF)] ^ table[0x600 + Int((low >> 8) & 0xFF)]
                let second = table[0x500 + Int((low >> 16) & 0xFF)] ^ table[0x400 + Int(low >> 24)]
                let third = table[0x300 + Int(high & 0xFF)] ^ table[0x200 + Int((high >> 8) & 0xFF)]
                let fourth = table[0x100 + Int((high >> 16) & 0xFF)] ^ table[Int(high >> 24)]
                crc = first ^ second ^ third ^ fourth
                index += slices
            }
            while index < bytes.count {
                crc = (crc >> 8) ^ table[Int(UInt8(truncatingIfNeeded: crc) ^ bytes[index])]
                index += 1
            }
            return ~crc
        }
    }

    package static func extended(_ crc: UInt32 = 0, over bytes: ArraySlice<UInt8>) -> UInt32 {
        bytes.withUnsafeBytes { extended(crc, over: $0) }
    }
}
