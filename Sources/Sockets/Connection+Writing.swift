#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

extension Connection {
    /// Bytes queued for any reason.
    public var pendingBytes: Int { outbound.count - outboundStart }

    /// Bytes queued because the peer reads slowly: ``pendingBytes`` without those held by the gate.
    package var waitingBytes: Int { pendingBytes - held }

    /// Backpressure: whether ``waitingBytes`` exceeds ``ConnectionLimits/congestedBytes``. Coalesce messages until
    /// ``ConnectionHandler/connectionHasDrained(_:)``.
    public var isCongested: Bool { waitingBytes > limits.congestedBytes }

    /// Queues bytes for the end of the tick. Ends the connection if more than ``ConnectionLimits/outboundBytes`` would be queued.
    public func send(_ bytes: some Collection<UInt8>) { send(Array(bytes)) }

    /// Queues bytes for the end of the tick. Ends the connection if more than ``ConnectionLimits/outboundBytes`` would be queued.
    public func send(_ bytes: [UInt8]) {
        guard mayQueue(bytes.count) else { return }
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

    /// Sends whole messages at once, before those that the gate holds: for what is true whatever the gate waits for.
    package func sendAhead(_ messages: [UInt8]) {
        guard mayQueue(messages.count) else { return }
        if outbound.capacity == 0 || isShared { useOwnBuffer() }
        outbound.insert(contentsOf: messages, at: outbound.count - held)
        flush(releasing: 0)
    }

    /// Sends this tick's bytes at once, without the gate. No earlier tick's may be held.
    package func flushPastGate() {
        precondition(held == unflushed, "bytes leave in their order")
        flush(releasing: takeUnflushed())
    }

    private func mayQueue(_ count: Int) -> Bool {
        guard isOpen else { return false }
        // Bytes held since earlier ticks wait for the gate, not for the peer.
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

    /// Sends the bytes that the gate has released.
    func flushReleased() {
        let count = releasable
        (releasable, isReleasing) = (0, false)
        flush(releasing: count)
    }

    /// Releases `count` more bytes from the gate and sends the released bytes with one call.
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
        loop.sockets.makeRoom(descriptor, for: limits.outboundStall)
        _ = last.withUnsafeBytes { loop.sockets.send(descriptor, $0) }
        // Closing with unread input sends a reset, which destroys the last message.
        for _ in 0..<4 where loop.sockets.receive(descriptor, loop.readBuffer) <= 0 { return }
    }
}
