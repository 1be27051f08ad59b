import Journal
import TestKit
import Testing

struct FormatTests {
    /// A journal of three frames as text.
    private func sample() throws -> (text: String, storage: FaultStorage) {
        let storage = FaultStorage()
        var journal = try ScriptedJournal(storage)
        _ = journal.writer.append(Array("{\"type\":\"a\"}\n{\"type\":\"b\"}\n".utf8))
        journal.run()
        _ = journal.writer.append(Array("{\"type\":\"c\"}\n".utf8))
        _ = journal.writer.append([])
        journal.run()
        let content = try #require(storage.content(of: "segment-0000000001.log"))
        return (String(decoding: content, as: UTF8.self), storage)
    }

    @Test func aSegmentIsLines_withAHeaderBeforeTheSegmentAndEachFrame_thenNewlines() throws {
        let (text, _) = try sample()
        let expected = """
            {"journal":4,"house":"0123456789abcdef","segment":1,"epoch":1,"first":1,"previous":"00000000","bytes":2048,"crc":"69fa1bbf"}
            {"epoch":1,"sequence":1,"durable":0,"bytes":26,"previous":"00000000","crc":"8ec0764e"}
            {"type":"a"}
            {"type":"b"}
            {"epoch":1,"sequence":2,"durable":1,"bytes":13,"previous":"8ec0764e","crc":"6989b0f3"}
            {"type":"c"}
            {"epoch":1,"sequence":3,"durable":1,"bytes":0,"previous":"6989b0f3","crc":"d06eea64"}

            """
        #expect(text.prefix(expected.count) == expected)
        #expect(text.utf8.count == 2048)
        #expect(text.dropFirst(expected.count).allSatisfy { $0 == "\n" })
    }

    @Test func noFrameIsReadWithAnyBitFlipped() throws {
        let bytes = try #require(sample().storage.content(of: "segment-0000000001.log"))
        guard case .header(_, let start) = SegmentHeader.read(bytes[...]) else { throw ScriptedJournal.Failure.order }
        let frame = try #require(FrameHeader.read(bytes[start...]))
        for index in start..<frame.records.upperBound {
            for bit in 0..<8 {
                var damaged = bytes
                damaged[index] ^= 1 << UInt8(bit)
                #expect(FrameHeader.read(damaged[start...]) == nil, "bit \(bit) of byte \(index - start)")
            }
        }
        for index in 0..<start {
            var damaged = bytes
            damaged[index] ^= 1
            #expect(SegmentHeader.read(damaged[...]) == .damaged, "byte \(index)")
        }
    }

    @Test func anotherFormatIsNamed_notCalledDamage() throws {
        let line = Array(#"{"journal":1,"anything":true"#.utf8)
        let checksum = CRC32C.extended(over: line[...])
        let hex = String(checksum, radix: 16)
        let padded = String(repeating: "0", count: 8 - hex.count) + hex
        let storage = FaultStorage()
        storage.setContent(line + Array(",\"crc\":\"\(padded)\"}\n".utf8), of: "segment-0000000001.log")
        #expect(throws: JournalError.unsupportedVersion(file: "segment-0000000001.log", version: 1)) {
            try JournalFolder(reading: storage).anchoredFrame()
        }
        #expect(throws: JournalError.unsupportedVersion(file: "segment-0000000001.log", version: 1)) {
            try ScriptedJournal.recover(storage)
        }
    }
}

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
