import Journal
import TestKit
import Testing

struct ChecksumTests {
    /// RFC 3720, B.4, and the check value of the catalogue of parametrised CRC algorithms.
    @Test(
        arguments: [
            ([UInt8](repeating: 0, count: 32), 0x8A91_36AA),
            ([UInt8](repeating: 0xFF, count: 32), 0x62A8_AB43),
            (Array(0..<32), 0x46DD_794E),
            (Array((0..<32).reversed()), 0x113F_DB5C),
            (
                [
                    0x01, 0xC0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x14, 0, 0, 0, 0, 0, 0x04, 0, 0, 0, 0, 0x14, 0, 0, 0,
                    0x18,
                    0x28, 0, 0, 0, 0, 0, 0, 0, 0x02, 0, 0, 0, 0, 0, 0, 0,
                ], 0xD996_3A56
            ),
            (Array("123456789".utf8), 0xE306_9283),
            ([], 0),
        ] as [([UInt8], UInt32)])
    func knownChecksums(_ bytes: [UInt8], _ checksum: UInt32) {
        #expect(CRC32C.extended(over: bytes[...]) == checksum)
    }

    @Test func aTextInTwoParts_hasTheChecksumOfTheWhole_whereverItIsDivided() {
        let bytes = (0..<67).map { UInt8(truncatingIfNeeded: $0 &* 37) }
        let whole = CRC32C.extended(over: bytes[...])
        for division in 0...bytes.count {
            let first = CRC32C.extended(over: bytes[..<division])
            #expect(CRC32C.extended(first, over: bytes[division...]) == whole)
        }
    }

    @Test func theTables_agreeWithTheDefinition() {
        var generator = SeededGenerator()
        for count in 0..<40 {
            let bytes = (0..<count).map { _ in UInt8(truncatingIfNeeded: generator.next()) }
            var crc = ~UInt32(0)
            for byte in bytes {
                crc ^= UInt32(byte)
                for _ in 0..<8 { crc = crc & 1 == 1 ? (crc >> 1) ^ 0x82F6_3B78 : crc >> 1 }
            }
            #expect(CRC32C.extended(over: bytes[...]) == ~crc)
        }
    }
}
