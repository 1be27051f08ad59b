#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

extension Connection {
    func ready(_ readiness: Readiness) {
        if readiness.contains(.writable) { flush(releasing: 0) }
        if !hasEnded, readiness.contains(.readable) || readiness.contains(.hangup) { read() }
        // Both directions are shut: what still waits has nowhere to go, and this would be reported for ever.
        if peerIsDone, readiness.contains(.hangup) { abort(.peerClosed) }
    }

    private func read() {
        // A few reads a tick, so that one fast sender can't hold the loop; the rest is reported again.
        for _ in 0..<4 {
            switch state {
            // Bytes that are still in the kernel go to the next loop.
            case .moving, .cut, .ended: return
            case .open, .closing: break
            }
            let count = Descriptor.receive(descriptor, loop.readBuffer)
            if count > 0 {
                if isOpen { handler?.connection(self, received: UnsafeRawBufferPointer(rebasing: loop.readBuffer[..<count])) }
                if count < loop.readBuffer.count { return }
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
        guard pendingBytes > 0 else { return abort(isOpen ? .peerClosed : .closed) }
        // End of file stays readable for ever: only writing is of interest now.
        watch()
        armTimer(after: limits.linger)
    }
}
