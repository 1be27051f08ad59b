/// Cuts a stream of bytes into lines, however the bytes are chunked.
///
/// A line ends with `\n`; a `\r` before it is dropped, and blank lines are ignored. What is kept between two chunks is bounded by the
/// limit.
public struct LineFramer: Sendable {
    private enum State {
        case cutting
        /// A line was longer than the limit.
        case overLimit
        /// The receiver of lines wants no more.
        case stopped
    }

    /// The longest line, in bytes without its end.
    public let limit: Int
    private var state = State.cutting
    private var partial: [UInt8] = []

    public init(limit: Int) { self.limit = limit }

    /// Whether a line longer than the limit was met. Nothing is cut any more from then on.
    public var isOverLimit: Bool { state == .overLimit }

    /// Takes a chunk and hands on each whole line. The buffers are valid during the call only.
    /// - Parameter onLine: returns false to have all the rest ignored.
    public mutating func append(_ chunk: UnsafeRawBufferPointer, onLine: (UnsafeBufferPointer<UInt8>) -> Bool) {
        guard state == .cutting else { return }
        let bytes = chunk.bindMemory(to: UInt8.self)
        var start = 0
        while let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) {
            if partial.isEmpty {
                emit(UnsafeBufferPointer(rebasing: bytes[start..<end]), onLine)
            } else {
                guard keep(bytes[start..<end]) else { return }
                var line: [UInt8] = []
                swap(&line, &partial)
                line.withUnsafeBufferPointer { emit($0, onLine) }
                line.removeAll(keepingCapacity: true)
                swap(&line, &partial)
            }
            guard state == .cutting else {
                partial = []
                return
            }
            start = end + 1
        }
        if start < bytes.count { _ = keep(bytes[start...]) }
    }

    /// Keeps the beginning of a line until its end arrives.
    private mutating func keep(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
        // One byte more than the limit may still be the `\r` of a line that fits.
        guard partial.count + bytes.count <= limit + 1 else {
            state = .overLimit
            partial = []
            return false
        }
        partial.append(contentsOf: bytes)
        return true
    }

    private mutating func emit(_ bytes: UnsafeBufferPointer<UInt8>, _ onLine: (UnsafeBufferPointer<UInt8>) -> Bool) {
        var line = bytes
        if line.last == UInt8(ascii: "\r") { line = UnsafeBufferPointer(rebasing: line.dropLast()) }
        guard line.count <= limit else {
            state = .overLimit
            return
        }
        guard line.contains(where: { !isJSONSpace($0) }) else { return }
        if !onLine(line) { state = .stopped }
    }
}
