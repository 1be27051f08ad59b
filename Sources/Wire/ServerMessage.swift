import Rules
import TableModel

/// A message of a server. The rare and large ones are boxed, so that `ok` and `diff` stay small to pass around.
public enum ServerMessage: Equatable, Sendable {
    /// The first line of every connection.
    indirect case hello(Hello)
    /// A request was carried out.
    case ok(id: RequestID?, Reply)
    /// A request was refused, without effect.
    case error(Refusal)
    /// A whole table. Another epoch is another table, even under the same name: its revisions are not comparable.
    /// `chat` is the number of the last line of chat, 0 for none.
    indirect case snapshot(table: String, epoch: String, revision: Int, TableSnapshot, chat: Int = 0)
    /// Turns the table at revision `from` into the one at `to`, with its check value where hands are settled or revisions are put together, and
    /// what happened if the connection has the option `facts`.
    case diff(from: Int, to: Int, check: UInt32?, TableDifference, news: TableNews = .none)
    /// Turns the lobby's list into the next one.
    indirect case lobby(LobbyChange)
    /// Somebody at the table says something.
    indirect case chat(ChatLine)
    /// An action of the host against a player at the table.
    indirect case notice(HostNotice)
    /// The player's last rounds, asked for with `history`.
    indirect case history(HandHistory)
    /// The expected values of a table's rules, asked for with `chart`.
    indirect case chart(ValueChart)
    /// The worth of a decision or of the next round, asked for with `value`.
    indirect case value(Valuation)
    /// The server closes the connection: the reason as a code and as a sentence; the ranking, for people whose evening ends with it.
    indirect case bye(code: String, message: String, standings: Standings? = nil, career: LeaderboardEntry? = nil)
    /// A type that this version does not know; to be skipped.
    case unknown(type: String)
}

extension Catalog {
    /// Every message of a server, blank: the one list of their types. The other fields of an `ok` belong to its request.
    package static let events = [
        EventDescription(.hello(.blank), "the first line of every connection"),
        EventDescription(.ok(id: nil, .done("")), "a request was carried out; other fields depend on its type"),
        EventDescription(.error(.blank), "a request was refused and had no effect"),
        EventDescription(.bye(code: "", message: ""), "the server closes the connection, with the reason"),
        EventDescription(.snapshot(table: "", epoch: "", revision: 0, TableSnapshot()), "a whole table"),
        EventDescription(
            .diff(from: 0, to: 0, check: nil, TableDifference()), "changes of the table that you watch"),
        EventDescription(.lobby(.blank), "changes of the lobby, for those who follow it"),
        EventDescription(.chat(.blank), "a chat message at the table"),
        EventDescription(.notice(.blank), "an action of the host or the table's owner"),
        EventDescription(.history(.blank), "your last rounds, after the `ok` to `history`"),
        EventDescription(.chart(.blank), "the value of each action under a table's rules, after the `ok` to `chart`"),
        EventDescription(.value(.nextRound(edge: 0)), "what your decision or the next round is worth, after the `ok` to `value`"),
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
        case .value: "value"
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
        case .value(var valuation):
            try valuation.visit(&visitor)
            self = .value(valuation)
        case .bye(var code, var message, var standings, var career):
            let codes = TextBounds(.max) { .reference(.goodbyeCode) }
            try visitor.required("code", &code, codes, "stable, for programs")
            try visitor.required("message", &message, .any, "a sentence for people")
            try visitor.optional(
                "standings", &standings, "the final standings of a drain, as in a reply to `standings`; bots get none")
            try visitor.optional("career", &career, "after a drain or `logout`: your career, as in a reply to `standings`")
            self = .bye(code: code, message: message, standings: standings, career: career)
        case .snapshot(var table, var epoch, var revision, var snapshot, var chat):
            try visitor.required("table", &table, .table, "the table's name")
            try visitor.required("epoch", &epoch, .epoch, "distinguishes this table from another one of the same name")
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
        case .unknown: break
        }
    }

    // MARK: Decoding

    /// Reads one line. A server is not trusted either: every bound of the protocol is checked.
    /// - Throws: `ProtocolError.json` for a line that is not a message.
    public init(line: UnsafeBufferPointer<UInt8>) throws(ProtocolError) {
        do {
            self = try JSONValue.read(line, members: WireLimits.eventMembers) { value throws(JSONError) in
                var object = try value.object()
                let type = try object.required("type")
                let known = try type.withText { Catalog.blankEvents.index(of: $0) }
                var message = if let known { Catalog.blankEvents.blanks[known] } else { Self.unknown(type: try type.string()) }
                try message.visit(&object)
                return message
            }
        } catch {
            throw .json(error)
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
        // Rare enough for the general writer.
        default:
            var copy = self
            JSONWriter.appendLine(to: &bytes) { writer in
                writer.member("type", type)
                copy.visit(&writer)
            }
        }
    }

    /// Appends the line of an ``ok(id:_:)`` with ``Reply/applied(_:at:)`` without the message, which is large to pass around.
    public static func encodeApplied(id: RequestID?, _ type: String, at revision: Int?, into bytes: inout [UInt8]) {
        JSONWriter.appendLine(to: &bytes) { writer in
            writer.member("type", word: "ok")
            if let id {
                writer.key("id")
                id.write(to: &writer)
            }
            writer.member("to", type)
            if let revision { writer.member("rev", revision) }
        }
    }

    /// Appends the line of a ``diff(from:to:check:_:)`` without a message that would retain the difference's arrays.
    public static func encodeDiff(
        from: Int, to: Int, check: UInt32?, _ difference: borrowing TableDifference, into bytes: inout [UInt8]
    ) {
        JSONWriter.appendLine(to: &bytes) { writer in
            writer.member("type", word: "diff")
            writer.member("from", from)
            writer.member("to", to)
            if let check { writer.member("check", Int(check)) }
            writer.write(difference)
        }
    }

    /// Adds facts to the line of a diff, the last one in `bytes`: one encoded difference serves viewers with and without facts.
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
}
