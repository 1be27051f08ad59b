import TableModel

/// Reads the lines of a server in order. A diff reuses the memory of the one before it: once that has grown, reading a diff allocates
/// nothing.
///
/// ```swift
/// var reader = ServerLineReader()
/// switch try reader.read(line) {
/// case .diff: table = try table.applying(reader.diff.difference)
/// case .message(let message): take(message)
/// }
/// ```
public struct ServerLineReader: Sendable {
    /// A diff as ``ServerMessage/diff(from:to:check:_:)`` has it.
    public struct Diff: Equatable, Sendable {
        /// The revision that the table must be at.
        public internal(set) var from = 0
        /// The revision that it is at afterwards.
        public internal(set) var to = 0
        /// The check value of the table afterwards, where it was sent.
        public internal(set) var check: UInt32?
        public internal(set) var difference = TableDifference()
    }

    /// The kind of a line.
    public enum Reading: Equatable, Sendable {
        /// A diff, which is in ``ServerLineReader/diff`` until the next line is read.
        case diff
        /// Any other message.
        case message(ServerMessage)
    }

    /// The last diff; empty after another message.
    public private(set) var diff = Diff()

    public init() {}

    /// Reads one line, with the results and errors of ``ServerMessage/init(line:)``.
    public mutating func read(_ line: UnsafeBufferPointer<UInt8>) throws(ProtocolError) -> Reading {
        do throws(Detour) {
            try diff.readShortcut(line)
            return .diff
        } catch {
            diff.reset()
        }
        if let reply = try? ServerMessage(shortcut: line) { return .message(reply) }
        let message = try ServerMessage(readingGenerally: line)
        guard case .diff(let from, let to, let check, let difference) = message else { return .message(message) }
        diff = Diff(from: from, to: to, check: check, difference: difference)
        return .diff
    }
}

extension ServerLineReader.Diff {
    /// Reads a diff as we write it. After a detour its contents are unspecified.
    @inline(__always)
    mutating func readShortcut(_ line: UnsafeBufferPointer<UInt8>) throws(Detour) {
        var cursor = try LineCursor(line)
        try cursor.expect("{\"type\":\"diff\",\"from\":")
        difference.removeAll()
        from = try cursor.integer(in: WireRange.revision)
        try cursor.expect(",\"to\":")
        to = try cursor.integer(in: WireRange.revision)
        check = cursor.take(",\"check\":") ? UInt32(try cursor.integer(in: WireRange.check)) : nil
        try difference.readShortcut(&cursor)
    }

    mutating func reset() {
        (from, to, check) = (0, 0, nil)
        difference.removeAll()
    }
}
