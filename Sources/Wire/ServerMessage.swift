import Rules
import TableModel

/// A message of a server.
public enum ServerMessage: Equatable, Sendable {
    /// The first line of every connection.
    case hello(Hello)
    /// A request was carried out.
    case ok(id: RequestID?, Reply)
    /// A request was refused, without effect.
    case error(Refusal)
    /// A whole table. Another epoch is another table, even under the same name: its revisions are not comparable.
    /// `chat` is the number of the last line of chat, 0 for none.
    case snapshot(table: String, epoch: String, revision: Int, TableSnapshot, chat: Int = 0)
    /// Turns the table at revision `from` into the one at `to`, with its check value if the connection wants it, and what happened if the
    /// login asked for it.
    case diff(from: Int, to: Int, check: UInt32?, TableDifference, news: TableNews = .none)
    /// Turns the lobby's list into the next one.
    case lobby(LobbyChange)
    /// Somebody at the table says something.
    case chat(ChatLine)
    /// An action of the host against a player at the table.
    case notice(HostNotice)
    /// The player's last rounds, asked for with `history`.
    case history(HandHistory)
    /// The expected values of a table's rules, asked for with `chart`.
    case chart(ValueChart)
    /// The server closes the connection: the reason as a code and as a sentence.
    case bye(code: String, message: String)
    /// A type that this version does not know; to be skipped.
    case unknown(type: String)
}

extension Catalog {
    /// Every message of a server, blank: the one list of their types. The other fields of an `ok` belong to its request.
    package static let events = [
        EventDescription(.hello(.blank), "the first line of every connection"),
        EventDescription(.ok(id: nil, .done("")), "a request was carried out; what else it has, its type promises"),
        EventDescription(.error(.blank), "a request was refused, and has changed nothing"),
        EventDescription(.bye(code: "", message: ""), "the server closes the connection, and says why"),
        EventDescription(.snapshot(table: "", epoch: "", revision: 0, TableSnapshot()), "a whole table"),
        EventDescription(
            .diff(from: 0, to: 0, check: nil, TableDifference()), "what has changed at the table that you watch"),
        EventDescription(.lobby(.blank), "what has changed in the lobby, for those who follow it"),
        EventDescription(.chat(.blank), "somebody at the table says something"),
        EventDescription(.notice(.blank), "the host or the table's owner has done something to a player at your table"),
        EventDescription(.history(.blank), "your last rounds, after the `ok` to `history`; nobody else gets them"),
        EventDescription(.chart(.blank), "what each action is worth under a table's rules, after the `ok` to `chart`"),
    ]
}

extension ServerMessage {
    var type: String {
        switch self {
        case .hello: "hello"
        case .ok: "ok"
        case .error: "error"
        case .snapshot: "snapshot"
        case .diff: "diff"
        case .lobby: "lobby"
        case .chat: "chat"
        case .notice: "notice"
        case .history: "history"
        case .chart: "chart"
        case .bye: "bye"
        case .unknown(let type): type
        }
    }

