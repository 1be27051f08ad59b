#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A stream connection, confined to its loop.
///
/// Bytes sent during a tick leave with one system call at its end, or later if the loop has a barrier. Bytes that the kernel does
/// not take are queued. Three limits end a connection whose peer reads too slowly: its own queue, the total of its loop, and a
/// time without progress. Bytes that wait for the barrier do not count, since the disk holds them back and not the peer.
///
/// Handlers are never called from inside a call to the connection, so they need not be re-entrant: ends and drains are
/// reported at the end of the tick. ``ConnectionHandler/connection(_:endedBy:)`` is called exactly once, as the last call.
///
/// A connection can move to another loop: a new object with the same ``id`` takes over the descriptor, and this one ignores
/// all further calls.
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
    /// Whether the connection stays open for ``ConnectionLimits/linger`` after the peer's end of input, even with nothing queued: replies
    /// may still come from another server.
    package var outlivesInput = false
    /// Whether the handler is to be notified once the connection has drained.
    var owesDrain = false
    /// Whether the peer has received a part of the first queued message.
    var isWithinMessage = false
    /// Whether `outbound` is an array shared with other connections, not to be mutated.
    var isShared = false
    @exclusivity(unchecked) var state = State.open
    /// Bytes on their way to the peer. A byte enters at the right and leaves at the left:
    ///
    ///     sent          waiting for the peer    held by the barrier, not yet durable
    ///     ├─────────────┼───────────────────────┼──────────────────────┬──────────────┤
    ///     0       outboundStart          count - held         added by this tick:   count
    ///                                                              unflushed
    ///
    /// `held` counts the bytes whose records are not yet durable (`DurabilityBarrier`); the last `unflushed` of them were added by this tick.
    /// At the end of a tick the loop takes `unflushed` and hands it to the barrier; when the tick's records are durable, the barrier
    /// releases that many bytes from the left of `held` (`flush(releasing:)`), and they may be sent. `waitingBytes` (released, not
    /// taken by the kernel) is the peer's fault and counts towards the limits; `held` is the disk's and does not. Empty, without
    /// capacity, while nothing is queued.
    @exclusivity(unchecked) var outbound: [UInt8] = []
    var outboundStart = 0
    var held = 0
    var unflushed = 0
    /// Bytes that the barrier is about to release.
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

    /// Whether sent bytes can still reach the peer.
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

    package func loopStopped() {
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
        // Released while moving, because the old loop's barrier never opened.
        if case .moving(let move) = state, move.isReleased { loop.sockets.close(descriptor) }
    }

    // MARK: Moving

    /// Destination of a moving connection, while the barrier or the poller holds it back.
    final class Move {
        let destination: Loop
        let arrived: @Sendable (Connection) -> Void
        /// Whether the old loop's poller has released the descriptor.
        var isReleased = false

        init(to destination: Loop, _ arrived: @escaping @Sendable (Connection) -> Void) {
            self.destination = destination
            self.arrived = arrived
        }
    }

    /// Moves the connection to another loop, where a new object has the same ``id``, with order and bytes preserved. From this call on, the
    /// handler is not called and this object ignores all calls. Must be called on ``loop``.
    /// - Parameter arrived: called on the destination with the new connection, before any read, to set the handler, whose end notification reports
    ///   a failure to watch; not called on a stopped loop, which closes the connection.
    /// - Returns: whether it moves. A connection that has ended or is closing does not, and its handler is notified as usual.
    @discardableResult
    public func move(to destination: Loop, then arrived: @escaping @Sendable (Connection) -> Void) -> Bool {
        guard isOpen, let token else { return false }
        self.token = nil
        handler = nil
        let move = Move(to: destination, arrived)
        state = .moving(move)
        loop.poller.release(token) { [self] in
            guard case .moving = state else { return }
            move.isReleased = true
            leaveWhenReady(move)
        }
        return true
    }

    /// Leaves once the poller has released the descriptor and the barrier holds nothing back.
    func leaveWhenReady(_ move: Move) {
        guard move.isReleased, held == 0 else { return }
        let (destination, arrived, timeLeft) = (move.destination, move.arrived, timeLeft)
        let moved = Connection(loop: destination, id: id, descriptor: descriptor, peer: peer, limits: limits)
        moved.outbound = Array(outbound[outboundStart...])
        moved.isWatchedForWriting = isWatchedForWriting
        moved.peerIsDone = peerIsDone
        moved.owesDrain = owesDrain
        moved.isWithinMessage = isWithinMessage
        state = .ended
        forget()
        let handle = LoopConfined(sending: moved, on: destination)
        loop.afterTick { handle.perform { $0.arrive(timeLeft, arrived) } }
    }

    /// The first work on the new loop.
    /// - Parameter timeLeft: of the timer; nil if it was disarmed.
    private func arrive(_ timeLeft: Int64?, _ arrived: (Connection) -> Void) {
        token = loop.poller.add(descriptor, interest, self)
        guard token != nil else {
            let code = errno
            guard code != ECANCELED else { return closeSilently() }
            arrived(self)
            return abort(.failed(String(cString: strerror(code))))
        }
        if let timeLeft { armTimer(after: timeLeft) }
        // Also with nothing queued: flushing ends a connection whose peer has finished.
        markDirty()
        arrived(self)
    }

    /// Ends a move that waits for the barrier of a stopped loop, which breaks the reference cycle between move and connection.
    func endMove() {
        if case .moving(let move) = state, move.isReleased { closeSilently() }
    }

    private func closeSilently() {
        loop.sockets.close(descriptor)
        state = .ended
        forget()
    }

    // MARK: Reading

    package func ready(_ readiness: Readiness) {
        if readiness.contains(.writable) { flush(releasing: 0) }
        // Both directions are shut: queued bytes cannot be delivered.
        defer { if peerIsDone, readiness.contains(.hangup) { abort(.peerClosed) } }
        // Paused by an earlier event of the same batch: resuming re-arms the event.
        guard !hasEnded, isReading && readiness.contains(.readable) || readiness.contains(.hangup) else { return }
        // Read to the end if end of file is pending; otherwise a short read has emptied the socket, and later input causes a new
        // event.
        let readsToTheEnd = readiness.contains(.finished) || readiness.contains(.hangup)
        // Fairness: at most 4 reads per tick.
        for _ in 0..<4 {
            switch state {
            // Unread bytes stay in the kernel for the next loop.
            case .moving, .cut, .ended: return
            case .open, .closing: break
            }
            let capacity = min(limits.inboundBytes, loop.readBuffer.count)
            let count = loop.sockets.receive(descriptor, UnsafeMutableRawBufferPointer(rebasing: loop.readBuffer[..<capacity]))
            if count > 0 {
                if isOpen {
                    handler?.connection(self, received: UnsafeRawBufferPointer(rebasing: loop.readBuffer[..<count]))
                } else {
                    discarded += count
                    // Discarding avoids a reset, which would destroy the last bytes sent; bounded against a peer that never
                    // stops.
                    if discarded > Self.maximumDiscarded { return abort(.closed) }
                }
                if count < capacity, !readsToTheEnd { return }
                // Paused by the handler: the rest and end of file are read on resumption, unless the connection is broken.
                if !isReading, !readiness.contains(.hangup) { return }
            } else if count == 0 {
                return finishedByPeer()
            } else {
                let code = errno
                if code == EINTR { continue }
                if Descriptor.wouldBlock(code) { return }
                return abort(.failed(String(cString: strerror(code))))
            }
        }
        // Edge-triggered: re-arms the event for the remaining bytes.
        watch()
    }

    /// The peer has shut down its sending side (`printf … | nc`). Queued bytes are still sent.
    private func finishedByPeer() {
        guard !peerIsDone else { return }
        peerIsDone = true
        guard pendingBytes > 0 || outlivesInput && isOpen else { return abort(isOpen ? .peerClosed : .closed) }
        // Level-triggered pollers would report end of file forever: watch for writing only.
        watch()
        armTimer(after: limits.linger)
    }

    // MARK: Writing

    /// All queued bytes.
    public var pendingBytes: Int { outbound.count - outboundStart }

    /// Bytes queued because the peer reads slowly: ``pendingBytes`` without those held by the barrier.
    package var waitingBytes: Int { pendingBytes - held }

    /// Backpressure: whether ``waitingBytes`` exceeds ``ConnectionLimits/congestedBytes``. Coalesce messages until
    /// ``ConnectionHandler/connectionHasDrained(_:)``.
    public var isCongested: Bool { waitingBytes > limits.congestedBytes }

    /// Queues bytes for the end of the tick. Ends the connection if more than ``ConnectionLimits/outboundBytes`` would be queued.
    public func send(_ bytes: [UInt8]) {
        guard mayQueue(bytes.count) else { return }
        if outbound.capacity == 0 || isShared { useOwnBuffer() }
        outbound.append(contentsOf: bytes)
        queued(bytes.count)
    }

    /// As ``send(_:)``, for bytes that are not in an array.
    package func forward(_ bytes: UnsafeRawBufferPointer) {
        guard !bytes.isEmpty, mayQueue(bytes.count) else { return }
        if outbound.capacity == 0 || isShared { useOwnBuffer() }
        outbound.append(contentsOf: bytes)
        queued(bytes.count)
    }

    /// Queues a message that many connections send, as ``send(_:)`` does. Retains the array instead of copying it if nothing else
    /// is queued; a mutation before the end of the tick copies the array.
    public func share(_ message: [UInt8]) {
        guard pendingBytes == 0, !message.isEmpty else { return send(message) }
        guard mayQueue(message.count) else { return }
        outbound = message
        isShared = true
        queued(message.count)
    }

    /// Sends whole messages at once, bypassing the barrier: only for messages that depend on no record. Before the barrier has reached its first
    /// position they wait like others.
    public func sendAhead(_ messages: [UInt8]) {
        guard loop.isBarrierOpen else { return send(messages) }
        guard mayQueue(messages.count) else { return }
        if outbound.capacity == 0 || isShared { useOwnBuffer() }
        outbound.insert(contentsOf: messages, at: outbound.count - held)
        flush(releasing: 0)
    }

    private func mayQueue(_ count: Int) -> Bool {
        guard isOpen else { return false }
        // Bytes held since earlier ticks wait for the barrier, not for the peer.
        guard waitingBytes + unflushed + count <= limits.outboundBytes else {
            cut(.outboundLimit)
            return false
        }
        return true
    }

    private func queued(_ count: Int) {
        held += count
        unflushed += count
        markDirty()
    }

    private func useOwnBuffer() {
        let waiting = outbound[outboundStart...]
        var buffer = loop.buffers.take()
        buffer.append(contentsOf: waiting)
        outbound = buffer
        outboundStart = 0
        isShared = false
    }

    func markDirty() {
        guard !isDirty else { return }
        isDirty = true
        loop.markDirty(self)
    }

    /// Takes the number of bytes added in this tick; the loop releases them later.
    func takeUnflushed() -> Int {
        defer { unflushed = 0 }
        isDirty = false
        return unflushed
    }

    /// Sends the bytes that the barrier has released.
    func flushReleased() {
        let count = releasable
        (releasable, isReleasing) = (0, false)
        flush(releasing: count)
    }

    /// Releases `count` more bytes from the barrier and sends the released bytes with one call.
    func flush(releasing count: Int) {
        switch state {
        case .cut, .ended: return
        case .moving(let move):
            held -= count
            return leaveWhenReady(move)
        case .open, .closing: break
        }
        held -= count
        guard waitingBytes > 0 else { return everythingIsTaken() }
        defer { if !hasEnded { loop.backlog.account(self, as: outbound.count) } }
        let taken = outbound.withUnsafeBytes {
            loop.sockets.send(descriptor, UnsafeRawBufferPointer(rebasing: $0[outboundStart..<outbound.count - held]))
        }
        if taken < 0 {
            let code = errno
            guard Descriptor.wouldBlock(code) || code == EINTR || code == ENOBUFS else {
                return abort(.failed(String(cString: strerror(code))))
            }
        } else {
            outboundStart += taken
            guard waitingBytes > 0 else { return everythingIsTaken() }
            if taken > 0 { isWithinMessage = outbound[outboundStart - 1] != limits.messageEnd }
            compact()
        }
        if isCongested { owesDrain = true }
        waitForWriting(progress: taken > 0)
    }

    private func waitForWriting(progress: Bool) {
        if isOpen, !peerIsDone, progress || !isWatchedForWriting { armTimer(after: limits.outboundStall) }
        guard !isWatchedForWriting else { return }
        isWatchedForWriting = true
        watch()
    }

    /// All released bytes are sent: stops watching for writing and cancels the stall deadline.
    private func everythingIsTaken() {
        isWithinMessage = false
        if isOpen, !peerIsDone { disarmTimer() }
        if isWatchedForWriting {
            isWatchedForWriting = false
            watch()
        }
        if owesDrain { loop.notifyDrainLater(self) }
        guard pendingBytes == 0 else { return }
        recycleBuffer()
        everythingIsSent()
    }

    private func everythingIsSent() {
        if outlivesInput, isOpen { return }
        if peerIsDone { return abort(isOpen ? .peerClosed : .closed) }
        // Shuts down only the sending side and reads to the end: closing with unread input sends a reset, which can destroy the
        // last bytes in flight.
        if !isOpen { loop.sockets.shutdownWriting(descriptor) }
    }

    /// Drops sent bytes once they are the larger part: bounds the buffer by twice the limit.
    private func compact() {
        guard !isShared, outboundStart > 4096, outboundStart > pendingBytes else { return }
        outbound.removeFirst(outboundStart)
        outboundStart = 0
    }

    private func recycleBuffer() {
        guard outbound.capacity > 0 else { return }
        var buffer: [UInt8] = []
        swap(&buffer, &outbound)
        outboundStart = 0
        guard !isShared else {
            isShared = false
            return
        }
        loop.buffers.put(buffer)
    }

    /// Tries to send a last message to a slow peer, after the rest of a partly received message, in one call.
    func sendLast(_ message: [UInt8]) {
        var last: [UInt8] = []
        if isWithinMessage {
            let waiting = outbound[outboundStart..<outbound.count - held]
            guard let end = waiting.firstIndex(of: limits.messageEnd) else { return }
            last += waiting[...end]
        }
        last += message
        loop.sockets.makeRoom(descriptor)
        _ = last.withUnsafeBytes { loop.sockets.send(descriptor, $0) }
        // Closing with unread input sends a reset, which destroys the last message.
        for _ in 0..<4 where loop.sockets.receive(descriptor, loop.readBuffer) <= 0 { return }
    }
}

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

/// Why a connection ended.
public enum EndReason: Equatable, Sendable, CustomStringConvertible {
    /// The peer closed its side.
    case peerClosed
    /// Closed locally, after queued bytes were sent.
    case closed
    /// The peer reads too slowly: more bytes were queued for it than ``ConnectionLimits/outboundBytes``.
    case outboundLimit
    /// The peer reads too slowly: the bound of its loop was exceeded, and this connection had the most bytes queued.
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
        case .outboundTotal: "too many bytes were waiting to be read by all clients"
        case .outboundStalled: "no data was read for too long"
        case .failed(let reason): reason
        }
    }
}
