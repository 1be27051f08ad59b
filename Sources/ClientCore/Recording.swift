import TableModel
import Wire

/// The lines that a client or a judge received, with their times. Anybody may have written the file: it is bounded, and read whole, so that a fault
/// is known before anything is shown.
public struct Recording: Sendable {
    /// Bytes of a file, and its lines.
    public static let byteLimit = 64 << 20
    private static let lineLimit = 1 << 20

    /// The fault, and its line.
    public struct Unreadable: Error, Equatable, CustomStringConvertible {
        public let line: Int
        public let reason: String
        public var description: String { "line \(line): \(reason)" }
    }

    /// A line that shows something.
    public struct Moment: Sendable {
        /// Milliseconds since the beginning.
        public let time: Int64
        /// The round that the table shows then; 0 before the first.
        public let round: Int
        fileprivate let line: Int
    }

    fileprivate struct Line {
        var number: Int
        var time: Int64
        /// The message, or the comment.
        var text: ArraySlice<UInt8>
        var isComment = false
    }

    public private(set) var moments: [Moment] = []
    fileprivate private(set) var lines: [Line] = []

    /// - Parameter bytes: may be longer than ``byteLimit``, which is refused.
    public init(_ bytes: [UInt8]) throws(Unreadable) {
        let parts = bytes.split(separator: 0x0A, maxSplits: Self.lineLimit, omittingEmptySubsequences: false)
        guard parts[0].elementsEqual(RecordedLine.header.utf8) else {
            throw Unreadable(line: 1, reason: "not a recording: '\(RecordedLine.header)' is missing")
        }
        guard bytes.count <= Self.byteLimit, parts.count <= Self.lineLimit else {
            let reason = "too long: a recording has at most \(Self.byteLimit >> 20) MiB and \(Self.lineLimit) lines"
            throw Unreadable(line: parts.count, reason: reason)
        }
        guard parts[parts.count - 1].isEmpty else { throw Unreadable(line: parts.count, reason: "cut: the line has no end") }
        for (index, part) in parts.dropLast().enumerated().dropFirst() {
            if let line = try Self.line(part, index + 1, after: lines.last?.time ?? 0) { lines.append(line) }
        }
        var reader = RecordingReader(self)
        for (index, line) in lines.enumerated() where reader.take(line) != nil {
            moments.append(Moment(time: line.time, round: reader.state.snapshot?.round?.number ?? 0, line: index))
        }
    }

    /// - Returns: nil for a line that was sent.
    private static func line(_ text: ArraySlice<UInt8>, _ number: Int, after last: Int64) throws(Unreadable) -> Line? {
        if text.first == UInt8(ascii: "#") {
            // It is shown with each picture.
            return Line(number: number, time: last, text: text.dropFirst(2).prefix(ChatText.maximumBytes), isComment: true)
        }
        guard let blank = text.prefix(20).firstIndex(of: 0x20), case let mark = text[blank...].prefix(3),
            mark.elementsEqual(" < ".utf8) || mark.elementsEqual(" > ".utf8),
            let time = Int64(String(decoding: text[..<blank], as: UTF8.self)), (0..<1 << 53).contains(time)
        else { throw Unreadable(line: number, reason: "neither 'MS < MESSAGE' nor a comment behind '#'") }
        guard time >= last else { throw Unreadable(line: number, reason: "the time goes back") }
        let message = text[(blank + 3)...]
        guard message.count <= WireLimits.eventBytes else {
            throw Unreadable(line: number, reason: "too long: a message has at most \(WireLimits.eventBytes) bytes")
        }
        return mark.elementsEqual(" < ".utf8) ? Line(number: number, time: time, text: message) : nil
    }
}

/// A place in a recording, and what is shown there: a value, so that a copy goes on from its own. Asks nobody for what is missing.
public struct RecordingReader: Sendable {
    public let recording: Recording
    /// The moments that were read.
    public private(set) var index = 0
    /// As of the last line. The clock offset leads from the recording's time to the server's.
    public private(set) var state = ClientState()
    /// The last comment.
    public private(set) var caption: String?
    private var cursor = TableCursor.none
    private var line = 0
    private var isInGap = false

    public init(_ recording: Recording) {
        self.recording = recording
        state.link = .loggedIn
    }

    /// Reads on to the next moment; nil at the end.
    public mutating func next() -> ClientUpdate? {
        guard index < recording.moments.count else { return nil }
        var event: ClientEvent?
        while line <= recording.moments[index].line {
            event = take(recording.lines[line])
            line += 1
        }
        index += 1
        return event.map { ClientUpdate(state: state, event: $0) }
    }

    fileprivate mutating func take(_ line: Recording.Line) -> ClientEvent? {
        guard !line.isComment else {
            caption = String(decoding: line.text, as: UTF8.self)
            return .note(caption ?? "")
        }
        defer { (state.position, state.snapshot) = (cursor.position, cursor.held?.snapshot) }
        do throws(ProtocolError) {
            let message = try line.text.withUnsafeBufferPointer { bytes throws(ProtocolError) in try ServerMessage(line: bytes) }
            return take(message, at: line.time)
        } catch {
            // A server's line against the protocol is a part of the recording.
            return .note("Line \(line.number) is no message: \(error.message)")
        }
    }

    private mutating func take(_ message: ServerMessage, at time: Int64) -> ClientEvent? {
        switch message {
        case .hello(let hello): (state.hello, state.clockOffset) = (hello, hello.time - time)
        case .ok(_, .ping(let server)): state.clockOffset = server - time
        case .ok(let id, .watch(let table, var missed)):
            // Of the player who recorded it, whom the table shows like all others.
            missed.results = []
            return missed.chat.isEmpty ? nil : .reply(id, .watch(table: table, missed))
        case .ok(_, .applied("leave", _)):
            cursor = .none
            return .leftTable
        case .snapshot(let table, let epoch, let revision, let new, let chat):
            isInGap = false
            let position = TablePosition(table: table, epoch: epoch, revision: revision, chat: chat)
            return new.isExcessive ? gap() : .table(cursor.show(new, at: position))
        case .diff(let from, let to, let check, let difference, let news):
            switch cursor.advance(from: from, to: to, check: check, difference, news) {
            case .changes(let change):
                isInGap = false
                return .table(change)
            case .wrong: return .note("The table differs from its check value: it stands still until a whole one comes.")
            // A change that was sent twice is none that is missing.
            case .gap where to <= cursor.position?.revision ?? 0: break
            case .gap, .excessive: return gap()
            case .follows, .skip: break
            }
        case .chat(let line):
            // The lines between follow with the reply to `watch`.
            if case .gap = cursor.hear(line.sequence) { cursor.caughtUp(chat: line.sequence) }
            return .chat(line)
        case .notice(let notice): return .notice(notice)
        case .bye(let code, let reason, _, _): return .goodbye(code: code, message: reason)
        // Not about the table, or to be asked for.
        case .ok, .error, .lobby, .history, .chart, .value, .unknown: break
        }
        return nil
    }

    private mutating func gap() -> ClientEvent? {
        defer { isInGap = true }
        return isInGap ? nil : .note("Changes are missing here: the table stands still until a whole one comes.")
    }
}