    /// The fields besides `type`.
    mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        switch self {
        case .hello(var hello):
            try hello.visit(&visitor)
            self = .hello(hello)
        case .ok(var id, var reply):
            try visitor.optional("id", &id, "the request's, if it had one")
            var type = reply.type
            try visitor.required("to", &type, .any, "the type of the request")
            reply = reply.ofType(type)
            try reply.visit(&visitor)
            self = .ok(id: id, reply)
        case .error(var refusal):
            try refusal.visit(&visitor)
            self = .error(refusal)
        case .lobby(var change):
            try change.visit(&visitor)
            self = .lobby(change)
        case .chat(var line):
            try line.visit(&visitor)
            self = .chat(line)
        case .notice(var notice):
            try notice.visit(&visitor)
            self = .notice(notice)
        case .history(var history):
            try history.visit(&visitor)
            self = .history(history)
        case .chart(var chart):
            try chart.visit(&visitor)
            self = .chart(chart)
        case .bye(var code, var message):
            let codes = TextBounds(.max) { .reference(.goodbyeCode) }
            try visitor.required("code", &code, codes, "stable, for programs")
            try visitor.required("message", &message, .any, "a sentence, for people")
            self = .bye(code: code, message: message)
        case .snapshot, .diff: try visitTable(&visitor)
        case .unknown: break
        }
    }

    private mutating func visitTable<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        switch self {
        case .snapshot(var table, var epoch, var revision, var snapshot, var chat):
            try visitor.required("table", &table, .table, "the table's name")
            try visitor.required("epoch", &epoch, .epoch, "tells this table from another one of the same name")
            try visitor.required("rev", &revision, .revision, "its revision")
            try visitor.optional("chat", &chat, .counter, absent: 0, "the `seq` of the last line of chat there")
            try visitor.required("items", &snapshot, "everything on it")
            self = .snapshot(table: table, epoch: epoch, revision: revision, snapshot, chat: chat)
        case .diff(var from, var to, var check, var difference, var news):
            try visitor.required("from", &from, .revision, "the revision that it applies to")
            try visitor.required("to", &to, .revision, "the revision that it leads to")
            try visitor.optional("check", &check, "the check value of the table at revision `to`")
            try difference.visit(&visitor)
            try news.visit(&visitor)
            self = .diff(from: from, to: to, check: check, difference, news: news)
        default: break
        }
    }

    // MARK: Decoding

    /// Reads one line. A server is not trusted either: every bound of the protocol is checked.
    /// - Throws: `ProtocolError.json` for a line that is no message.
    public init(line: UnsafeBufferPointer<UInt8>) throws(ProtocolError) {
        // `{"type":"d`. An empty diff, made in vain, takes 300 instructions: half a reply.
        if line.count > 9, line[9] == UInt8(ascii: "d") {
            do throws(Fallback) {
                var diff = ServerLineReader.Diff()
                try diff.readShortcut(line)
                self = .diff(from: diff.from, to: diff.to, check: diff.check, diff.difference)
                return
            } catch {}
        }
        if let reply = try? ServerMessage(shortcut: line) {
            self = reply
        } else {
            try self.init(readingGenerally: line)
        }
    }

    /// Reads any line, without shortcuts; tests compare both.
    package init(readingGenerally line: UnsafeBufferPointer<UInt8>) throws(ProtocolError) {
        do {
            self = try JSONValue.read(line, members: WireLimits.eventMembers) { value throws(JSONError) in
                var object = try value.object()
                let type = try object.required("type").string()
                var message = Catalog.blankEvents[type] ?? .unknown(type: type)
                try message.visit(&object)
                return message
            }
        } catch {
            throw .json(error)
        }
    }

    /// Reads the reply to a `bet` or `act` as we write it. For clients: 7 times as fast as the general way (bjbench wire).
    init(shortcut line: UnsafeBufferPointer<UInt8>) throws(Fallback) {
        var cursor = try LineCursor(line)
        try cursor.expect("{\"type\":\"ok\",")
        var id: RequestID?
        if cursor.take("\"id\":") {
            id = try cursor.requestID()
            try cursor.expect(UInt8(ascii: ","))
        }
        try cursor.expect("\"to\":\"")
        let type: String
        switch try cursor.shortText() {
        case wordOf("act"): type = "act"
        case wordOf("bet"): type = "bet"
        default: throw Fallback()
        }
        try cursor.expect(",\"rev\":")
        let revision = try cursor.integer(in: WireRange.revision)
        try cursor.expect(UInt8(ascii: "}"))
        guard cursor.isAtEnd else { throw Fallback() }
        self = .ok(id: id, .applied(type, at: revision))
    }

    // MARK: Diff

    /// Appends the line of a ``diff(from:to:check:_:)`` without a message that would retain the difference's arrays.
    public static func encodeDiff(
        from: Int, to: Int, check: UInt32?, _ difference: borrowing TableDifference, into bytes: inout [UInt8]
    ) {
        JSONWriter.append(to: &bytes) { $0.writeDiff(from, to, check, difference) }
    }

    /// Adds what happened to the line of a diff, which is the last in `bytes`: one encoded difference serves those who asked, too.
    public static func add(_ news: TableNews, to bytes: inout [UInt8]) {
        guard news != .none else { return }
        bytes.removeLast(2)
        JSONWriter.append(to: &bytes) { writer in
            writer.needsComma = true
            var news = news
            news.visit(&writer)
            writer.endObject()
            writer.newline()
        }
    }

    // MARK: Encoding

    /// The message as a line, its end included.
    public func encoded() -> [UInt8] {
        var bytes: [UInt8] = []
        encode(into: &bytes)
        return bytes
    }

    /// Appends the message as a line, its end included.
    public func encode(into bytes: inout [UInt8]) {
        switch self {
        case .ok(let id, .applied(let type, let revision)):
            Self.encodeApplied(id: id, type, at: revision, into: &bytes)
        case .diff(let from, let to, let check, let difference, let news):
            Self.encodeDiff(from: from, to: to, check: check, difference, into: &bytes)
            Self.add(news, to: &bytes)
        default: encodeGenerally(into: &bytes)
        }
    }

    /// Appends any message, without shortcuts; tests compare both.
    package func encodeGenerally(into bytes: inout [UInt8]) { JSONWriter.append(to: &bytes) { write(to: &$0) } }

    /// Appends the line of an ``ok(id:_:)`` with ``Reply/applied(_:at:)`` without the message, which is large to pass around.
    public static func encodeApplied(id: RequestID?, _ type: String, at revision: Int?, into bytes: inout [UInt8]) {
        JSONWriter.append(to: &bytes) { $0.writeApplied(id, type, revision) }
    }

    private func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("type")
        writer.string(type)
        var copy = self
        copy.visit(&writer)
        writer.endObject()
        writer.newline()
    }
}

