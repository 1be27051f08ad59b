/// How a session logs in, what it does then, and how long it waits. All times are in milliseconds.
public struct SessionOptions: Equatable, Sendable {
    /// What to do once logged in without a seat.
    public enum Wish: Equatable, Sendable {
        /// Any table and any seat where none is named.
        case sit(table: String?, seat: Int?)
        case watch(table: String?)
        case nothing
    }

    /// The name to log in with; nil to wait for ``SessionStateMachine/logIn(as:at:)``.
    public var name: String?
    public var isBot = false
    /// Sent with the first login; later ones send the token of the last login's reply.
    public var token: String?
    public var wish = Wish.sit(table: nil, seat: nil)
    /// The pass phrase of the table, where it has one.
    public var pass: String?
    /// Failed attempts in a row after which the session ends; 0 for no second attempt.
    public var retries = 12
    /// Longest time without a byte from the server, although it was asked; checked every ``pingInterval``.
    public var silence: Int64 = 45_000
    /// Time between two pings.
    public var pingInterval: Int64 = 15_000

    public init(name: String?) { self.name = name }
}
