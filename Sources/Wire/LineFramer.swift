/// Cuts a stream of bytes into lines, however the bytes are chunked.
///
/// A line ends with `\n`; a `\r` before it is dropped, and blank lines are ignored. What is kept between two chunks is bounded by the
/// limit.
public struct LineFramer: Sendable {
    private enum State {
        case cutting
        /// A line was longer than the limit.
        case overLimit
    }

    /// The longest line, in bytes without its end.
    public let limit: Int
    private var state = State.cutting
    /// The beginning of a line whose end has not arrived; empty unless `state` is `cutting`.
    private var partial: [UInt8] = []

    public init(limit: Int) { self.limit = limit }

    /// Whether a line longer than the limit was met. Nothing is cut any more from then on.
    public var isOverLimit: Bool { state == .overLimit }

    /// Takes a chunk and hands on each whole line. The buffers are valid during the call only.
    /// - Parameter onLine: returns false to stop behind that line; the rest can be taken later.
    /// - Returns: how many bytes were taken: all, unless it was stopped.
    @discardableResult
    public mutating func append(_ chunk: UnsafeRawBufferPointer, onLine: (UnsafeBufferPointer<UInt8>) -> Bool) -> Int {
        var start = 0
        while state == .cutting, let end = Self.lineEnd(in: chunk, from: start) {
            let piece = UnsafeRawBufferPointer(rebasing: chunk[start..<end])
            var goesOn = true
            if partial.isEmpty {
                goesOn = piece.withMemoryRebound(to: UInt8.self) { emit($0, onLine) }
            } else if keep(piece) {
                // Taken out while it is lent, put back for its memory.
                var line: [UInt8] = []
                swap(&line, &partial)
                goesOn = line.withUnsafeBufferPointer { emit($0, onLine) }
                line.removeAll(keepingCapacity: true)
                swap(&line, &partial)
            }
            start = end + 1
            if !goesOn { return start }
        }
        if state == .cutting, start < chunk.count { _ = keep(UnsafeRawBufferPointer(rebasing: chunk[start...])) }
        if state != .cutting { partial = [] }
        return chunk.count
    }

    /// Keeps the beginning of a line until its end arrives. False when the line is too long already.
    private mutating func keep(_ piece: UnsafeRawBufferPointer) -> Bool {
        // One byte more than the limit may still be the `\r` of a line that fits.
        let excess = partial.count + piece.count - limit
        guard excess <= 0 || excess == 1 && (piece.last ?? partial.last) == UInt8(ascii: "\r") else {
            state = .overLimit
            return false
        }
        partial.append(contentsOf: piece)
        return true
    }

    /// False when the receiver wants no more for now.
    private mutating func emit(_ bytes: UnsafeBufferPointer<UInt8>, _ onLine: (UnsafeBufferPointer<UInt8>) -> Bool) -> Bool {
        var line = bytes
        if line.last == UInt8(ascii: "\r") { line = UnsafeBufferPointer(rebasing: line.dropLast()) }
        guard line.count <= limit else {
            state = .overLimit
            return true
        }
        guard line.contains(where: { !isJSONSpace($0) }) else { return true }
        return onLine(line)
    }

    /// Where the next `\n` is. Eight bytes at a time: the exclusive or makes a `\n` zero, and a zero byte is the lowest one of which
    /// subtracting one borrows into a high bit that was not set before.
    private static func lineEnd(in chunk: UnsafeRawBufferPointer, from start: Int) -> Int? {
        var index = start
        while index &+ 8 <= chunk.count {
            let word = UInt64(littleEndian: chunk.loadUnaligned(fromByteOffset: index, as: UInt64.self)) ^ 0x0A0A_0A0A_0A0A_0A0A
            let zeros = (word &- 0x0101_0101_0101_0101) & ~word & 0x8080_8080_8080_8080
            if zeros != 0 { return index &+ zeros.trailingZeroBitCount / 8 }
            index &+= 8
        }
        while index < chunk.count {
            if chunk[index] == UInt8(ascii: "\n") { return index }
            index &+= 1
        }
        return nil
    }
}
