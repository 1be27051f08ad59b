#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// What hears from a connection. Every call is made on the connection's loop, and none from inside a call to the connection.
public protocol ConnectionHandler: AnyObject {
    /// Bytes arrived. The buffer is valid during the call only.
    func connection(_ connection: Connection, received bytes: UnsafeRawBufferPointer)
    /// The connection is over, for whatever reason: told once, and nothing after it.
    func connection(_ connection: Connection, endedBy reason: EndReason)
}

/// Why a connection ended.
public enum EndReason: Equatable, Sendable, CustomStringConvertible {
    /// The peer closed its side.
    case peerClosed
    /// We closed it, after what was queued had been sent.
    case closed
    /// The peer did not read: more bytes were waiting for it than allowed.
    case outboundLimit
    /// The peer did not read: nothing was taken for too long.
    case outboundStalled
    /// The system reported an error, in its own words.
    case failed(String)

    public var description: String {
        switch self {
        case .peerClosed: "the peer closed the connection"
        case .closed: "closed"
        case .outboundLimit: "too many bytes were waiting to be read"
        case .outboundStalled: "nothing was read for too long"
        case .failed(let reason): reason
        }
    }
}

/// The bounds of one connection.
public struct ConnectionLimits: Sendable {
    /// The most bytes that may wait for the peer to read them.
    public var outboundBytes: Int
    /// How long those bytes may wait without any of them being taken, in milliseconds.
    public var outboundStall: Int64
    /// How long a closed connection may take to send its last bytes and to be closed by the peer too, in milliseconds.
    public var linger: Int64

    public init(outboundBytes: Int = 256 * 1024, outboundStall: Int64 = 20_000, linger: Int64 = 2_000) {
        self.outboundBytes = outboundBytes
        self.outboundStall = outboundStall
        self.linger = linger
    }
}

/// One TCP connection, confined to its loop.
///
/// What is sent during a tick leaves with one system call at the tick's end; what the kernel doesn't take waits, within bounds.
public final class Connection: PollTarget, @unchecked Sendable {  // touched on `loop.queue` alone
    enum State {
        case open
        /// No more input is handed on; what is queued is being sent, then the peer has `linger` to close.
        case closing
        case ended
    }

    /// Unique on its loop.
    public let id: UInt64
    public let loop: Loop
    /// The other end's address.
    public let peer: SocketAddress
    public weak var handler: (any ConnectionHandler)?

    let limits: ConnectionLimits
    let descriptor: Int32
    var token: PollToken?
    var state = State.open
    /// Whether the loop will flush this connection at the end of the tick.
    var isDirty = false
    var isWatchedForWriting = false
    var peerIsDone = false
    /// What waits for the peer, from `outboundStart` on. Its last `held` bytes may not leave yet; the last `unflushed` of those were
    /// added in this tick.
    var outbound: [UInt8] = []
    var outboundStart = 0
    var held = 0
    var unflushed = 0
    /// Goes off when the peer takes nothing for too long, and when lingering has lasted long enough. Made on first need.
    private var timer: LoopTimer?

    init(loop: Loop, descriptor: Int32, peer: SocketAddress, limits: ConnectionLimits) {
        self.loop = loop
        self.descriptor = descriptor
        self.peer = peer
        self.limits = limits
        id = loop.makeConnectionIdentifier()
    }

    /// Starts to watch the descriptor, which is closed if the system refuses.
    func start() throws(SocketError) {
        guard let token = loop.poller.add(descriptor, .reading, self) else {
            let code = errno
            let error = SocketError("watch", peer.description, errno: code)
            Descriptor.close(descriptor)
            state = .ended
            throw error
        }
        self.token = token
    }

    /// Takes over a descriptor that is watched already.
    func adopt(_ token: PollToken) {
        self.token = token
        loop.poller.transfer(token, to: self, .reading)
    }

    /// Whether anything sent now has a chance to arrive.
    public var isOpen: Bool { state == .open }

    /// Bytes that wait for the peer.
    public var pendingBytes: Int { outbound.count - outboundStart }

    /// Sends what is queued, then closes. Nothing more is handed to the handler but the end.
    public func close() {
        guard state == .open else { return }
        state = .closing
        markDirty()
        armTimer(after: limits.linger)
    }

    /// Closes at once; what is queued is lost. The handler is told at the end of the tick.
    public func abort(_ reason: EndReason = .closed) {
        guard state != .ended else { return }
        state = .ended
        timer?.disarm()
        timer = nil
        dropOutbound()
        if let token { loop.poller.removeAndClose(token) }
        loop.tellOfEnd(self, reason)
    }

    func tellHandler(_ reason: EndReason) {
        let handler = handler
        self.handler = nil
        handler?.connection(self, endedBy: reason)
    }

    func loopStopped() {
        state = .ended
        token = nil
        timer = nil
        handler = nil
        dropOutbound()
    }

    private func dropOutbound() {
        outbound = []
        outboundStart = 0
        held = 0
        unflushed = 0
    }

    func ready(_ readiness: Readiness) {
        if readiness.contains(.writable) { flush(releasing: 0) }
        if state != .ended, readiness.contains(.readable) || readiness.contains(.hangup) { read() }
        // Both directions are shut: what still waits has nowhere to go, and this would be reported for ever.
        if state != .ended, peerIsDone, readiness.contains(.hangup) { abort(.peerClosed) }
    }

    private func read() {
        // A few reads a tick, so that one fast sender can't hold the loop; the rest is reported again.
        for _ in 0..<4 {
            let count = Descriptor.receive(descriptor, loop.readBuffer)
            if count > 0 {
                if state == .open {
                    handler?.connection(self, received: UnsafeRawBufferPointer(rebasing: loop.readBuffer[..<count]))
                }
                if state == .ended || count < loop.readBuffer.count { return }
            } else if count == 0 {
                return finishedByPeer()
            } else {
                let code = errno
                if code == EINTR { continue }
                if Descriptor.wouldBlock(code) { return }
                return abort(.failed(String(cString: strerror(code))))
            }
        }
    }

    /// The peer sends no more. What waits for it may still be wanted (`printf … | nc` closes its side first), so it is sent.
    private func finishedByPeer() {
        guard !peerIsDone else { return }
        peerIsDone = true
        if state == .closing && pendingBytes == 0 { return abort(.closed) }
        guard pendingBytes > 0 else { return abort(.peerClosed) }
        // End of file stays readable for ever: only writing is of interest now.
        watch()
        armTimer(after: limits.linger)
    }

    /// Has the poller watch for what is of interest now.
    func watch() {
        var interest: Interest = peerIsDone ? [] : .reading
        if isWatchedForWriting { interest.insert(.writing) }
        if let token { loop.poller.change(token, interest) }
    }

    func armTimer(after delay: Int64) {
        if timer == nil { timer = loop.makeTimer { [unowned self] in timeIsUp() } }
        timer?.arm(at: loop.now + delay)
    }

    func disarmTimer() { timer?.disarm() }

    private func timeIsUp() {
        abort(state == .open && !peerIsDone ? .outboundStalled : peerIsDone ? .peerClosed : .closed)
    }
}
