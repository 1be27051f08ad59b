#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

extension Connection {
    func ready(_ readiness: Readiness) {
        if readiness.contains(.writable) { flush(releasing: 0) }
        if !hasEnded, readiness.contains(.readable) || readiness.contains(.hangup) {
            read(readiness)
        }
        // Both directions are shut: what still waits has nowhere to go.
        if peerIsDone, readiness.contains(.hangup) { abort(.peerClosed) }
    }

    private func read(_ readiness: Readiness) {
        // Where the end comes behind what is there. Otherwise a read that does not fill the buffer has taken everything, and what comes then is
        // told.
        let readsToTheEnd = readiness.contains(.finished) || readiness.contains(.hangup)
        // A few reads a tick, so that one fast sender can't hold the loop.
        for _ in 0..<4 {
            switch state {
            // Bytes that are still in the kernel go to the next loop.
            case .moving, .cut, .ended: return
            case .open, .closing: break
            }
            let capacity = min(limits.inboundBytes, loop.readBuffer.count)
            let count = Descriptor.receive(descriptor, UnsafeMutableRawBufferPointer(rebasing: loop.readBuffer[..<capacity]))
            if count > 0 {
                if isOpen {
                    handler?.connection(self, received: UnsafeRawBufferPointer(rebasing: loop.readBuffer[..<count]))
                } else {
                    discarded += count
                    // Only unread input would destroy the last bytes; a peer that sends on and on is not worth that care.
                    if discarded > Self.mostDiscarded { return abort(.closed) }
                }
                if count < capacity, !readsToTheEnd { return }
                // The handler has enough for now. It gets the rest, and the end, when it wants to read again, unless the connection is broken.
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
        // Watched anew, it is told of the rest.
        watch()
    }

    /// The peer sends no more. What waits for it may still be wanted (`printf … | nc` closes its side first), so it is sent.
    private func finishedByPeer() {
        guard !peerIsDone else { return }
        peerIsDone = true
        guard pendingBytes > 0 else { return abort(isOpen ? .peerClosed : .closed) }
        // Where a poller tells of what stays so, the end would be told for ever: only writing is of interest now.
        watch()
        armTimer(after: limits.linger)
    }
}
