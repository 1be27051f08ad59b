import Rules
import TableModel

/// What a server says.
public enum ServerMessage: Equatable, Sendable {
    /// The first line of every connection.
    case hello(Hello)
    /// A request was carried out.
    case ok(id: RequestID?, Reply)
    /// A request was refused, and nothing was changed by it.
    case error(Refusal)
    /// A whole table.
    case snapshot(table: String, revision: Int, TableSnapshot)
    /// What turns the table at revision `from` into the one at `to`.
    case diff(table: String, from: Int, to: Int, TableDifference)
    /// The server closes the connection: why, as a code and in words.
    case bye(code: String, message: String)
    /// A type that this version does not know; to be skipped.
    case unknown(type: String)
}

/// What a server says of itself.
public struct Hello: Equatable, Sendable {
    /// Program and version.
    public var server: String
    /// The version of the protocol.
    public var version: Int
    /// Milliseconds since 1970 on the server's clock, which deadlines are on.
    public var time: Int64
    /// The longest line that it takes, in bytes.
    public var maximumLine: Int
    /// How long a connection may say nothing before it is closed, in seconds.
    public var idleSeconds: Int

    public init(server: String, version: Int = WireLimits.version, time: Int64, maximumLine: Int, idleSeconds: Int) {
        self.server = server
        self.version = version
        self.time = time
        self.maximumLine = maximumLine
        self.idleSeconds = idleSeconds
    }
}

/// What comes with an `ok`, by the type of the request.
public enum Reply: Equatable, Sendable {
    case login(LoginReply)
    /// Whether the name is free.
    case available(Bool)
    case lobby([TableSummary])
    case sit(table: String, seat: Int)
    case watch(table: String)
    /// The server's time in milliseconds since 1970.
    case ping(time: Int64)
    /// A request with nothing to tell but that it was done: its type.
    case done(String)

    /// The type of the request.
    public var type: String {
        switch self {
        case .login: "login"
        case .available: "available"
        case .lobby: "lobby"
        case .sit: "sit"
        case .watch: "watch"
        case .ping: "ping"
        case .done(let type): type
        }
    }
}

/// Who the player is now.
public struct LoginReply: Equatable, Sendable {
    public var name: String
    /// What takes the player over on a later connection. To be kept secret.
    public var token: String
    /// Chips that are not at a table.
    public var chips: Int
    /// The table at which seats are held for the player, if any.
    public var table: String?
    /// The seats held.
    public var seats: [Int]

    public init(name: String, token: String, chips: Int, table: String? = nil, seats: [Int] = []) {
        self.name = name
        self.token = token
        self.chips = chips
        self.table = table
        self.seats = seats
    }
}

/// Why a request was refused.
public struct Refusal: Error, Equatable, Sendable {
    public var id: RequestID?
    /// The type of the request, as far as it was known.
    public var type: String?
    /// Stable, in snake case, for programs.
    public var code: String
    /// For people.
    public var message: String
    /// The actions that would be legal, where the refusal is about one.
    public var legal: [Action]?
    /// Whether the server closes the connection now.
    public var isFatal: Bool

    public init(
        id: RequestID? = nil, type: String? = nil, code: String, message: String, legal: [Action]? = nil, isFatal: Bool = false
    ) {
        self.id = id
        self.type = type
        self.code = code
        self.message = message
        self.legal = legal
        self.isFatal = isFatal
    }

    /// The refusal of a line that is no request.
    public init(id: RequestID?, type: String?, _ error: ProtocolError) {
        self.init(id: id, type: type, code: error.code, message: error.message, isFatal: error.isFatal)
    }
}
