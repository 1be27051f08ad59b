/// The reason and deadline of a table that closes, visible to everybody from the decision on.
public struct ClosingNotice: Hashable, Sendable {
    public enum Cause: String, CaseIterable, Sendable {
        /// The host removes this table.
        case table
        /// The server stops.
        case server
    }

    public var cause: Cause
    /// When a round still in play is aborted and its bets are returned: milliseconds since 1970 on the server's clock; nil: never.
    public var deadline: Int64?
    /// Free text of the host; empty for none.
    public var reason: String

    public init(_ cause: Cause = .table, deadline: Int64? = nil, reason: String = "") {
        self.cause = cause
        self.deadline = deadline
        self.reason = reason
    }
}
