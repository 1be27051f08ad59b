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
    /// The server broke the protocol, in words: another connection is unlikely to help.
    case breach(String)

    /// Without a full stop.
    public var description: String {
        switch self {
        case .connection(let reason), .breach(let reason): reason
        case .dismissed: "the host closed it"
        case .silence: "the server is not responding"
        }
    }

    var isBreach: Bool { if case .breach = self { true } else { false } }
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
        (self.table, self.epoch, self.revision, self.chat) = (table, epoch, revision, chat)
    }
}

/// Effects for the shell around a ``ClientMachine``, to be performed in order.
public enum ClientAction: Equatable, Sendable {
    /// Open a connection to the server. There is none at this point.
    case connect
    /// Send what is queued, then close the connection or give up opening it.
    case close
    case send(Request)
    /// Call ``ClientMachine/tick(at:)`` at this time. Replaces an earlier one; a tick too early or too many does no harm.
    case arm(at: Int64)
    /// Tell subscribers. ``ClientMachine/state`` is the state after it.
    case publish(ClientEvent)
    /// Look for the secret of a name at a house, and call ``ClientMachine/secretFound(_:for:at:)``, with nil for none.
    case findSecret(house: String, name: String)
    /// Make a secret for a name that is free at a house, store it durably, and call ``ClientMachine/secretFound(_:for:at:)``, or
    /// ``ClientMachine/secretFailed(_:at:)``. The account may exist from the login on, so the secret is stored before it.
    case makeSecret(house: String, name: String)
    /// The outcome of a submitted request: exactly one for each.
    case answer(id: Int, Result<Reply, Refusal>)
}

extension Refusal {
    /// The code of refusals by the client itself; no server sends it.
    static let notConnected = "not_connected"

    /// Whether the client itself refused, for want of a connection: the server may never have got the request.
    package var isLocal: Bool { code == Self.notConnected }
}

/// How a session logs in, what it does then, and how long it waits. All times are in milliseconds.
public struct SessionOptions: Equatable, Sendable {
    /// The first request after a login without a seat.
    public enum InitialPlacement: Equatable, Sendable {
        /// Any table and any seat where none is named.
        case sit(table: String?, seat: Int?)
        case watch(table: String?)
        case nothing
    }

    /// The key to the player's account.
    public enum Credential: Equatable, Sendable {
        /// Nothing: the seat and the chips last as long as the connection.
        case guest
        case secret(AccountSecret)
        /// The shell keeps a secret for each house and name: see ``ClientAction/findSecret(house:name:)``.
        case kept
    }

    /// The name to log in with; nil to wait for ``ClientMachine/logIn(as:at:)``.
    public var name: String?
    public var isBot = false
    /// Whether the login declares that the player takes part in the ceremonies of shoes: the caller then commits and reveals.
    public var contributes = false
    /// Whether the login asks that diffs say what happened.
    public var facts = false
    /// Whether the login asks that the account ends when the player leaves.
    public var isBrief = false
    public var credential = Credential.guest
    /// A code of the host that makes the account a table's owner; nil once a login with it has its answer.
    public var owner: String?
    /// The id before the first request's, at most 2^31. A random one: a line of chat under an id that has said the same is not said again.
    public var firstID = 0
    public var initialPlacement = InitialPlacement.sit(table: nil, seat: nil)
    /// The pass phrase of the table, where it has one.
    public var pass: String?
    /// Failed attempts in a row after which the session ends; 0 for no second attempt.
    public var retries = 12
    /// Time before the second attempt, at least 1. It doubles with each failure, up to ``longestPause``.
    public var firstPause: Int64 = 250
    public var longestPause: Int64 = 8_000
    /// Lines against the protocol, one connection after the other, after which the session ends; 0 for the first one.
    public var breaches = 3
    /// Shortens each pause by up to a quarter, so that clients of a server that stops do not come back together; 0 for no such jitter.
    public var jitterSeed: UInt64 = 0
    /// Whether the session goes on after the host has removed the player from their table: on a new connection, without a table.
    public var returnsAfterKick = false
    /// Whether requests are sent again: those refused with `retryAfter`, unanswered changes on the next connection, and the request for a seat
    /// that was taken.
    public var repeatsRequests = true
    /// Longest time without a line from the server, although it was asked; checked every ``pingInterval``.
    public var silence: Int64 = 45_000
    /// Longest time between two pings, well below the 20 s after which the server counts the client as lost, and at most half of the server's
    /// idle time; nil for none, and then neither side notices ``silence``.
    public var pingInterval: Int64? = 9_000
    /// Time without a line after a request, or the first attempt to connect, from which the server counts as silent; nil for never.
    public var answerTime: Int64?

    public init(name: String?) { self.name = name }
}
