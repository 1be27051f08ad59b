/// Limits of one connection.
public struct ConnectionLimits: Sendable {
    /// Bound on bytes queued for the peer.
    public var outboundBytes: Int
    /// A connection with more queued bytes than this is ``Connection/isCongested``.
    public var congestedBytes: Int
    /// Milliseconds that queued bytes may wait without the peer taking any.
    public var outboundStall: Int64
    /// Milliseconds that a closed connection has to send its last bytes and to be closed by the peer.
    public var linger: Int64
    /// Bytes per read, at most 65,536.
    public var inboundBytes: Int
    /// The byte that ends each message sent. A connection's last message is placed between two messages, never within one.
    public var messageEnd: UInt8

    public init(
        outboundBytes: Int = 256 * 1024, outboundStall: Int64 = 20_000, linger: Int64 = 2_000, congestedBytes: Int = 16 * 1024,
        inboundBytes: Int = 64 * 1024, messageEnd: UInt8 = UInt8(ascii: "\n")
    ) {
        self.outboundBytes = outboundBytes
        self.outboundStall = outboundStall
        self.linger = linger
        self.congestedBytes = congestedBytes
        self.inboundBytes = inboundBytes
        self.messageEnd = messageEnd
    }
}
