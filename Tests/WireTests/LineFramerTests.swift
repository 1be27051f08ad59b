import Testing

@testable import Wire

struct LineFramerTests {
    /// The lines of some chunks, and whether one was too long.
    private func cut(_ chunks: [[UInt8]], limit: Int = 64, stopAfter: Int = .max) -> (lines: [String], isOverLimit: Bool) {
        var framer = LineFramer(limit: limit)
        var lines: [String] = []
        for chunk in chunks {
            chunk.withUnsafeBytes { bytes in
                _ = framer.append(bytes) { line in
                    lines.append(String(decoding: line, as: UTF8.self))
                    return lines.count < stopAfter
                }
            }
        }
        return (lines, framer.isOverLimit)
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

    @Test func byteByByte_givesTheSameLines() {
        #expect(cut(Self.stream.map { [$0] }).lines == Self.lines)
    }

    @Test func anEnd_isFoundAtEveryOffset_whateverSurroundsIt() {
        // Bytes one off from an end, and with the high bit, are what a search by words would take for one.
        for filler in [UInt8(0x0B), 0x09, 0x8A, 0x00, 0xFF, 0x61] {
            for length in 0..<40 {
                let line = [0x78] + [UInt8](repeating: filler, count: length)
                var found: [Int] = []
                var framer = LineFramer(limit: 64)
                (line + [10] + line + [10]).withUnsafeBytes { bytes in
                    _ = framer.append(bytes) {
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

    @Test func aReceiverThatStops_isToldHowFarItCame_andCanGoOn() {
        let text = Array("one\r\n\ntwo\nthree\nfour".utf8)
        for split in 0...text.count {
            var framer = LineFramer(limit: 64)
            var lines: [String] = []
            for chunk in [text[..<split], text[split...]] {
                var rest = Array(chunk)
                while !rest.isEmpty {
                    let count = lines.count
                    let taken = rest.withUnsafeBytes { bytes in
                        framer.append(bytes) { line in
                            lines.append(String(decoding: line, as: UTF8.self))
                            return false
                        }
                    }
                    #expect(taken > 0 && lines.count <= count + 1)
                    #expect(lines.count == count ? taken == rest.count : rest[taken - 1] == 10)
                    rest.removeFirst(taken)
                }
            }
            #expect(lines == ["one", "two", "three"] && !framer.isOverLimit)
        }
    }

    private func chunks(_ text: String, _ size: Int) -> [[UInt8]] {
        let bytes = Array(text.utf8)
        return stride(from: 0, to: bytes.count, by: size).map { Array(bytes[$0..<min($0 + size, bytes.count)]) }
    }
}
