#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A stream connection, confined to its loop.
///
/// Bytes sent during a tick leave with one system call at its end; bytes that the kernel refuses are queued, within bounds.
public final class Connection: PollTarget {
    enum State {
        case open
        /// Moving to another loop: ignores reads, sends and notifications.
        case moving(Move)
        /// To be ended for a limit at the end of the tick, after the handler's last message.
        case cut
        /// Input is discarded; queued bytes are sent, then the peer has `linger` to close.
        case closing
        case ended
    }

    // State of every message comes first, for cache locality with thousands of connections. No exclusive access checks: one
    // queue, and no access spans a call to foreign code.

    /// The connection's loop. Constant: moving creates another object.
    public let loop: Loop
    let descriptor: Int32
    /// Whether the loop flushes this connection at the end of the tick.
    var isDirty = false
    var isWatchedForWriting = false
    var peerIsDone = false
    /// Whether input is read. While false, input stays in the kernel, whose flow control stops the peer; broken connections are
    /// still detected.
    public var isReading = true {
        didSet { if isReading != oldValue, !hasEnded { watch() } }
    }
    /// Whether the handler is to be notified once the connection has drained.
    var owesDrain = false
    /// Whether the peer has received a part of the first queued message.
    var isWithinMessage = false
    /// Whether `outbound` is an array shared with other connections, not to be mutated.
    var isShared = false
    @exclusivity(unchecked) var state = State.open
    /// Bytes on their way to the peer. A byte enters at the right and leaves at the left:
    ///
    ///     sent          waiting for the peer    held by the gate, not yet durable
    ///     ├─────────────┼───────────────────────┼──────────────────────┬──────────────┤
    ///     0       outboundStart          count - held         added by this tick:   count
    ///                                                              unflushed
    ///
    /// `held` counts the bytes whose records are not yet durable (`TickGate`); the last `unflushed` of them were added by this tick.
    /// At the end of a tick the loop takes `unflushed` and hands it to the gate; when the tick's records are durable, the gate
    /// releases that many bytes from the left of `held` (`flush(releasing:)`), and they may be sent. `waitingBytes` (released, not
    /// taken by the kernel) is the peer's fault and counts towards the limits; `held` is the disk's and does not. Empty, without
    /// capacity, while nothing is queued.
    @exclusivity(unchecked) var outbound: [UInt8] = []
    var outboundStart = 0
    var held = 0
    var unflushed = 0
    /// Bytes that the gate is about to release.
    var releasable = 0
    var isReleasing = false
    /// The part of `outbound` counted in the budget; while not 0, `backlogIndex` is the index in the loop's backlog.
    var accounted = 0
    var backlogIndex = 0
    /// Outbound stall and linger deadline. Created on first use.
    @exclusivity(unchecked) private var timer: LoopTimer?
    @exclusivity(unchecked) private(set) var limits: ConnectionLimits
    public weak var handler: (any ConnectionHandler)?
    @exclusivity(unchecked) var token: PollToken?
    /// Bytes that a closing connection has read and discarded.
    var discarded = 0
    static let maximumDiscarded = 256 * 1024
    /// Unique in the loop's group, also among ended connections. Constant across moves.
    public let id: UInt64
    /// The remote address.
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

    /// Starts watching the descriptor; closes it if the system refuses.
    func start() throws(SocketError) {
        guard let token = loop.poller.add(descriptor, interest, self) else {
            let code = errno
            let error = SocketError("watch", peer.description, errno: code)
            loop.sockets.close(descriptor)
            state = .ended
            throw error
        }
        self.token = token
    }

    /// Takes over a watched descriptor.
    func adopt(_ token: PollToken) {
        self.token = token
        loop.poller.transfer(token, to: self, interest)
    }

    /// Whether bytes sent can still arrive.
    public var isOpen: Bool { if case .open = state { true } else { false } }

    var hasEnded: Bool { if case .ended = state { true } else { false } }

    /// Applies new limits. A running stall deadline shifts by the difference; a connection with more bytes queued than allowed is
    /// cut off.
    public func apply(_ limits: ConnectionLimits) {
        let former = self.limits
        self.limits = limits
        guard isOpen, !peerIsDone else { return }
        if let deadline = timer?.deadline { timer?.arm(at: deadline + limits.outboundStall - former.outboundStall) }
        if waitingBytes + unflushed > limits.outboundBytes { cut(.outboundLimit) }
    }

    /// Sends queued bytes, then closes. The handler receives no more input, only the end.
    public func close() {
        guard isOpen else { return }
        state = .closing
        markDirty()
        armTimer(after: limits.linger)
    }

    /// Sends the bytes that the kernel takes at once, then closes with a reset, which leaves no kernel state behind.
    public func reset() {
        switch state {
        case .open, .closing: flush(releasing: takeUnflushed())
        case .moving, .cut, .ended: return
        }
        guard !hasEnded else { return }
        loop.sockets.resetOnClose(descriptor)
        abort(.closed)
    }

    /// Closes at once and drops queued bytes. The handler is notified at the end of the tick.
    public func abort(_ reason: EndReason = .closed) {
        switch state {
        case .open, .closing:
            tearDown()
            loop.notifyEndLater(self, reason)
        case .moving, .cut, .ended: return
        }
    }

    /// Ends the connection for a limit, at the end of the tick, after the handler's last message.
    func cut(_ reason: EndReason) {
        guard isOpen, !peerIsDone else { return abort(reason) }
        state = .cut
        loop.notifyEndLater(self, reason)
    }

    func notifyEnd(_ reason: EndReason) {
        if case .cut = state {
            if let message = handler?.connection(self, willBeCutFor: reason), !message.isEmpty { sendLast(message) }
            tearDown()
        }
        let handler = handler
        self.handler = nil
        handler?.connection(self, endedBy: reason)
    }

    func notifyDrain() {
        guard isOpen, owesDrain, waitingBytes == 0 else { return }
        owesDrain = false
        handler?.connectionHasDrained(self)
    }

    private func tearDown() {
        state = .ended
        forget()
        if let token { loop.poller.removeAndClose(token) } else { loop.sockets.close(descriptor) }
        token = nil
    }

    func loopStopped() {
        state = .ended
        token = nil
        handler = nil
        forget()
    }

    /// Releases buffers and the timer.
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

    /// The events to watch for, derived from the state.
    var interest: Interest {
        var interest: Interest = peerIsDone || !isReading ? .edgeTriggered : [.edgeTriggered, .reading]
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

    /// Milliseconds until the timer fires; nil while it is disarmed.
    var timeLeft: Int64? { timer?.deadline.map { max(0, $0 - loop.now) } }

    private func timeIsUp() {
        if isOpen, !peerIsDone { cut(.outboundStalled) } else { abort(peerIsDone ? .peerClosed : .closed) }
    }

    deinit {
        // Released while moving, because the old loop's gate never opened.
        if case .moving(let move) = state, move.isReleased { loop.sockets.close(descriptor) }
    }
}
