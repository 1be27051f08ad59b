/// The bounds of one connection.
public struct ConnectionLimits: Sendable {
    /// The most bytes that may wait for the peer to read them.
    public var outboundBytes: Int
    /// With more bytes than this left over by the kernel a connection is ``Connection/isCongested``.
    public var congestedBytes: Int
    /// How long those bytes may wait without any of them being taken, in milliseconds.
    public var outboundStall: Int64
    /// How long a closed connection may take to send its last bytes and to be closed by the peer too, in milliseconds.
    public var linger: Int64
    /// The most bytes that are read and handed on at a time, up to 65,536.
    public var inboundBytes: Int
    /// The byte that ends each message sent. A connection that is cut off says its last word between two messages, never within one.
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
