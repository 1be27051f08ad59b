import Rules
import TableModel

/// The first message of a server: its version, limits and features.
public struct Hello: Equatable, Sendable {
    /// The optional features of this server.
    public static let features = [
        "chart", "chat", "evening", "fair", "history", "lobby", "owner", "pedantic", "reaction", "value",
    ]

    /// The house of a server that has drawn no identity.
    public static let unnamedHouse = "0000000000000000"

    /// Program and version.
    public var server: String
    /// Identifies the server, at any address: 16 lower-case hexadecimal digits. Accounts belong to a house.
    public var house: String
    /// Supported versions of the protocol.
    public var versions: ClosedRange<Int>
    /// Milliseconds since 1970 on the server's clock; deadlines are on the same clock.
    public var time: Int64
    /// Seconds without a line after which the server closes the connection.
    public var idleSeconds: Int
    public var limits: Limits
    public var features: [String]
    /// Whether the server drains: it gives no new seats.
    public var isDraining: Bool
    /// Whether the house gives chips to a player who cannot bet the minimum.
    public var givesRebuys: Bool

    public init(
        server: String, house: String = Hello.unnamedHouse, versions: ClosedRange<Int> = WireLimits.versions, time: Int64,
        idleSeconds: Int,
        limits: Limits = Limits(), features: [String] = Hello.features, isDraining: Bool = false, givesRebuys: Bool = true
    ) {
        (self.server, self.house, self.versions, self.time, self.idleSeconds) = (server, house, versions, time, idleSeconds)
        (self.limits, self.features, self.isDraining, self.givesRebuys) = (limits, features, isDraining, givesRebuys)
    }

    /// The bounds of a client's lines and requests.
    public struct Limits: Equatable, Sendable {
        /// The longest line, in bytes without its end.
        public var line = WireLimits.requestBytes
        /// Objects and arrays inside each other.
        public var depth = WireLimits.depth
        /// Members of an object.
        public var members = WireLimits.members
        /// The longest `id`, in bytes.
        public var id = RequestID.maximumBytes
        /// The longest name, in bytes.
        public var name = PlayerName.maximumBytes
        /// The longest text of a chat, in bytes.
        public var chat = ChatText.maximumBytes
        /// Requests a second that a connection may send in the long run.
        public var requestsPerSecond: Int
        /// Requests that it may send at once.
        public var burst: Int

        public init(requestsPerSecond: Int = 20, burst: Int = 60) {
            self.requestsPerSecond = requestsPerSecond
            self.burst = burst
        }
    }
}

extension Hello: WireObject {
    static var blank: Self { Self(server: "", time: 0, idleSeconds: 1) }

    mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.required("server", &server, .any, "program and version")
        try visitor.required("house", &house, .house, "identifies the server at any address; accounts belong to a house")
        try visitor.required("versions", &versions, "the lowest and highest protocol version that the server supports")
        try visitor.required("time", &time, .time, "the server's time")
        try visitor.required(
            "idleSeconds", &idleSeconds, .limit, "seconds without a line from you after which the server closes the connection")
        try visitor.required(
            "limits", &limits, "`line`, `id`, `name` and `chat` in bytes, `depth` and `members`, `requestsPerSecond` and `burst`")
        try visitor.required("features", &features, .of(.any), "capabilities, see below")
        try visitor.optional(
            "draining", &isDraining, absent: false, "whether the server is stopping: no new seats")
        try visitor.optional(
            "rebuy", &givesRebuys, absent: true,
            "false if the house gives no chips to a player who cannot bet the minimum")
    }
}

extension Hello.Limits: WireObject {
    static var blank: Self { Self() }

    mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.required("line", &line, .limit, "bytes of a client's line, without the newline")
        try visitor.required("depth", &depth, .limit, "nesting depth of objects and arrays")
        try visitor.required("members", &members, .limit, "members of an object")
        try visitor.required("id", &id, .limit, "bytes of an `id`")
        try visitor.required("name", &name, .limit, "bytes of a player's name")
        try visitor.required("chat", &chat, .limit, "bytes of a chat's text")
        try visitor.required(
            "requestsPerSecond", &requestsPerSecond, .limit, "average requests per second of a connection")
        try visitor.required("burst", &burst, .limit, "requests that it may send in a burst")
    }
}

