#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A listening TCP socket on a loop, which keeps it alive until it is closed or the loop stops.
public final class Listener: PollTarget {
    /// What the socket is bound to, the real port included.
    public let address: SocketAddress

    private let loop: Loop
    private let descriptor: Int32
    private let limits: ConnectionLimits
    private let accepted: (Connection) -> Void
    private var token: PollToken?
    private var pause: LoopTimer?

    /// Binds and listens, on the loop's queue.
    /// - Parameters:
    ///   - host: a name or numeric address; empty for every local address of the system's first choice of family.
    ///   - port: 0…65535; 0 for one that is free.
    ///   - accepted: told of each connection, which is already watched; it sets the handler.
    public init(
        host: String, port: Int, loop: Loop, limits: ConnectionLimits = ConnectionLimits(),
        accepted: @escaping (Connection) -> Void
    ) throws(SocketError) {
        self.loop = loop
        self.limits = limits
        self.accepted = accepted
        descriptor = try Self.bind(host: host, port: port)
        address = SocketAddress.bound(to: descriptor) ?? SocketAddress()
        guard let token = loop.poller.add(descriptor, .reading, self) else {
            let code = errno
            let error = SocketError("watch", SocketAddress.text(host, port), errno: code)
            Descriptor.close(descriptor)
            throw error
        }
        self.token = token
        pause = loop.makeTimer { [unowned self] in
            if let token = self.token { loop.poller.change(token, .reading) }
        }
    }

    /// Stops listening. Connections that were accepted live on.
    public func close() {
        pause?.disarm()
        if let token { loop.poller.removeAndClose(token) }
        token = nil
    }

    private static func bind(host: String, port: Int) throws(SocketError) -> Int32 {
        let subject = SocketAddress.text(host, port)
        let addresses = try SocketAddress.resolve(host: host, port: port, passive: true)
        var failure = SocketError(operation: "listen on", subject: subject, reason: "the name has no address")
        for address in addresses {
            let descriptor = Descriptor.makeSocket(family: address.family)
            guard descriptor >= 0 else {
                failure = SocketError("open a socket for", subject)
                continue
            }
            Descriptor.set(descriptor, SOL_SOCKET, SO_REUSEADDR, 1)
            let isBound = address.withPointer { Descriptor.bind(descriptor, $0, $1) } == 0
            if isBound && listen(descriptor, 1024) == 0 { return descriptor }
            failure = SocketError("listen on", subject)
            Descriptor.close(descriptor)
        }
        throw failure
    }

    func loopStopped() { token = nil }

    func ready(_ readiness: Readiness) {
        // A bounded number a tick: a storm of connections must not hold up the games.
        for _ in 0..<64 {
            var peer = SocketAddress()
            let descriptor = Descriptor.accept(self.descriptor, &peer)
            guard descriptor < 0 else {
                accept(descriptor, from: peer)
                continue
            }
            switch errno {
            case EINTR, ECONNABORTED, EPROTO: continue
            case EMFILE, ENFILE, ENOBUFS, ENOMEM: return backOff()
            default: return
            }
        }
    }

    private func accept(_ descriptor: Int32, from peer: SocketAddress) {
        Descriptor.configureStream(descriptor)
        let connection = Connection(loop: loop, descriptor: descriptor, peer: peer, limits: limits)
        // A descriptor that can't be watched is closed by `start`; the peer sees the connection end.
        guard (try? connection.start()) != nil else { return backOff() }
        accepted(connection)
    }

    /// Out of descriptors or memory: the waiting peers stay in the kernel's queue for a moment, and the games go on.
    private func backOff() {
        if let token { loop.poller.change(token, []) }
        pause?.arm(at: loop.now + 100)
    }
}
