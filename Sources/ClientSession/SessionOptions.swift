import Wire

/// How a session logs in, what it does then, and how long it waits. All times are in milliseconds.
public struct SessionOptions: Equatable, Sendable {
    /// The first request after a login without a seat.
    public enum Wish: Equatable, Sendable {
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
        /// The shell keeps a secret for each house and name: see ``SessionAction/findSecret(house:name:)``.
        case kept
    }

    /// The name to log in with; nil to wait for ``SessionStateMachine/logIn(as:at:)``.
    public var name: String?
    public var isBot = false
    /// Whether the login declares that the player takes part in the ceremonies of shoes: the caller then commits and reveals.
    public var contributes = false
    public var credential = Credential.guest
    /// A code of the host, for a new account of a closed house.
    public var invite: String?
    /// The id before the first request's. An account's server remembers ids, so each run of a program needs others: at most 2^31.
    public var firstID = 0
    public var wish = Wish.sit(table: nil, seat: nil)
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
    /// Whether requests are sent again: those refused with `retryAfter`, and unanswered changes on the next connection.
    public var repeatsRequests = true
    /// Longest time without a byte from the server, although it was asked; checked every ``pingInterval``.
    public var silence: Int64 = 45_000
    /// Time between two pings; nil for none, and then ``silence`` is not noticed.
    public var pingInterval: Int64? = 15_000
    /// Time without a byte after a request from which the server counts as silent; nil for never.
    public var answerTime: Int64?

    public init(name: String?) { self.name = name }
}
