import Wire

/// State of the connection.
public enum LinkState: Equatable, Sendable {
    /// The number of the attempt, from 1.
    case connecting(attempt: Int)
    /// The server has sent `hello`.
    case connected
    case loggedIn
    /// Lost for this reason; another attempt follows.
    case lost(LinkFailure)
    /// Ended for good, for this reason.
    case ended(String)

    package var isEnded: Bool { if case .ended = self { true } else { false } }
}

/// Why a connection cannot go on.
public enum LinkFailure: Error, Equatable, Sendable, CustomStringConvertible {
    /// Not established, or broken; in the system's words.
    case connection(String)
    /// Closed by the host, who has removed the player from their table.
    case dismissed
    /// Nothing was received for ``SessionOptions/silence``.
    case silence
    /// A line above `WireLimits.eventBytes`.
    case lineTooLong
    /// A line that is no message of the protocol.
    case malformed(ProtocolError)
    /// A message that a client has to have asked for, or one that comes once in a connection.
    case unasked(Unasked)

    /// A message without a request.
    public enum Unasked: Equatable, Sendable {
        /// In place of the table followed.
        case table(String)
        /// An `ok` to a `leave` that nobody sent.
        case leave
        /// A second `hello`.
        case hello
        /// An `ok` to a `login` that was sent under another player's name, or not at all.
        case login(name: String)
    }

    /// Without a full stop.
    public var description: String {
        switch self {
        case .connection(let reason): reason
        case .dismissed: "the host closed it"
        case .silence: "the server is silent"
        case .lineTooLong: "the server sends lines that are too long"
        case .unasked(.table(let name)): "the server shows table \"\(name)\", which was not asked for"
        case .unasked(.leave): "the server says that you have left the table, and you did not ask to"
        case .unasked(.hello): "the server greets again within a connection"
        case .unasked(.login(let name)): "the server logs you in as \"\(name)\", which was not asked for"
        case .malformed(let error): "the server does not speak the protocol: \(error.message.withoutFullStop)"
        }
    }

    /// Whether the server broke the protocol: another connection is unlikely to help.
    var isBreach: Bool {
        switch self {
        case .connection, .dismissed, .silence: false
        case .lineTooLong, .malformed, .unasked: true
        }
    }
}

/// The table that a session follows, and how far.
public struct TablePosition: Equatable, Sendable {
    public var table: String
    /// Tells this table from another of the same name: revisions of two epochs cannot be compared.
    public var epoch: String
    public var revision: Int
    /// The `seq` of the last line of chat received in sequence; 0 for none.
    public var chat: Int

    public init(table: String, epoch: String, revision: Int, chat: Int = 0) {
        self.table = table
        self.epoch = epoch
        self.revision = revision
        self.chat = chat
    }
}

/// Everything that a session knows of its server, its player and its table's position.
public struct SessionStatus: Equatable, Sendable {
    public var link = LinkState.connecting(attempt: 1)
    /// From the last connection that got one.
    public var hello: Hello?
    /// The reply to the last login.
    public var login: LoginReply?
    /// The table that is followed.
    public var position: TablePosition?
    /// Add it to the local clock for the server's, in milliseconds.
    public var clockOffset: Int64 = 0
    /// When the server was last heard, in milliseconds of the local clock, if it has not answered for ``SessionOptions/answerTime``; else nil.
    public var silentSince: Int64?
    /// Milliseconds from the last ping to its answer, on this connection; nil before the first.
    public var roundTrip: Int64?
    /// Whether the player was sent away from their table, until a table is followed or another connection is lost.
    public var isDismissed = false
    /// Whether a request of the player's own to sit down, to leave or to log out is unanswered, also from a lost connection.
    public var isMoving = false
    /// Whether a line of chat was refused for now, and lines of chat wait to be sent.
    public var isChatDelayed = false

    public init() {}
}

extension String {
    fileprivate var withoutFullStop: Substring { hasSuffix(".") ? dropLast() : self[...] }
}
