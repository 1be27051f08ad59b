/// Receives a connection's events. Called on the connection's loop, never inside a call to the connection.
public protocol ConnectionHandler: AnyObject {
    /// Bytes arrived. The buffer is valid only during the call.
    func connection(_ connection: Connection, received bytes: UnsafeRawBufferPointer)
    /// The connection has ended. Called once, as the last call.
    func connection(_ connection: Connection, endedBy reason: EndReason)
    /// The connection was congested and has drained: send the coalesced messages. Called once each time that
    /// ``Connection/isCongested`` had become true.
    func connectionHasDrained(_ connection: Connection)
    /// The connection is about to be ended for a limit: ``EndReason/outboundLimit``, ``EndReason/outboundTotal`` or
    /// ``EndReason/outboundStalled``.
    /// - Returns: a last message, tried with one non-blocking system call; nil or empty for none. Other queued bytes are dropped,
    ///   except the rest of a partly received message.
    func connection(_ connection: Connection, willBeCutFor reason: EndReason) -> [UInt8]?
}

extension ConnectionHandler {
    public func connectionHasDrained(_ connection: Connection) {}
    public func connection(_ connection: Connection, willBeCutFor reason: EndReason) -> [UInt8]? { nil }
}
