/// Why a table closes, and when: what all who are there see from the moment it is decided.
public struct ClosingNotice: Hashable, Sendable {
    public enum Cause: String, CaseIterable, Sendable {
        /// The host takes this table away.
        case table
        /// The whole server stops.
        case server
    }

    public var cause: Cause
    /// When a round that is still in play is given up and its bets go back: milliseconds since 1970 on the server's clock; nil for never.
    public var deadline: Int64?
    /// In the host's words; empty for none.
    public var reason: String

    public init(_ cause: Cause = .table, deadline: Int64? = nil, reason: String = "") {
        self.cause = cause
        self.deadline = deadline
        self.reason = reason
    }
}
