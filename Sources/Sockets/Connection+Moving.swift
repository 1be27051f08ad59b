#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

extension Connection {
    /// Destination of a moving connection, while the gate or the poller holds it back.
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

    /// The state of a connection that moves: values only, so the two loops share nothing.
    private struct MovedState: Sendable {
        let id: UInt64
        let descriptor: Int32
        let peer: SocketAddress
        let limits: ConnectionLimits
        let outbound: [UInt8]
        let isWatchedForWriting: Bool
        let peerIsDone: Bool
        let owesDrain: Bool
        let isWithinMessage: Bool
        let timeLeft: Int64?
    }

    /// Moves the connection to another loop, where a new object has the same ``id``, with order and bytes preserved. From this call on, the
    /// handler is not called and this object ignores all calls. Must be called on ``loop``.
    /// - Parameter arrived: called on the destination with the new connection, before any read, to set the handler, which is told if watching
    ///   fails; not called on a stopped loop, which closes the connection.
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

    /// Leaves once the poller has released the descriptor and the gate holds nothing back.
    func leaveWhenReady(_ move: Move) {
        guard move.isReleased, held == 0 else { return }
        let moved = MovedState(
            id: id, descriptor: descriptor, peer: peer, limits: limits, outbound: Array(outbound[outboundStart...]),
            isWatchedForWriting: isWatchedForWriting, peerIsDone: peerIsDone, owesDrain: owesDrain,
            isWithinMessage: isWithinMessage, timeLeft: timeLeft)
        state = .ended
        forget()
        let (destination, arrived) = (move.destination, move.arrived)
        loop.afterTick { destination.perform { Connection.receive(moved, on: destination, arrived) } }
    }

    private static func receive(_ moved: MovedState, on loop: Loop, _ arrived: (Connection) -> Void) {
        let connection = Connection(
            loop: loop, id: moved.id, descriptor: moved.descriptor, peer: moved.peer, limits: moved.limits)
        connection.outbound = moved.outbound
        connection.isWatchedForWriting = moved.isWatchedForWriting
        connection.peerIsDone = moved.peerIsDone
        connection.owesDrain = moved.owesDrain
        connection.isWithinMessage = moved.isWithinMessage
        connection.token = loop.poller.add(moved.descriptor, connection.interest, connection)
        guard connection.token != nil else {
            let code = errno
            guard code != ECANCELED else { return connection.closeSilently() }
            arrived(connection)
            return connection.abort(.failed(String(cString: strerror(code))))
        }
        if let timeLeft = moved.timeLeft { connection.armTimer(after: timeLeft) }
        // Also with nothing queued: flushing ends a connection whose peer has finished.
        connection.markDirty()
        arrived(connection)
    }

    /// Ends a move that waits for the gate of a stopped loop: what it takes along refers to the connection.
    func endMove() {
        if case .moving(let move) = state, move.isReleased { closeSilently() }
    }

    private func closeSilently() {
        loop.sockets.close(descriptor)
        state = .ended
        forget()
    }
}