/// An action of the host or of a table's owner at a table: against a player, or words to all. Also a server's word that its disk is behind.
public struct HostNotice: Equatable, Sendable {
    /// The player lost seat and connection.
    public static let kicked = "kicked"

    /// The host speaks to all at the table.
    public static let said = "said"
    /// The server's disk is behind: play stands still until the next line.
    public static let stalled = "stalled"
    /// The table's match is over.
    public static let match = "match"

    /// The name in a notice of ``said`` and of ``stalled``.
    public static let host = "host"

    /// ``kicked``, ``said``, ``stalled``, ``match``, or the kind of a later server.
    public var kind: String
    /// The player, of a match the best; ``host`` for ``said`` and ``stalled``, and where nobody has played.
    public var name: String
    /// In the host's words; nil for none.
    public var reason: String?
    /// The table's owner who did it; nil: the host.
    public var owner: String?
    /// When, in milliseconds since 1970 on the server's clock.
    public var time: Int64

    public init(_ kind: String, name: String, reason: String? = nil, by owner: String? = nil, time: Int64) {
        (self.kind, self.name, self.reason, self.owner, self.time) = (kind, name, reason, owner, time)
    }
}

extension HostNotice: WireObject {
    static var blank: Self { Self(kicked, name: "", time: 0) }

    mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        let kinds = TextBounds(.max) {
            .openWord([
                Shape.Word(HostNotice.kicked, "a player was kicked, the seat is freed"),
                Shape.Word(HostNotice.said, "a message from the host to everyone at the table, in `reason`"),
                Shape.Word(
                    HostNotice.stalled,
                    "the server waits for its disk: no replies and no clocks until the next line"),
                Shape.Word(HostNotice.match, "the table's match is over: `standings` over `match` has the ranking"),
            ])
        }
        try visitor.required(
            "kind", &kind, kinds,
            "`kicked`: a player was kicked, the seat is freed; `said`: a message from the host, in `reason`; `stalled`: the server waits for "
                + "its disk; `match`: the table's match is over; new ones may be added"
        )
        try visitor.required(
            "name", &name, .shownName, "the player, of a match the best; `host` in a notice of `said` or `stalled`")
        try visitor.optional("reason", &reason, .chat, "in the host's words")
        try visitor.optional("by", &owner, .shownName, "with `kicked`: the table's owner who did it; absent if it was the host")
        try visitor.required("time", &time, .time, "when")
    }
}

/// Why a server closes a connection of its own accord: the `code` of `bye`. The one list of them, for the server, for Protocol.md and for
/// the schema. A code never changes its meaning.
public enum GoodbyeCode: String, CaseIterable, Sendable {
    case loginTimeout = "login_timeout"
    case idle
    case replaced
    case loggedOut = "logged_out"
    case restart
    case shuttingDown = "shutting_down"
    case tooSlow = "too_slow"
    case rateLimited = "rate_limited"
    case kicked
    case banned

    /// Why it is said, for people who write a client.
    public var explanation: String {
        switch self {
        case .loginTimeout: "no login within a minute"
        case .idle: "nothing was received for `idleSeconds`, or for the option `silence`: send a `ping` in time"
        case .replaced: "the account has logged in on another connection"
        case .loggedOut: "you sent `logout`"
        case .restart:
            "the server restarts: reconnect soon, with your secret. Seats, hands and clocks go on, unless the host has changed or closed the table"
        case .shuttingDown: "the server is stopping"
        case .rateLimited: "you kept sending too many requests after a warning"
        case .kicked: "the host, or your table's owner, has kicked you, or the host has changed your account"
        case .banned: "the host has banned your address"
        case .tooSlow: "you read too slowly: too many bytes were waiting for too long. They are lost"
        }
    }
}

/// A line of chat at a table.
public struct ChatLine: Equatable, Sendable {
    /// The number of the line at that table, from 1.
    public var sequence: Int
    /// The speaker's name.
    public var name: String
    public var text: String
    /// When, in milliseconds since 1970 on the server's clock.
    public var time: Int64
    /// The word of a ``Reaction``, or of one that this version does not know; nil for any other line.
    public var reaction: String?

