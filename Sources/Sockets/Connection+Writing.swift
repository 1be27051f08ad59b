#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

extension Connection {
    /// Bytes that wait to leave, for whatever reason.
    public var pendingBytes: Int { outbound.count - outboundStart }

    /// Bytes that might have left already if the peer read faster.
    public var waitingBytes: Int { pendingBytes - held }

    /// Whether the peer is so slow that more than ``ConnectionLimits/congestedBytes`` wait for it. Hold back what can be said in fewer
    /// words later: ``ConnectionHandler/connectionHasDrained(_:)`` tells when that is.
    public var isCongested: Bool { waitingBytes > limits.congestedBytes }

    /// Queues bytes; they leave at the end of the tick. Beyond the bound on what may wait, the connection is ended instead.
    public func send(_ bytes: some Collection<UInt8>) { send(Array(bytes)) }

    /// Queues bytes; they leave at the end of the tick. Beyond the bound on what may wait, the connection is ended instead.
    public func send(_ bytes: [UInt8]) {
        guard mayQueue(bytes.count) else { return }
        if outbound.capacity == 0 || isShared { useOwnBuffer() }
        outbound.append(contentsOf: bytes)
        queued(bytes.count)
    }

    /// Queues a message that many connections get, as ``send(_:)`` does. Where nothing else waits, it is held instead of copied: whoever
    /// changes the array before the tick's end gets a copy of it.
    public func share(_ message: [UInt8]) {
        guard pendingBytes == 0, !message.isEmpty else { return send(message) }
        guard mayQueue(message.count) else { return }
        outbound = message
        isShared = true
        queued(message.count)
    }

    private func mayQueue(_ count: Int) -> Bool {
        guard isOpen else { return false }
        guard pendingBytes + count <= limits.outboundBytes else {
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

    /// How many bytes this tick has added; from now on they are the loop's to release.
    func takeUnflushed() -> Int {
        defer { unflushed = 0 }
        isDirty = false
        return unflushed
    }

    /// Lets so many more bytes go, and hands the kernel what it will take, with one call.
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
            Descriptor.send(descriptor, UnsafeRawBufferPointer(rebasing: $0[outboundStart..<outbound.count - held]))
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

    /// Everything that may leave has left: room to write is of no interest, nor how long the peer takes.
    private func everythingIsTaken() {
        isWithinMessage = false
        if isOpen, !peerIsDone { disarmTimer() }
        if isWatchedForWriting {
            isWatchedForWriting = false
            watch()
        }
        if owesDrain { loop.tellOfDrain(self) }
        guard pendingBytes == 0 else { return }
        giveBufferBack()
        everythingIsSent()
    }

    private func everythingIsSent() {
        if peerIsDone { return abort(isOpen ? .peerClosed : .closed) }
        // Our side is closed in order and the peer's input read to its end: closing with input unread would send a reset, which can
        // destroy the last bytes on their way.
        if !isOpen { Descriptor.shutdownWriting(descriptor) }
    }

    /// Drops what was sent once it is the larger part, so that a slow reader's queue stays within twice its bound.
    private func compact() {
        guard !isShared, outboundStart > 4096, outboundStart > pendingBytes else { return }
        outbound.removeFirst(outboundStart)
        outboundStart = 0
    }

    private func giveBufferBack() {
        guard outbound.capacity > 0 else { return }
        var buffer: [UInt8] = []
        swap(&buffer, &outbound)
        outboundStart = 0
        guard !isShared else {
            isShared = false
            return
        }
        loop.buffers.giveBack(buffer)
    }

    /// Tries to say goodbye to a peer that reads too slowly: after the rest of the message that it has a part of, and in one call.
    func sendLast(_ goodbye: [UInt8]) {
        var last: [UInt8] = []
        if isWithinMessage {
            let waiting = outbound[outboundStart..<outbound.count - held]
            guard let end = waiting.firstIndex(of: limits.messageEnd) else { return }
            last += waiting[...end]
        }
        last += goodbye
        Descriptor.makeRoom(descriptor, for: limits.outboundStall)
        _ = last.withUnsafeBytes { Descriptor.send(descriptor, $0) }
        // Closing with input unread would send a reset, which destroys the farewell.
        for _ in 0..<4 where Descriptor.receive(descriptor, loop.readBuffer) <= 0 { return }
    }
}
