/// Why a connection ended.
public enum EndReason: Equatable, Sendable, CustomStringConvertible {
    /// The peer closed its side.
    case peerClosed
    /// We closed it, after what was queued had been sent.
    case closed
    /// The peer did not read: more bytes were waiting for it than allowed.
    case outboundLimit
    /// The peer did not read: more bytes were waiting for all peers together than allowed, and for this one the most.
    case outboundTotal
    /// The peer did not read: nothing was taken for too long.
    case outboundStalled
    /// The system reported an error, in its own words.
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
