import Testing

@testable import Wire

/// However the lines that are written down anywhere arrive, they are the same messages.
struct ByteSplitTests {
    @Test func everythingThatAServerSaysInASession_isAMessage() throws {
        let (answers, streams) = (try WrittenLines.answers(), try WrittenLines.streams())
        #expect(streams.count > 10 && answers.count > 200)
        for line in Set(answers) {
            if case .unknown = try event(line) { Issue.record("unknown: \(line)") }
        }
    }

    @Test func everyWrittenLine_splitAtEveryByte_isTheSameLine() throws {
        for line in Set(try WrittenLines.streams().joined()) {
            let bytes = Array("\(line)\r\n".utf8)
            let expected = Array(bytes.dropLast(2))
            for place in 0...bytes.count {
                let found = cut([bytes[..<place], bytes[place...]]).lines
                guard found != [expected] else { continue }
                Issue.record("split at \(place): \(line)")
            }
        }
    }

    @Test func everyShortWrittenLine_splitAtEveryByte_isTheSameMessage() throws {
        for line in Set(try WrittenLines.streams().joined()) where line.utf8.count < 160 {
            let bytes = Array("\(line)\n".utf8)
            let (asked, told) = (request(line), try? event(line))
            for place in stride(from: 0, through: bytes.count, by: 1) {
                let found = cut([bytes[..<place], bytes[place...]]).lines
                #expect(
                    found.count == 1 && found.allSatisfy { request($0) == asked && (try? event($0)) == told }, "\(place): \(line)"
                )
            }
        }
    }

    @Test func everyStream_byteByByteAndAllAtOnce_hasTheSameLines() throws {
        for stream in try WrittenLines.streams() {
            let bytes = Array(stream.map { $0 + "\n" }.joined().utf8)
            let expected = stream.map { Array($0.utf8) }
            #expect(cut([bytes[...]]).lines == expected)
            #expect(cut(bytes.indices.map { bytes[$0...$0] }).lines == expected)
            #expect(
                cut(stride(from: 0, to: bytes.count, by: 13).map { bytes[$0..<min($0 + 13, bytes.count)] }).lines == expected)
        }
    }

    @Test func everyWrittenLine_keepsTheLaws() throws {
        for line in Set(try WrittenLines.streams().joined()) where line.utf8.count < LawCheck.limit {
            try Array("\(line)\n".utf8).withUnsafeBytes { try LawCheck.check($0, chunkedBy: UInt8(line.utf8.count & 255)) }
        }
    }
}
