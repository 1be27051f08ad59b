#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// One connection, confined to its loop.
///
/// What is sent during a tick leaves with one system call at the tick's end; what the kernel doesn't take waits, within bounds.
public final class Connection: PollTarget, @unchecked Sendable {  // touched on `loop.queue` alone
    enum State {
        case open
        /// On its way to another loop: nothing is read, sent or told here any more.
        case moving(Move)
        /// About to be ended for a limit, at the end of the tick: only the last word is missing.
        case cut
        /// No more input is handed on; what is queued is being sent, then the peer has `linger` to close.
        case closing
        case ended
    }

    // What each message touches comes first and close together: with thousands of connections most of it is in no cache. It is not checked
    // for exclusive access either: all of it is on one queue, and nothing that is done to it calls out.

    /// The loop that it lives on: always the same one. Moving makes another object.
    public let loop: Loop
    let descriptor: Int32
    /// Whether the loop will flush this connection at the end of the tick.
    var isDirty = false
    var isWatchedForWriting = false
    var peerIsDone = false
    /// Whether what arrives is read. While it is not, it waits with the system, which tells the peer to wait when its buffers are full; a
    /// connection that breaks is noticed all the same.
    public var isReading = true {
        didSet { if isReading != oldValue, !hasEnded { watch() } }
    }
    /// Whether it was congested and the handler is to be told when it isn't any more.
    var owesDrain = false
    /// Whether the peer has a part of the first message that waits.
    var isWithinMessage = false
    /// Whether what waits is one message that others get too: the very array, not to be written to.
    var isShared = false
    @exclusivity(unchecked) var state = State.open
    /// What waits for the peer, from `outboundStart` on. Its last `held` bytes may not leave yet; the last `unflushed` of those were
    /// added in this tick. No buffer while nothing waits.
    @exclusivity(unchecked) var outbound: [UInt8] = []
    var outboundStart = 0
    var held = 0
    var unflushed = 0
    /// What of `outbound` the budget knows of, and where the loop lists this connection while that is not 0.
    var accounted = 0
    var backlogPlace = 0
    /// Goes off when the peer takes nothing for too long, and when lingering has lasted long enough. Made on first need.
    @exclusivity(unchecked) private var timer: LoopTimer?
    @exclusivity(unchecked) private(set) var limits: ConnectionLimits
    public weak var handler: (any ConnectionHandler)?
    @exclusivity(unchecked) var token: PollToken?
    /// Bytes that a closing connection has read and dropped.
    var discarded = 0
    static let mostDiscarded = 256 * 1024
    /// Unique in the loop's group, also among the connections that have ended. It stays the same when the connection moves.
    public let id: UInt64
    /// The other end's address.
    public let peer: SocketAddress

    convenience init(loop: Loop, descriptor: Int32, peer: SocketAddress, limits: ConnectionLimits) {
        self.init(loop: loop, id: loop.makeConnectionIdentifier(), descriptor: descriptor, peer: peer, limits: limits)
    }

    init(loop: Loop, id: UInt64, descriptor: Int32, peer: SocketAddress, limits: ConnectionLimits) {
        self.loop = loop
        self.id = id
        self.descriptor = descriptor
        self.peer = peer
        self.limits = limits
    }

    /// Starts to watch the descriptor, which is closed if the system refuses.
    func start() throws(SocketError) {
        guard let token = loop.poller.add(descriptor, interest, self) else {
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
        loop.poller.transfer(token, to: self, interest)
    }

    /// Whether anything sent now has a chance to arrive.
    public var isOpen: Bool { if case .open = state { true } else { false } }

    var hasEnded: Bool { if case .ended = state { true } else { false } }

    /// Has other bounds hold from now on. The time for which a peer has taken nothing counts; one for which more waits than it may now is
    /// cut off.
    public func apply(_ limits: ConnectionLimits) {
        let former = self.limits
        self.limits = limits
        guard isOpen, !peerIsDone else { return }
        if let deadline = timer?.deadline { timer?.arm(at: deadline + limits.outboundStall - former.outboundStall) }
        if pendingBytes > limits.outboundBytes { cut(.outboundLimit) }
    }

    /// Sends what is queued, then closes. Nothing more is handed to the handler but the end.
    public func close() {
        guard isOpen else { return }
        state = .closing
        markDirty()
        armTimer(after: limits.linger)
    }

    /// Sends what the system takes at once, then closes with a reset: nothing of the connection stays behind, not even for a moment.
    public func reset() {
        switch state {
        case .open, .closing: flush(releasing: takeUnflushed())
        case .moving, .cut, .ended: return
        }
        guard !hasEnded else { return }
        Descriptor.resetOnClose(descriptor)
        abort(.closed)
    }

    /// Closes at once; what is queued is lost. The handler is told at the end of the tick.
    public func abort(_ reason: EndReason = .closed) {
        switch state {
        case .open, .closing:
            tearDown()
            loop.tellOfEnd(self, reason)
        case .moving, .cut, .ended: return
        }
    }

    /// Has the connection ended for a limit. At the tick's end, since the handler has a last word.
    func cut(_ reason: EndReason) {
        guard isOpen, !peerIsDone else { return abort(reason) }
        state = .cut
        loop.tellOfEnd(self, reason)
    }

    func tellOfEnd(_ reason: EndReason) {
        if case .cut = state {
            if let goodbye = handler?.connection(self, willBeCutFor: reason), !goodbye.isEmpty { sendLast(goodbye) }
            tearDown()
        }
        let handler = handler
        self.handler = nil
        handler?.connection(self, endedBy: reason)
    }

    func tellOfDrain() {
        guard isOpen, owesDrain, waitingBytes == 0 else { return }
        owesDrain = false
        handler?.connectionHasDrained(self)
    }

    private func tearDown() {
        state = .ended
        forget()
        if let token { loop.poller.removeAndClose(token) } else { Descriptor.close(descriptor) }
        token = nil
    }

    func loopStopped() {
        state = .ended
        token = nil
        handler = nil
        forget()
    }

    /// Lets go of what only a living connection needs.
    func forget() {
        timer?.disarm()
        timer = nil
        loop.backlog.account(self, as: 0)
        outbound = []
        isShared = false
        outboundStart = 0
        held = 0
        unflushed = 0
    }

    /// What to watch for now.
    var interest: Interest {
        var interest: Interest = peerIsDone || !isReading ? .newsOnly : [.newsOnly, .reading]
        if isWatchedForWriting { interest.insert(.writing) }
        return interest
    }

    func watch() {
        if let token { loop.poller.change(token, interest) }
    }

    func armTimer(after delay: Int64) {
        if timer == nil { timer = loop.makeTimer { [weak self] in self?.timeIsUp() } }
        timer?.arm(at: loop.now + delay)
    }

    func disarmTimer() { timer?.disarm() }

    /// How long the timer has yet to run, in milliseconds; nil while it doesn't.
    var timeLeft: Int64? { timer?.deadline.map { max(0, $0 - loop.now) } }

    private func timeIsUp() {
        if isOpen, !peerIsDone { cut(.outboundStalled) } else { abort(peerIsDone ? .peerClosed : .closed) }
    }

    deinit {
        // Let go of while a gate of its old loop, which never opened, held it back from moving.
        if case .moving(let move) = state, move.isReleased { Descriptor.close(descriptor) }
    }
}
