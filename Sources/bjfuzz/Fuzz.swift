import TableModel
import Wire

/// What libFuzzer calls with each input: the first byte chooses how the rest, a stream, is cut into chunks.
///
/// Whatever the bytes are, nothing may trap, and these laws hold: the lines are the same in any chunks; the shortcuts read what the general
/// way reads; what was understood is written so that it reads back the same; and a difference that fits a table leads where it says.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = UnsafeBufferPointer(start: start, count: count)
    guard let seed = input.first else { return 0 }
    let stream = UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: input.dropFirst()))
    var session = FuzzedSession()
    for line in FuzzedFraming.lines(of: stream, chunkedBy: seed) { session.take(line) }
    return 0
}

/// Ends the process where a law is broken, so that libFuzzer keeps the input.
func require(_ holds: Bool, _ law: StaticString) {
    if !holds { fatalError("\(law)") }
}

/// One way to cut a stream, held against others.
enum FuzzedFraming {
    /// Short, so that a few bytes reach it.
    static let limit = 1024

    /// The lines of a stream, which are the same however it is chunked.
    static func lines(of stream: UnsafeRawBufferPointer, chunkedBy seed: UInt8) -> [[UInt8]] {
        var whole = LineFramer(limit: limit)
        var lines: [[UInt8]] = []
        let consumed = whole.append(stream) {
            lines.append(Array($0))
            return true
        }
        require(consumed == stream.count, "all of a chunk is consumed")
        compare(lines, whole.isOverLimit, chunked(stream, seed))
        compare(lines, whole.isOverLimit, stopping(stream))
        return lines
    }

    private static func compare(_ lines: [[UInt8]], _ isOverLimit: Bool, _ other: (lines: [[UInt8]], isOverLimit: Bool)) {
        require(other.lines == lines, "any chunks give the same lines")
        require(other.isOverLimit == isOverLimit, "any chunks find the same line too long")
    }

    /// In chunks of sizes that come from a seed.
    private static func chunked(_ stream: UnsafeRawBufferPointer, _ seed: UInt8) -> (lines: [[UInt8]], isOverLimit: Bool) {
        var framer = LineFramer(limit: limit)
        var lines: [[UInt8]] = []
        var rest = stream
        var state = UInt32(seed) &+ 1
        while !rest.isEmpty {
            state = state &* 1_664_525 &+ 1_013_904_223
            let size = min(rest.count, Int(state >> 24) & (seed & 1 == 0 ? 7 : 63) + 1)
            framer.append(UnsafeRawBufferPointer(rebasing: rest[..<size])) {
                lines.append(Array($0))
                return true
            }
            rest = UnsafeRawBufferPointer(rebasing: rest[size...])
        }
        return (lines, framer.isOverLimit)
    }

    /// Stopping after each line, going on with what is left.
    private static func stopping(_ stream: UnsafeRawBufferPointer) -> (lines: [[UInt8]], isOverLimit: Bool) {
        var framer = LineFramer(limit: limit)
        var lines: [[UInt8]] = []
        var rest = stream
        while !rest.isEmpty {
            let before = lines.count
            let consumed = framer.append(rest) {
                lines.append(Array($0))
                return false
            }
            require(lines.count - before <= 1 && consumed > 0, "a receiver that has had enough gets no more")
            require(lines.count > before || consumed == rest.count, "nothing is left but after a line")
            require(lines.count == before || rest[consumed - 1] == UInt8(ascii: "\n"), "a line is consumed with its end")
            rest = UnsafeRawBufferPointer(rebasing: rest[consumed...])
        }
        return (lines, framer.isOverLimit)
    }
}