extension JSONWriter {
    /// By hand: the general way allocates, and takes 14 % of a line in bjbench shard more.
    @inline(__always)
    mutating func writeDiff(_ from: Int, _ to: Int, _ check: UInt32?, _ difference: borrowing TableDifference) {
        room(128)
        put("{\"type\":\"diff\",\"from\":")
        put(from)
        put(",\"to\":")
        put(to)
        if let check {
            put(",\"check\":")
            put(Int(check))
        }
        write(difference)
        room(2)
        put("}\n")
    }

    /// The reply to a request at a table: by hand, since each `bet` and `act` gets one. 8 % of a line in bjbench shard.
    @inline(__always)
    fileprivate mutating func writeApplied(_ id: RequestID?, _ type: String, _ revision: Int?) {
        room(64)
        put("{\"type\":\"ok\"")
        put(id: id)
        room(16)
        put(",\"to\":\"")
        // These need no escapes: 16 % of an encoded reply in bjbench wire.
        switch type {
        case "act": put("act")
        case "bet": put("bet")
        default: append(escaping: type)
        }
        room(64)
        put(UInt8(ascii: "\""))
        if let revision {
            put(",\"rev\":")
            put(revision)
        }
        put("}\n")
    }
}

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
        /// Facts, where the login asked for them.
        public internal(set) var news = TableNews.none
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
        do throws(Fallback) {
            try diff.readShortcut(line)
            return .diff
        } catch {
            diff.reset()
        }
        if let reply = try? ServerMessage(shortcut: line) { return .message(reply) }
        let message = try ServerMessage(readingGenerally: line)
        guard case .diff(let from, let to, let check, let difference, let news) = message else { return .message(message) }
        diff = Diff(from: from, to: to, check: check, difference: difference, news: news)
        return .diff
    }
}

extension ServerLineReader.Diff {
    /// Reads a diff as we write it. After a fallback its contents are unspecified. For clients: 10 times as fast as the general way, which
    /// allocates (bjbench wire).
    @inline(__always)
    mutating func readShortcut(_ line: UnsafeBufferPointer<UInt8>) throws(Fallback) {
        var cursor = try LineCursor(line)
        try cursor.expect("{\"type\":\"diff\",\"from\":")
        difference.removeAll()
        news = .none
        from = try cursor.integer(in: WireRange.revision)
        try cursor.expect(",\"to\":")
        to = try cursor.integer(in: WireRange.revision)
        check = cursor.take(",\"check\":") ? UInt32(try cursor.integer(in: WireRange.check)) : nil
        try difference.readShortcut(&cursor)
    }

    mutating func reset() {
        (from, to, check, news) = (0, 0, nil, .none)
        difference.removeAll()
    }
}
