import Records
import TableEngine
import Wire

/// Identifies a connection; unique in a server.
public typealias ConnectionID = UInt64

/// Identifies one of a shard's timers.
public enum TimerID: Hashable, Sendable {
    /// A table's deadline, by the table's index.
    case table(Int)
    /// A connection's login or idle deadline.
    case connection(ConnectionID)
    /// The end of the time for which an absent player's account is kept.
    case player(PlayerID)
    /// Debounces changes of the lobby.
    case lobby
    /// The next slice of the ranking of careers.
    case careers
}

/// Sends lines to one peer. In the server this is the connection itself.
public protocol LineSender: AnyObject {
    /// Sends a line, or several.
    func send(_ bytes: [UInt8])
    /// Sends a line that depends on no record, ahead of the lines that wait for the disk.
    func sendAhead(_ line: [UInt8])
    /// Sends a line without copying it, unless the peer is congested.
    /// - Returns: whether it was sent.
    func offer(_ line: [UInt8]) -> Bool
    /// Backpressure: whether diffs should be held back until ``Shard/drained(_:at:)``.
    var isCongested: Bool { get }
    /// Closes the connection after everything sent has left.
    func close()
}

/// A shard's inputs and outputs: peers, timers, randomness, records, log. The shard does no I/O, so tests and simulators
/// implement it.
public protocol Environment: AnyObject {
    /// The sender of an open connection, valid until the connection ends or is relayed.
    func sender(for connection: ConnectionID) -> any LineSender
    /// Handles no more lines of a connection after the current one, which is kept.
    func pause(_ connection: ConnectionID)
    /// Handles the lines of a paused connection again, from the kept one on.
    func resume(_ connection: ConnectionID)
    /// Relays a connection to another partition's owner, with the current or the kept line and all input after it. The shard has released the
    /// session.
    func relay(_ connection: ConnectionID, to partition: Int, _ introduction: RelayIntroduction)
    /// Sets a timer's deadline in milliseconds, replacing an earlier one; nil disarms it.
    func setTimer(_ timer: TimerID, at deadline: Int64?)
    /// Unpredictable bytes.
    func randomBytes(_ count: Int) -> [UInt8]
    /// The next shoe of a table without ceremonies: by default a key of random bytes.
    func shoeSource() -> ShoeSource
    /// Answers a question, at once or later: calls ``Shard/answered(_:)``.
    /// - Returns: false if too many wait.
    func ask(_ question: PlayerQuestion) -> Bool
    /// Asks the registry in the background, then calls ``Shard/answered(_:with:at:)``.
    /// - Returns: false if too many questions wait.
    func ask(_ question: RegistryQuestion) -> Bool
    /// Whether records are kept.
    var isRecording: Bool { get }
    /// Appends a record, the line that the closure writes, if records are kept. Lines sent afterwards leave once it is durable.
    func record(_ write: (inout [UInt8]) -> Void)
    /// Hands the records so far to the journal, so that the registry client can wait for them.
    func handOver()
    /// Writes a log event.
    func log(_ level: LogLevel, _ event: StaticString, _ fields: @autoclosure () -> LogFields)
}

extension Environment {
    /// Answers at once: for environments without threads and records.
    public func ask(_ question: PlayerQuestion) -> Bool {
        question.answer(from: nil)
        return true
    }

    /// For environments without a registry.
    public func ask(_ question: RegistryQuestion) -> Bool { false }

    // Not called in a house of one server.
    public func pause(_ connection: ConnectionID) { preconditionFailure("no registry is asked") }
    public func resume(_ connection: ConnectionID) {}
    public func relay(_ connection: ConnectionID, to partition: Int, _ introduction: RelayIntroduction) {
        preconditionFailure("there is no other partition")
    }

    func record(_ record: @autoclosure () -> Record) {
        self.record { (bytes: inout [UInt8]) in record().encode(into: &bytes) }
    }
}

extension LineSender {
    public func offer(_ line: [UInt8]) -> Bool {
        guard !isCongested else { return false }
        send(line)
        return true
    }
}