    public init(sequence: Int, name: String, text: String, time: Int64, reaction: String? = nil) {
        (self.sequence, self.name, self.text, self.time, self.reaction) = (sequence, name, text, time, reaction)
    }
}

extension ChatLine: WireObject {
    static var blank: Self { Self(sequence: 1, name: "", text: "", time: 0) }

    mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.required("seq", &sequence, .counter, "numbers the messages at the table, from 1")
        try visitor.required("name", &name, .shownName, "the speaker")
        try visitor.required("text", &text, .chat, "what was said")
        try visitor.required("time", &time, .time, "when")
        try visitor.optional("reaction", &reaction, .chat, "`text`, where it is a reaction")
    }
}

/// Turns the lobby's tables into those of a later revision.
public struct LobbyChange: Equatable, Sendable {
    public var from: Int
    public var to: Int
    /// New and changed tables.
    public var tables: [TableSummary]
    /// Names of tables that are no longer listed.
    public var gone: [String]

    public init(from: Int, to: Int, tables: [TableSummary] = [], gone: [String] = []) {
        (self.from, self.to, self.tables, self.gone) = (from, to, tables, gone)
    }

    /// The tables after the change, in the order of their names: no more than a lobby lists, whatever a server sends.
    public func applied(to former: [TableSummary]) -> [TableSummary] {
        let names = Set(gone + tables.map(\.name))
        let all = (former.filter { !names.contains($0.name) } + tables).sorted { $0.precedes($1) }
        return Array(all.prefix(WireLimits.lobbyTables))
    }
}

extension LobbyChange: WireObject {
    static var blank: Self { Self(from: 0, to: 0) }

    mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.required("from", &from, .revision, "the revision of the lobby that it applies to")
        try visitor.required("to", &to, .revision, "the revision that it leads to")
        var listed = LobbyTables(tables: tables, gone: gone)
        try visitor.required("tables", &listed, "new or changed tables by name; `null` for a closed one")
        (tables, gone) = (listed.tables, listed.gone)
    }
}

/// `{"main":{"seats":7,"free":5},"high":null}`: tables by name, in the order of their names; null for one that goes, or is absent.
struct LobbyTables: WireValue {
    var tables: [TableSummary] = []
    var gone: [String] = []

    static func read(_ value: JSONValue, _: NoBounds) throws(JSONError) -> Self {
        var listed = Self()
        try value.object().eachMember { key, content throws(JSONError) in
            let name = try String.read(key, .table)
            guard !content.isNull else { return listed.gone.append(name) }
            var table = try TableSummary.read(content, NoBounds())
            table.name = name
            listed.tables.append(table)
        }
        listed.tables.sort { $0.precedes($1) }
        return listed
    }

    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        for table in tables {
            writer.key(text: table.name)
            table.write(to: &writer)
        }
        for name in gone {
            writer.key(text: name)
            writer.null()
        }
        writer.endObject()
    }

    static func shape(_: NoBounds) -> Shape {
        .dictionary([.optional("[\\s\\S]{0,\(WireLimits.tableNameBytes)}", TableSummary.shape(NoBounds()), "a table")])
    }
}

extension TableSummary: WireObject {
    static var blank: Self { Self(name: "", seats: 1, freeSeats: 0, players: [], watchers: 0, rules: HouseRules()) }
    static var definition: Definition.Name? { .tableSummary }

    mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.required("seats", &seats, WholeNumber(1...7), "number of seats")
        try visitor.required("free", &freeSeats, WholeNumber(0...7), "free seats")
        try visitor.optional(
            "players", &players, .of(.any), absent: [],
            "in the answer about one table: names of the seated players, in the order of their seats")
        try visitor.optional("bots", &bots, WholeNumber(0...7), absent: 0, "how many seats bots have")
        try visitor.required("watchers", &watchers, .count, "viewers without a seat")
        try visitor.required("rules", &rules, "house rules that differ from the defaults")
        try visitor.optional("locked", &isLocked, absent: false, "whether watching or sitting needs a pass phrase")
        try visitor.optional("closing", &isClosing, absent: false, "whether it closes after the round: no new seats")
        try visitor.optional("owner", &owner, .shownName, "the player who owns it, if any: see `kick`")
        try visitor.optional("edge", &edge, .edge, "the expected win with basic strategy, once computed: see `chart`")
    }
}
