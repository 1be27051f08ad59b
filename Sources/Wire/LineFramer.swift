/// Splits a stream of bytes, in chunks of any size, into lines. A line ends with `\n`; a `\r` before it is dropped. Blank lines are
/// ignored, or reported as empty ones where they count against a rate limit. At most ``limit`` bytes are kept between two chunks, and one
/// more for a `\r`.
public struct LineFramer: Sendable {
    /// The longest line, in bytes without its end.
    public let limit: Int
    /// Whether a line has exceeded the limit. All bytes after it are discarded.
    public private(set) var isOverLimit = false
    /// The beginning of a line whose end has not arrived; empty when a line was too long.
    private var partial: [UInt8] = []

    private let reportsBlankLines: Bool

    /// - Parameter reportsBlankLines: whether a blank line is passed on as an empty one, for a rate limit.
    public init(limit: Int, reportsBlankLines: Bool = false) {
        self.limit = limit
        self.reportsBlankLines = reportsBlankLines
    }

    /// Splits a chunk and passes on each complete line. The buffers are valid during the call only.
    /// - Parameter onLine: returns false to stop after this line. The bytes after it are not consumed: this framer or another one can
    ///   take them later.
    /// - Returns: the number of bytes consumed: all, or, if `onLine` has returned false, those up to and including that line's end.
    ///   Bytes after a line that is too long are consumed and discarded.
    @discardableResult
    public mutating func append(_ chunk: UnsafeRawBufferPointer, onLine: (UnsafeBufferPointer<UInt8>) -> Bool) -> Int {
        var start = 0
        while !isOverLimit, let end = Self.lineEnd(in: chunk, from: start) {
            let goesOn = cut(UnsafeRawBufferPointer(rebasing: chunk[start..<end]), onLine)
            start = end + 1
            guard goesOn else { return start }
        }
        if !isOverLimit, start < chunk.count { keep(UnsafeRawBufferPointer(rebasing: chunk[start...])) }
        return chunk.count
    }

    /// Removes and returns the incomplete line, for another framer that gets the bytes after it.
    package mutating func takePartial() -> [UInt8] {
        defer { partial = [] }
        return partial
    }

    /// Passes on the line that ends with this piece.
    @inline(__always)
    private mutating func cut(_ piece: UnsafeRawBufferPointer, _ onLine: (UnsafeBufferPointer<UInt8>) -> Bool) -> Bool {
        guard !partial.isEmpty else { return emit(piece.assumingMemoryBound(to: UInt8.self), onLine) }
        keep(piece)
        guard !isOverLimit else { return true }
        // Moved out during the call, which would copy it otherwise, and back, to reuse its memory.
        var line: [UInt8] = []
        swap(&line, &partial)
        let goesOn = line.withUnsafeBufferPointer { emit($0, onLine) }
        line.removeAll(keepingCapacity: true)
        swap(&line, &partial)
        return goesOn
    }

    /// Keeps the beginning of a line until its end arrives.
    private mutating func keep(_ piece: UnsafeRawBufferPointer) {
        // One byte more than the limit may still be the `\r` of a line that fits.
        let excess = partial.count + piece.count - limit
        guard excess <= 0 || excess == 1 && (piece.last ?? partial.last) == UInt8(ascii: "\r") else { return giveUp() }
        partial.append(contentsOf: piece)
    }

    /// - Returns: false if the receiver stops after this line.
    @inline(__always)
    private mutating func emit(
        _ bytes: UnsafeBufferPointer<UInt8>, _ onLine: (UnsafeBufferPointer<UInt8>) -> Bool
    ) -> Bool {
        var line = bytes
        if line.last == UInt8(ascii: "\r") { line = UnsafeBufferPointer(rebasing: line.dropLast()) }
        guard line.count <= limit else {
            giveUp()
            return true
        }
        guard line.allSatisfy(isJSONSpace) else { return onLine(line) }
        return !reportsBlankLines || onLine(UnsafeBufferPointer(rebasing: line[..<line.startIndex]))
    }

    private mutating func giveUp() {
        isOverLimit = true
        partial = []
    }

    /// The index of the next `\n`. Eight bytes at a time: the exclusive or turns a `\n` into 0, and subtracting 1 from each byte borrows
    /// into the high bit of the lowest byte that is 0.
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
