#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

extension Connection {
    /// Queues bytes; they leave at the end of the tick. Beyond the bound on what may wait, the connection is ended instead.
    public func send(_ bytes: some Collection<UInt8>) { send(Array(bytes)) }

    /// Queues bytes; they leave at the end of the tick. Beyond the bound on what may wait, the connection is ended instead.
    public func send(_ bytes: [UInt8]) {
        guard state == .open else { return }
        guard pendingBytes + bytes.count <= limits.outboundBytes else { return abort(.outboundLimit) }
        outbound.append(contentsOf: bytes)
        held += bytes.count
        unflushed += bytes.count
        markDirty()
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
        guard state != .ended else { return }
        held -= count
        if pendingBytes > held {
            let count = outbound.withUnsafeBytes {
                Descriptor.send(descriptor, UnsafeRawBufferPointer(rebasing: $0[outboundStart..<outbound.count - held]))
            }
            if count < 0 {
                let code = errno
                guard Descriptor.wouldBlock(code) || code == EINTR || code == ENOBUFS else {
                    return abort(.failed(String(cString: strerror(code))))
                }
                return waitForWriting(progress: false)
            }
            outboundStart += count
            if pendingBytes > held {
                compact()
                return waitForWriting(progress: count > 0)
            }
        }
        stopWaitingForWriting()
        guard pendingBytes == 0 else { return }
        releaseBuffer()
        everythingIsSent()
    }

    private func waitForWriting(progress: Bool) {
        if state == .open && !peerIsDone && (progress || !isWatchedForWriting) { armTimer(after: limits.outboundStall) }
        guard !isWatchedForWriting else { return }
        isWatchedForWriting = true
        watch()
    }

    /// Everything that may leave has left: room to write is of no interest, nor how long the peer takes.
    private func stopWaitingForWriting() {
        if state == .open, !peerIsDone { disarmTimer() }
        guard isWatchedForWriting else { return }
        isWatchedForWriting = false
        watch()
    }

    private func everythingIsSent() {
        if peerIsDone { return abort(state == .closing ? .closed : .peerClosed) }
        // Our side is closed in order and the peer's input read to its end: closing with input unread would send a reset, which can
        // destroy the last bytes on their way.
        if state == .closing { Descriptor.shutdownWriting(descriptor) }
    }

    /// Drops what was sent once it is the larger part, so that a slow reader's queue stays within twice its bound.
    private func compact() {
        guard outboundStart > 4096, outboundStart > pendingBytes else { return }
        outbound.removeFirst(outboundStart)
        outboundStart = 0
    }

    /// An idle connection holds no large buffer.
    private func releaseBuffer() {
        if outbound.capacity > 4096 { outbound = [] } else { outbound.removeAll(keepingCapacity: true) }
        outboundStart = 0
    }
}
