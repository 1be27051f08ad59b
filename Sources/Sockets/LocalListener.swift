/// Accepts connections from inside the process, over pairs of sockets. A pair has no address, so no other process can connect.
public struct LocalListener: Sendable {
    private let loop: Loop
    private let limits: ConnectionLimits
    private let accepted: @Sendable (Connection) -> Void

    /// - Parameter accepted: called on the loop with each connection, already watched; it sets the handler.
    package init(loop: Loop, limits: ConnectionLimits, accepted: @escaping @Sendable (Connection) -> Void) {
        (self.loop, self.limits, self.accepted) = (loop, limits, accepted)
    }

    /// - Parameter client: the loop of the other end, on which this is called.
    func connect(from client: Loop, _ clientLimits: ConnectionLimits) throws(SocketError) -> Connection {
        guard let (near, far) = Descriptor.makePair() else { throw SocketError("open", "a pair of sockets") }
        let peer = SocketAddress.bound(to: near) ?? SocketAddress()
        loop.perform {
            let connection = Connection(loop: loop, descriptor: far, peer: peer, limits: limits)
            // `start` closes a descriptor that cannot be watched; the client sees the connection end.
            if (try? connection.start()) != nil { accepted(connection) }
        }
        let connection = Connection(loop: client, descriptor: near, peer: peer, limits: clientLimits)
        try connection.start()
        return connection
    }
}
