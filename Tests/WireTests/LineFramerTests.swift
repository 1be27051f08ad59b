import Testing

@testable import Wire

struct LineFramerTests {
    private func cut(_ chunks: [[UInt8]], limit: Int = 64, stopAfter: Int = .max) -> (lines: [String], isOverLimit: Bool) {
        let (lines, isOverLimit) = WireTests.cut(chunks, limit: limit, stopAfter: stopAfter)
        return (lines.map { String(decoding: $0, as: UTF8.self) }, isOverLimit)
    }

    private static let stream = Array(
        "one\n\ntwo\r\n \t \r\n\r\n\na longer line of text\rwith more\nf\u{FC}nf\r\r\n{\"a\":1}\nunfinished".utf8)
    private static let lines = ["one", "two", "a longer line of text\rwith more", "f\u{FC}nf\r", "{\"a\":1}"]

    @Test func everySplitAtTwoPlaces_givesTheSameLines() {
        let stream = Self.stream
        for first in 0...stream.count {
            for second in first...stream.count {
                let chunks = [Array(stream[..<first]), Array(stream[first..<second]), Array(stream[second...])]
                let result = cut(chunks)
                guard result.lines != Self.lines || result.isOverLimit else { continue }
                Issue.record("split at \(first) and \(second): \(result)")
            }
        }
    }

    @Test func anEnd_isFoundAtEveryOffset_whateverSurroundsIt() {
        // Bytes one off from an end, and with the high bit, are what a search by words would take for one.
        for filler in [UInt8(0x0B), 0x09, 0x8A, 0x00, 0xFF, 0x61] {
            for length in 0..<40 {
                let line = [0x78] + [UInt8](repeating: filler, count: length)
                var found: [Int] = []
                var framer = LineFramer(limit: 64)
                _ = (line + [10] + line + [10]).withUnsafeBytes { bytes in
                    framer.append(bytes) {
                        found.append($0.count)
                        return true
                    }
                }
                #expect(found == [length + 1, length + 1])
            }
        }
    }

    @Test(arguments: ["\n", "\r\n"]) func aLineOfTheLimit_fits_andOneByteMoreDoesNot(end: String) {
        for limit in [1, 7, 8, 9, 63] {
            let fits = String(repeating: "x", count: limit)
            for chunkSize in [1, 2, 3, 5, limit, limit + 1, 200] {
                #expect(cut(chunks("\(fits)\(end)y\n", chunkSize), limit: limit).lines == [fits, "y"])
                let over = cut(chunks("a\n\(fits)x\(end)b\n", chunkSize), limit: limit)
                #expect(over.lines == ["a"] && over.isOverLimit)
            }
        }
    }

    @Test func aLineWithoutEnd_isOverTheLimitAsSoonAsItIs() {
        let ten = [UInt8](repeating: 0x78, count: 10)
        #expect(!cut([ten], limit: 10).isOverLimit)
        #expect(cut([ten, [0x78]], limit: 10).isOverLimit)
        #expect(!cut([ten, [0x0D]], limit: 10).isOverLimit)
        #expect(cut([ten, [0x0D], [0x0D]], limit: 10).isOverLimit)
        #expect(cut([ten, [0x0D], [0x0A]], limit: 10).lines == ["xxxxxxxxxx"])
        #expect(cut([ten, [], [0x0D], [], [0x78]], limit: 10).isOverLimit)
    }

    @Test func nothingIsCut_afterALineThatWasTooLong() {
        let result = cut(["ok\nmuch too long\nok\n", "ok\n"].map { Array($0.utf8) }, limit: 5)
        #expect(result.lines == ["ok"] && result.isOverLimit)
    }

    @Test func theRestOfAChunk_canBeCutByAnotherFramer() {
        let stream = Array("one\n\n two\nthree\nfo".utf8)
        var first = LineFramer(limit: 64)
        var consumed = first.append(UnsafeRawBufferPointer(start: nil, count: 0)) { _ in true }
        #expect(consumed == 0)
        consumed = stream.withUnsafeBytes { first.append($0) { !$0.contains(UInt8(ascii: "w")) } }
        #expect(consumed == "one\n\n two\n".utf8.count)
        #expect(cut([Array(stream[consumed...]), Array("ur\n".utf8)]).lines == ["three", "four"])
    }

    @Test func allOfAChunk_isConsumed_whenALineIsTooLong() {
        var framer = LineFramer(limit: 5)
        let consumed = Array("ok\nmuch too long\nok\n".utf8).withUnsafeBytes { framer.append($0) { _ in true } }
        #expect(consumed == 20 && framer.isOverLimit)
        #expect(Array("ok\n".utf8).withUnsafeBytes { framer.append($0) { _ in true } } == 3)
    }

    @Test func linesOfSpaceAlone_areBlank_howeverLong() {
        for length in 0..<30 {
            for place in 0..<length {
                for other in [UInt8](arrayLiteral: 9, 13, 11, 0, 0x21, 0x60, 0xA0) {
                    var line = [UInt8](repeating: 0x20, count: length)
                    line[place] = other
                    let isBlank = other == 9 || other == 13
                    #expect(cut([line + [10]]).lines.isEmpty == isBlank)
                }
            }
        }
    }

    private func chunks(_ text: String, _ size: Int) -> [[UInt8]] {
        let bytes = Array(text.utf8)
        return stride(from: 0, to: bytes.count, by: size).map { Array(bytes[$0..<min($0 + size, bytes.count)]) }
    }
}
