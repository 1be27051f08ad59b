#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A condition that stops a listener from accepting, or is about to.
public enum AcceptProblem: Equatable, Sendable {
    /// `accept` failed with this error number; the listener pauses for 100 ms.
    case refused(Int32)
    /// Nine tenths of the process's descriptors are in use; this is the latest.
    case nearLimit(descriptor: Int32)
}

/// A listening socket on a loop. The loop keeps it alive until it is closed or the loop stops.
public final class Listener: PollTarget {
    /// The bound address, with its real port.
    public let address: SocketAddress

    private let loop: Loop
    private let socket: ListeningSocket
    private let limits: ConnectionLimits
    private let accepted: (Connection) -> Void
    private var token: PollToken?
    private var pause: LoopTimer?
    /// Called on the loop, for each occurrence.
    public var onProblem: ((AcceptProblem) -> Void)?
    /// POSIX assigns the lowest free number: a descriptor from this one on means that nine tenths are in use.
    private let nearLimit = Int32(clamping: DescriptorLimit.now / 10 * 9)
    /// Accepts the next connection. Tests replace it to inject errors.
    var acceptNext: (_ listener: Int32, _ peer: inout SocketAddress) -> Int32

    /// Binds and listens on a TCP port. Must be called on the loop.
    /// - Parameters:
    ///   - host: a name or numeric address; empty for every local address, with one socket for IPv6 and IPv4, or for IPv4 on a
    ///     system without IPv6.
    ///   - port: 0…65535; 0 lets the system choose.
    ///   - accepted: receives each connection, already watched; it sets the handler.
    public convenience init(
        host: String, port: Int, loop: Loop, limits: ConnectionLimits = ConnectionLimits(),
        accepted: @escaping (Connection) -> Void
    ) throws(SocketError) {
        try self.init(ListeningSocket(host: host, port: port, on: loop.sockets), loop, limits, accepted)
    }

    /// Binds and listens on a Unix-domain socket. Must be called on the loop. The file is removed when the listener closes or its
    /// loop stops; a stale file of an earlier process is replaced.
    /// - Parameters:
    ///   - unixPath: path of the file, at most 107 bytes (103 on Darwin).
    ///   - mode: permissions of the file; never wider, not even during creation.
    ///   - accepted: receives each connection, already watched; it sets the handler.
    public convenience init(
        unixPath: String, mode: UInt32 = 0o600, loop: Loop, limits: ConnectionLimits = ConnectionLimits(),
        accepted: @escaping (Connection) -> Void
    ) throws(SocketError) {
        try self.init(ListeningSocket(unixPath: unixPath, mode: mode), loop, limits, accepted)
    }

    /// Adopts a listening socket, such as one of ``ActivatedSockets``. Must be called on the loop.
    /// - Parameter descriptor: closed with the listener; left open if this throws.
    public convenience init(
        adopting descriptor: Int32, loop: Loop, limits: ConnectionLimits = ConnectionLimits(),
        accepted: @escaping (Connection) -> Void
    ) throws(SocketError) {
        try self.init(ListeningSocket(adopting: descriptor), loop, limits, accepted)
    }

    private init(
        _ socket: ListeningSocket, _ loop: Loop, _ limits: ConnectionLimits, _ accepted: @escaping (Connection) -> Void
    ) throws(SocketError) {
        self.loop = loop
        self.socket = socket
        self.limits = limits
        self.accepted = accepted
        address =
            if case .simulated = loop.sockets { SocketAddress() } else {
                SocketAddress.bound(to: socket.descriptor) ?? SocketAddress()
            }
        acceptNext = loop.sockets.accept
        guard let token = loop.poller.add(socket.descriptor, .reading, self) else {
            let error = SocketError("watch", socket.subject)
            if !socket.isAdopted { loop.sockets.close(socket.descriptor) }
            socket.file?.remove()
            throw error
        }
        self.token = token
        pause = loop.makeTimer { [weak self] in
            if let token = self?.token { loop.poller.change(token, .reading) }
        }
    }

    /// Stops listening. Accepted connections stay open.
    public func close() {
        pause?.disarm()
        guard let token else { return }
        self.token = nil
        socket.file?.remove()
        loop.poller.removeAndClose(token)
    }

    func loopStopped() {
        token = nil
        socket.file?.remove()
    }

    func ready(_ readiness: Readiness) {
        // Fairness: at most 4 connections per tick, so that a connection storm cannot delay games.
        for _ in 0..<4 {
            // `accepted` may close the listener.
            guard token != nil else { return }
            var peer = SocketAddress()
            let descriptor = acceptNext(socket.descriptor, &peer)
            guard descriptor < 0 else {
                if descriptor >= nearLimit { onProblem?(.nearLimit(descriptor: descriptor)) }
                guard accept(descriptor, from: peer.withoutMapping) else { return backOff(errno) }
                continue
            }
            let code = errno
            if Descriptor.wouldBlock(code) { return }
            // Interrupted, or the peer gave up in the kernel's queue.
            if code == EINTR || code == ECONNABORTED || code == EPROTO { continue }
            return backOff(code)
        }
    }

    private func accept(_ descriptor: Int32, from peer: SocketAddress) -> Bool {
        if peer.isInternet { loop.sockets.configureStream(descriptor) }
        let connection = Connection(loop: loop, descriptor: descriptor, peer: peer, limits: limits)
        // `start` closes a descriptor that cannot be watched; the peer sees the connection end.
        guard (try? connection.start()) != nil else { return false }
        accepted(connection)
        return true
    }

    /// Out of descriptors or memory: pauses accepting for 100 ms; peers stay in the kernel's queue.
    private func backOff(_ code: Int32) {
        guard let token else { return }
        onProblem?(.refused(code))
        loop.poller.change(token, [])
        pause?.arm(at: loop.now + 100)
    }
}
