import TableModel
import Wire

/// Which law of the codec some bytes have broken.
struct BrokenLaw: Error, Equatable, CustomStringConvertible {
    /// The law as a sentence.
    let description: String
}

/// Throws unless the law holds.
func require(_ holds: Bool, _ law: @autoclosure () -> String) throws(BrokenLaw) {
    guard holds else { throw BrokenLaw(description: law()) }
}

/// Holds the codec to its laws: the lines of a stream are the same in any chunks; what was
/// understood is written so that it reads back the same; and a difference that fits a table leads where it says.
enum LawCheck {
    /// The longest line here, in bytes: short, so that little is needed to reach it.
    static let limit = 1024

    /// Checks everything about a stream.
    /// - Parameter seed: chooses the chunks in which the stream arrives.
    /// - Throws: the first law that is broken.
    static func check(_ stream: UnsafeRawBufferPointer, chunkedBy seed: UInt8) throws(BrokenLaw) {
        var session = LawfulSession()
        for line in try lines(of: stream, chunkedBy: seed) { try session.take(line) }
    }

    /// The lines of a stream, which are the same however it is chunked.
    static func lines(of stream: UnsafeRawBufferPointer, chunkedBy seed: UInt8) throws(BrokenLaw) -> [[UInt8]] {
        var whole = LineFramer(limit: limit)
        var lines: [[UInt8]] = []
        let consumed = whole.append(stream) {
            lines.append(Array($0))
            return true
        }
        try require(consumed == stream.count, "all of a chunk is consumed")
        for other in [chunked(stream, seed), try stopping(stream)] {
            try require(other.lines == lines, "any chunks give the same lines")
            try require(other.isOverLimit == whole.isOverLimit, "any chunks find the same line too long")
        }
        return lines
    }

    /// In chunks of sizes that come from a seed, stopping after a line in every second one.
    private static func chunked(_ stream: UnsafeRawBufferPointer, _ seed: UInt8) -> (lines: [[UInt8]], isOverLimit: Bool) {
        var framer = LineFramer(limit: limit)
        var lines: [[UInt8]] = []
        var rest = stream
        var state = UInt32(seed) &+ 1
        while !rest.isEmpty {
            state = state &* 1_664_525 &+ 1_013_904_223
            let size = min(rest.count, Int(state >> 24) & (seed & 1 == 0 ? 7 : 63) + 1)
            let goesOn = state & 1 << 20 == 0
            let consumed = framer.append(UnsafeRawBufferPointer(rebasing: rest[..<size])) {
                lines.append(Array($0))
                return goesOn
            }
            rest = UnsafeRawBufferPointer(rebasing: rest[consumed...])
        }
        return (lines, framer.isOverLimit)
    }

    /// Stopping after each line, going on with what is left.
    private static func stopping(
        _ stream: UnsafeRawBufferPointer
    ) throws(BrokenLaw) -> (lines: [[UInt8]], isOverLimit: Bool) {
        var framer = LineFramer(limit: limit)
        var lines: [[UInt8]] = []
        var rest = stream
        while !rest.isEmpty {
            let before = lines.count
            let consumed = framer.append(rest) {
                lines.append(Array($0))
                return false
            }
            try require(lines.count - before <= 1 && consumed > 0, "a receiver that has had enough gets no more")
            try require(lines.count > before || consumed == rest.count, "nothing is left but after a line")
            try require(lines.count == before || rest[consumed - 1] == UInt8(ascii: "\n"), "a line is consumed with its end")
            rest = UnsafeRawBufferPointer(rebasing: rest[consumed...])
        }
        return (lines, framer.isOverLimit)
    }
}
