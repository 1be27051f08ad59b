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
    /// Turns the table at revision `from` into the one at `to`, with its check value if the connection wants it.
    case diff(from: Int, to: Int, check: UInt32?, TableDifference)
    /// Turns the lobby's list into the next one.
    case lobby(LobbyChange)
    /// Somebody at the table says something.
    case chat(ChatLine)
    /// An action of the host against a player at the table.
    case notice(HostNotice)
    /// The player's last rounds, asked for with `history`.
    case history(HandHistory)
    /// The player's balance and its changes, asked for with `statement`.
    case statement(BalanceStatement)
    /// The expected values of a table's rules, asked for with `chart`.
    case chart(ValueChart)
    /// Asks whether the client lives; carries the server's time in milliseconds since 1970.
    case ping(time: Int64)
    /// An event as a sentence, for a verbose connection.
    case note(String)
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
        EventDescription(.ping(time: 0), "the server asks whether you live; answer with `pong`"),
        EventDescription(.snapshot(table: "", epoch: "", revision: 0, TableSnapshot()), "a whole table"),
        EventDescription(
            .diff(from: 0, to: 0, check: nil, TableDifference()), "what has changed at the table that you watch"),
        EventDescription(.lobby(.blank), "what has changed in the lobby, for those who follow it"),
        EventDescription(.chat(.blank), "somebody at the table says something"),
        EventDescription(.notice(.blank), "the host or the table's owner has done something to a player at your table"),
        EventDescription(.history(.blank), "your last rounds, after the `ok` to `history`; nobody else gets them"),
        EventDescription(.statement(.blank), "your balance and its changes, after the `ok` to `statement`"),
        EventDescription(.chart(.blank), "what each action is worth under a table's rules, after the `ok` to `chart`"),
        EventDescription(.note(""), "what has happened, for those with the option `verbose`"),
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
        case .statement: "statement"
        case .chart: "chart"
        case .ping: "ping"
        case .note: "note"
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
        case .statement(var statement):
            try statement.visit(&visitor)
            self = .statement(statement)
        case .chart(var chart):
            try chart.visit(&visitor)
            self = .chart(chart)
        case .ping(var time):
            try visitor.required("time", &time, .time, "the server's time")
            self = .ping(time: time)
        case .note(var text):
            try visitor.required("text", &text, .any, "a sentence")
            self = .note(text)
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
            try visitor.required("sections", &snapshot, "its sections with their items, each of them once")
            self = .snapshot(table: table, epoch: epoch, revision: revision, snapshot, chat: chat)
        case .diff(var from, var to, var check, var difference):
            try visitor.required("from", &from, .revision, "the revision that it applies to")
            try visitor.required("to", &to, .revision, "the revision that it leads to")
            try visitor.optional("check", &check, "the check value of the table at revision `to`")
            try difference.visit(&visitor)
            self = .diff(from: from, to: to, check: check, difference)
        default: break
        }
    }
}
