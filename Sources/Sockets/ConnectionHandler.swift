/// What hears from a connection. Every call is made on the connection's loop, and none from inside a call to the connection.
public protocol ConnectionHandler: AnyObject {
    /// Bytes arrived. The buffer is valid during the call only.
    func connection(_ connection: Connection, received bytes: UnsafeRawBufferPointer)
    /// The connection is over, for whatever reason: told once, and nothing after it.
    func connection(_ connection: Connection, endedBy reason: EndReason)
    /// The connection was congested, and the kernel has taken everything now: time to send what was held back, in one message.
    /// Told once for each time that ``Connection/isCongested`` had become true.
    func connectionHasDrained(_ connection: Connection)
    /// The peer reads too slowly, so the connection is about to be ended, by ``EndReason/outboundLimit`` or
    /// ``EndReason/outboundStalled``.
    /// - Returns: a last message, tried with one system call that doesn't wait; nil or empty for none. What still waits is dropped, but
    ///   for the rest of a message that the peer has a part of.
    func connection(_ connection: Connection, willBeCutFor reason: EndReason) -> [UInt8]?
}

extension ConnectionHandler {
    public func connectionHasDrained(_ connection: Connection) {}
    public func connection(_ connection: Connection, willBeCutFor reason: EndReason) -> [UInt8]? { nil }
}
