import TableEngine

/// A connection, as its server numbers them: unique among all of its loops.
public typealias ConnectionID = UInt64

/// Something that a shard wants to be reminded of.
public enum TimerID: Hashable, Sendable {
    /// A table's deadline, by the table's index.
    case table(Int)
    /// A connection that says nothing.
    case connection(ConnectionID)
    /// A player whose connection was lost.
    case player(PlayerID)
    /// Changes of the lobby that were not told yet.
    case lobby
}

/// The way to a peer: what an environment does for a connection, without looking for the connection each time.
public protocol LineSender: AnyObject {
    /// Sends a line, or several.
    func send(_ bytes: [UInt8])
    /// Sends a line that others get too, as the very same array; unless it is congested.
    /// - Returns: whether it was sent.
    func offer(_ line: [UInt8]) -> Bool
    /// Whether so much waits for the peer already that news should be kept back until it has taken it; ``Shard/drained(_:)`` is called then.
    var isCongested: Bool { get }
}

/// Everything outside that a shard needs: peers, time, chance, a diary. The shard itself does no input or output, so that a test or
/// a simulation plays all of these parts.
public protocol Environment: AnyObject {
    /// Sends a line, or several, to a peer.
    func send(_ bytes: [UInt8], to connection: ConnectionID)
    /// Whether so much waits for a peer already that news should be kept back until it has taken it; ``Shard/drained(_:)`` is called then.
    func isCongested(_ connection: ConnectionID) -> Bool
    /// The way to a peer, good until its connection moves to another loop or ends.
    func sender(for connection: ConnectionID) -> any LineSender
    /// Closes a connection after what was sent to it has left.
    func close(_ connection: ConnectionID)
    /// Takes a connection to the shard on another loop, which is given the passage before anything else that the peer sends.
    func move(_ connection: ConnectionID, to loop: Int, _ passage: Passage)
    /// Has the shard on another loop forget a player who is away, for whom there is no more room.
    func evict(_ player: PlayerID, on loop: Int)
    /// Tells the shards on all other loops that the list of tables has changed.
    func spreadLobby()
    /// Asks to be reminded at a moment, in milliseconds, instead of the one asked for before; nil for never.
    func setTimer(_ timer: TimerID, at deadline: Int64?)
    /// Bytes that nobody can foresee.
    func randomBytes(_ count: Int) -> [UInt8]
    /// Notes facts that have happened at a table. What is sent afterwards leaves only when they are durable.
    func record(_ facts: [Fact], table: String)
    /// Tells the host.
    func log(_ level: LogLevel, _ event: StaticString, _ fields: @autoclosure () -> [LogField])
}

extension LineSender {
    public func offer(_ line: [UInt8]) -> Bool {
        guard !isCongested else { return false }
        send(line)
        return true
    }
}

extension Environment {
    /// A way that looks for the connection each time.
    public func sender(for connection: ConnectionID) -> any LineSender { RoutedLineSender(self, connection) }
}

private final class RoutedLineSender: LineSender {
    private unowned let environment: any Environment
    private let connection: ConnectionID

    init(_ environment: any Environment, _ connection: ConnectionID) {
        self.environment = environment
        self.connection = connection
    }

    func send(_ bytes: [UInt8]) { environment.send(bytes, to: connection) }
    var isCongested: Bool { environment.isCongested(connection) }
}

/// What goes with a connection from one loop to another: everything that only its own loop may touch, and the line that sent it there.
///
/// The loop that gives it away touches none of it any more, which is why it may cross.
public struct Passage: @unchecked Sendable {  // owned by one loop at a time: it is given away whole
    let session: Session
    let account: Account?
    let line: [UInt8]
    /// The seat that it was sent for, if any; held until the line has been answered.
    let claim: SeatClaim?
    /// How many times the line has been passed on, so that it can't go round for ever.
    let hops: Int
}
