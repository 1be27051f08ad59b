/// Counts of one kind of hostile bots and the server's reactions. Never part of the honest bots' figures.
public struct HostileTally: Sendable, Equatable {
    public var bots = 0
    /// Connections that were made.
    var connections = 0
    /// Connections that could not be made.
    var refusedConnections = 0
    /// Lines (or pieces of them) that were sent.
    public var sent = 0
    var bytesSent = 0
    var bytesRead = 0
    /// Answers of the server, by `ok`, the code of the error, or `bye` and its code.
    public var answers: [String: Int] = [:]
    /// Connections that the server ended.
    var cutOff = 0

    public init() {}

    mutating func merge(_ other: HostileTally) {
        bots += other.bots
        connections += other.connections
        refusedConnections += other.refusedConnections
        sent += other.sent
        bytesSent += other.bytesSent
        bytesRead += other.bytesRead
        answers.merge(other.answers, uniquingKeysWith: +)
        cutOff += other.cutOff
    }
}
