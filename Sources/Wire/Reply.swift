import Fairness
import Rules
import TableModel

/// The reply to a request that was carried out, by its type. The rare and large ones are boxed.
public enum Reply: Equatable, Sendable {
    indirect case login(LoginReply)
    /// Whether the name is free.
    case available(Bool)
    /// The first tables by name at that revision of the lobby, and how many there are in all.
    indirect case lobby(revision: Int, total: Int, [TableSummary])
    /// All rules of a table.
    indirect case rules(table: String, AllRules)
    /// `rebuy`: chips that the house gave to a player who could not make the smallest bet.
    indirect case sit(table: String, seat: Int, CatchUp, rebuy: Int? = nil)
    indirect case watch(table: String, CatchUp)
    /// The options of the connection after the change.
    case options(ConnectionOptions)
    case standings(Standings)
    /// How the order of a shoe was made.
    indirect case proof(ShoeProof)
    /// The minutes until the player may come back, rounded up.
    case kick(minutes: Int)
    /// The server's time in milliseconds since 1970.
    case ping(time: Int64)
    /// A request at a table: its type, and the revision that shows its effect; nil for a client that does not watch the table.
    case applied(String, at: Int?)
    /// A request without data in its reply: its type.
    case done(String)

    /// The type of the request.
    public var type: String {
        switch self {
        case .login: "login"
        case .available: "available"
        case .lobby: "lobby"
        case .rules: "rules"
        case .sit: "sit"
        case .watch: "watch"
        case .options: "options"
        case .standings: "standings"
        case .proof: "proof"
        case .kick: "kick"
        case .ping: "ping"
        case .done(let type), .applied(let type, _): type
        }
    }
}

extension Reply {
    /// A reply to read into, for a request of that type; ``done(_:)`` for a type that this version does not know.
    func ofType(_ type: String) -> Reply { self.type == type ? self : Catalog.blankReplies[type] ?? .done(type) }

    /// The fields besides `type`, `id` and `to`.
    mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        switch self {
        case .login(var login):
            try login.visit(&visitor)
            self = .login(login)
        case .available(var isFree):
            try visitor.required("free", &isFree, "whether it is")
            self = .available(isFree)
        case .lobby(var revision, var total, let tables):
            var listed = LobbyTables(tables: tables)
            try visitor.required("rev", &revision, .revision, "the revision of the lobby")
            try visitor.required("total", &total, .count, "how many tables there are")
            try visitor.required("tables", &listed, "the first \(WireLimits.lobbyTables) of them by name")
            self = .lobby(revision: revision, total: total, listed.tables)
        case .rules(var table, var all):
            var digest = all.rules.digest
            try visitor.ownTable(&table)
            try visitor.required("digest", &digest, .digest, "the same as in the table's item `rules`")
            try visitor.required("rules", &all, "all rules; `digest` is the hash of exactly this text")
            all.rules.digest = digest
            self = .rules(table: table, all)
        case .sit(var table, var seat, var catchUp, var rebuy):
            try visitor.ownTable(&table)
            try visitor.required("seat", &seat, .seat, "your seat")
            try catchUp.visit(&visitor)
            try visitor.optional("rebuy", &rebuy, .chips, "chips added by the house, since you could not bet the minimum")
            self = .sit(table: table, seat: seat, catchUp, rebuy: rebuy)
        case .watch(var table, var catchUp):
            try visitor.ownTable(&table)
            try catchUp.visit(&visitor)
            self = .watch(table: table, catchUp)
        case .options(var options):
            try options.visit(&visitor)
            self = .options(options)
        case .standings(var standings):
            try standings.visit(&visitor)
            self = .standings(standings)
        case .proof(var proof):
            try proof.visit(&visitor)
            self = .proof(proof)
        case .kick(var minutes):
            try visitor.required("minutes", &minutes, .kickMinutes, "how long the player stays away, rounded up")
            self = .kick(minutes: minutes)
        case .ping(var time):
            try visitor.required("time", &time, .time, "the server's time")
            self = .ping(time: time)
        case .applied(let type, var revision):
            try visitor.optional(
                "rev", &revision, .revision, "the table's revision that shows the effect")
            self = .applied(type, at: revision)
        case .done: break
        }
    }
}

extension FieldVisitor {
    fileprivate mutating func ownTable(_ value: inout String) throws(Failure) {
        try required("table", &value, .table, "the table's name")
    }
}

/// The reply to `login`.
public struct LoginReply: Equatable, Sendable {
    public var name: String
    /// Chips that are not at a table.
    public var chips: Int
    /// The table at which seats are held for the player, if any.
    public var table: String?
    /// The seats held.
    public var seats: [Int]
    /// The table that the login's code has given to the account.
    public var owner: String?

    public init(name: String, chips: Int, table: String? = nil, seats: [Int] = [], owner: String? = nil) {
        (self.name, self.chips, self.table, self.seats, self.owner) = (name, chips, table, seats, owner)
    }
}

extension LoginReply: WireObject {
    static var blank: Self { Self(name: "", chips: 0) }

    mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.required("name", &name, .any, "your name")
        try visitor.required("chips", &chips, .bankroll, "chips that are not at a table")
        try visitor.optional("table", &table, .table, "the table at which you have seats")
        try visitor.optional(
            "seats", &seats, .of(.seat), absent: [], isWritten: table != nil || !seats.isEmpty, "those seats")
        try visitor.optional("owner", &owner, .table, "the table that you own now, by the code in `owner`")
    }
}
