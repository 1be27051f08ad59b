/// Why a connection ended.
public enum EndReason: Equatable, Sendable, CustomStringConvertible {
    /// The peer closed its side.
    case peerClosed
    /// Closed locally, after queued bytes were sent.
    case closed
    /// The peer reads too slowly: more bytes were queued for it than ``ConnectionLimits/outboundBytes``.
    case outboundLimit
    /// The peer reads too slowly: the group's bound was exceeded, and this connection had the most bytes queued.
    case outboundTotal
    /// The peer reads too slowly: no byte was taken for ``ConnectionLimits/outboundStall``.
    case outboundStalled
    /// The system reported an error; its message.
    case failed(String)

    public var description: String {
        switch self {
        case .peerClosed: "the peer closed the connection"
        case .closed: "closed"
        case .outboundLimit: "too many bytes were waiting to be read"
        case .outboundTotal: "too many bytes were waiting to be read by all"
        case .outboundStalled: "nothing was read for too long"
        case .failed(let reason): reason
        }
    }
}
