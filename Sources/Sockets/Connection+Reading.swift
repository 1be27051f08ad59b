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
        // Both directions are shut: queued bytes cannot be delivered.
        if peerIsDone, readiness.contains(.hangup) { abort(.peerClosed) }
    }

    private func read(_ readiness: Readiness) {
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
        guard pendingBytes > 0 else { return abort(isOpen ? .peerClosed : .closed) }
        // Level-triggered pollers would report end of file forever: watch for writing only.
        watch()
        armTimer(after: limits.linger)
    }
}
