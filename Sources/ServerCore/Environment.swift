import TableEngine

/// A connection, as its server numbers them.
public typealias ConnectionID = UInt64

/// Something that a casino wants to be reminded of.
public enum Reminder: Hashable, Sendable {
    /// A table's deadline, by the table's index.
    case table(Int)
    /// A connection that says nothing.
    case connection(ConnectionID)
    /// A player whose connection was lost.
    case player(PlayerID)
}

/// Everything outside that a casino needs: peers, time, chance, a diary. The casino itself does no input or output, so that a test or
/// a simulation plays all of these parts.
public protocol Environment: AnyObject {
    /// Sends a line, or several, to a peer.
    func send(_ bytes: [UInt8], to connection: ConnectionID)
    /// Closes a connection after what was sent to it has left.
    func close(_ connection: ConnectionID)
    /// Asks to be reminded at a moment, in milliseconds, instead of the one asked for before; nil for never.
    func remind(_ reminder: Reminder, at moment: Int64?)
    /// Bytes that nobody can foresee.
    func randomBytes(_ count: Int) -> [UInt8]
    /// Notes facts that have happened at a table. What is sent afterwards leaves only when they are durable.
    func record(_ facts: [Fact], table: String)
    /// Tells the host.
    func log(_ level: LogLevel, _ event: StaticString, _ fields: [LogField])
}
