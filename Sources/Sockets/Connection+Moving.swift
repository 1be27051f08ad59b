#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

extension Connection {
    /// Where a connection goes, while it is held back.
    final class Move {
        let destination: Loop
        let arrived: @Sendable (Connection) -> Void
        /// Whether the old loop's poller has let go of the descriptor.
        var isReleased = false

        init(to destination: Loop, _ arrived: @escaping @Sendable (Connection) -> Void) {
            self.destination = destination
            self.arrived = arrived
        }
    }

    /// All of a connection that goes to the next loop: values alone, so that the two loops share nothing.
    private struct Luggage: Sendable {
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

    /// Takes the connection to another loop, where an object with the same ``id`` takes this one's place. Not a byte is lost, doubled or
    /// put out of order: what is queued moves along, behind what this loop's gate still holds back, and what the peer sends meanwhile
    /// waits in the kernel.
    ///
    /// From this call on nothing is told to the handler, and this object ignores whatever is asked of it. To be called on ``loop``.
    /// - Parameter arrived: called on the destination with the connection, before anything is read. It sets the handler, which is told
    ///   if the connection could not be watched there. On a loop that was stopped, the connection is closed in silence, as all its others.
    /// - Returns: whether it moves. One that has ended or is closing does not: its handler hears of the end as ever.
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

    /// Leaves if no event of this loop can come any more and its gate holds nothing back.
    func leaveWhenReady(_ move: Move) {
        guard move.isReleased, held == 0 else { return }
        let luggage = Luggage(
            id: id, descriptor: descriptor, peer: peer, limits: limits, outbound: Array(outbound[outboundStart...]),
            isWatchedForWriting: isWatchedForWriting, peerIsDone: peerIsDone, owesDrain: owesDrain,
            isWithinMessage: isWithinMessage, timeLeft: timeLeft)
        state = .ended
        forget()
        let (destination, arrived) = (move.destination, move.arrived)
        destination.perform { Connection.unpack(luggage, on: destination, arrived) }
    }

    private static func unpack(_ luggage: Luggage, on loop: Loop, _ arrived: (Connection) -> Void) {
        let connection = Connection(
            loop: loop, id: luggage.id, descriptor: luggage.descriptor, peer: luggage.peer, limits: luggage.limits)
        connection.outbound = luggage.outbound
        connection.isWatchedForWriting = luggage.isWatchedForWriting
        connection.peerIsDone = luggage.peerIsDone
        connection.owesDrain = luggage.owesDrain
        connection.isWithinMessage = luggage.isWithinMessage
        connection.token = loop.poller.add(luggage.descriptor, connection.interest, connection)
        guard connection.token != nil else {
            let code = errno
            guard code != ECANCELED else { return connection.closeUntold() }
            arrived(connection)
            return connection.abort(.failed(String(cString: strerror(code))))
        }
        if let timeLeft = luggage.timeLeft { connection.armTimer(after: timeLeft) }
        // Also when nothing waits: a peer that has finished is let go only once everything is sent.
        connection.markDirty()
        arrived(connection)
    }

    private func closeUntold() {
        Descriptor.close(descriptor)
        state = .ended
        forget()
    }
}
