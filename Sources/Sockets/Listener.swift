#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// What keeps a listener from accepting, or soon will.
public enum ListenerTrouble: Equatable, Sendable {
    /// The system refused, for this error number: the listener pauses for a moment.
    case refused(Int32)
    /// Nine tenths of the process's descriptors are in use; this one was the last.
    case nearLimit(descriptor: Int32)
}

/// A listening socket on a loop, which keeps it alive until it is closed or the loop stops.
public final class Listener: PollTarget {
    /// What the socket is bound to, the real port included.
    public let address: SocketAddress

    private let loop: Loop
    private let socket: ListeningSocket
    private let limits: ConnectionLimits
    private let accepted: (Connection) -> Void
    private var token: PollToken?
    private var pause: LoopTimer?
    /// Told on the loop, as often as it happens.
    public var onTrouble: ((ListenerTrouble) -> Void)?
    /// The system gives out the lowest free number: from this one on, nine tenths are in use.
    private let nearLimit = Int32(clamping: DescriptorLimit.now / 10 * 9)
    /// Takes the next connection, as `accept` does. Tests make it fail.
    var acceptNext: (_ listener: Int32, _ peer: inout SocketAddress) -> Int32 = Descriptor.accept

    /// Binds and listens on a TCP port, on the loop's queue.
    /// - Parameters:
    ///   - host: a name or numeric address; empty for every local address, by one socket for IPv6 and IPv4 or, on a system without
    ///     IPv6, one for IPv4.
    ///   - port: 0…65535; 0 for one that is free.
    ///   - accepted: told of each connection, which is already watched; it sets the handler.
    public convenience init(
        host: String, port: Int, loop: Loop, limits: ConnectionLimits = ConnectionLimits(),
        accepted: @escaping (Connection) -> Void
    ) throws(SocketError) {
        try self.init(ListeningSocket(host: host, port: port), loop, limits, accepted)
    }

    /// Binds and listens on a Unix-domain socket, on the loop's queue. The file is removed when the listener closes or its loop stops;
    /// one that an earlier process left behind is replaced if nobody answers on it.
    /// - Parameters:
    ///   - unixPath: where the file is to be, at most 107 bytes (103 on Darwin).
    ///   - mode: the file's permissions, which are never wider, not even for a moment.
    ///   - accepted: told of each connection, which is already watched; it sets the handler.
    public convenience init(
        unixPath: String, mode: UInt32 = 0o600, loop: Loop, limits: ConnectionLimits = ConnectionLimits(),
        accepted: @escaping (Connection) -> Void
    ) throws(SocketError) {
        try self.init(ListeningSocket(unixPath: unixPath, mode: mode), loop, limits, accepted)
    }

    /// Takes over a socket that listens already, such as one of ``ActivatedSockets``, on the loop's queue.
    /// - Parameter descriptor: closed with the listener. On failure it is left as it is.
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
        address = SocketAddress.bound(to: socket.descriptor) ?? SocketAddress()
        guard let token = loop.poller.add(socket.descriptor, .reading, self) else {
            let error = SocketError("watch", socket.subject)
            if !socket.isAdopted { Descriptor.close(socket.descriptor) }
            socket.file?.remove()
            throw error
        }
        self.token = token
        pause = loop.makeTimer { [weak self] in
            if let token = self?.token { loop.poller.change(token, .reading) }
        }
    }

    /// Stops listening. Connections that were accepted live on.
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
        // A few a tick: a storm of connections must not hold up the games.
        for _ in 0..<4 {
            // Whoever is told of a connection may close the listener.
            guard token != nil else { return }
            var peer = SocketAddress()
            let descriptor = acceptNext(socket.descriptor, &peer)
            guard descriptor < 0 else {
                if descriptor >= nearLimit { onTrouble?(.nearLimit(descriptor: descriptor)) }
                guard accept(descriptor, from: peer.withoutMapping) else { return backOff(errno) }
                continue
            }
            let code = errno
            if Descriptor.wouldBlock(code) { return }
            // The peer gave up while it waited.
            if code == EINTR || code == ECONNABORTED || code == EPROTO { continue }
            return backOff(code)
        }
    }

    private func accept(_ descriptor: Int32, from peer: SocketAddress) -> Bool {
        if peer.isInternet { Descriptor.configureStream(descriptor) }
        let connection = Connection(loop: loop, descriptor: descriptor, peer: peer, limits: limits)
        // A descriptor that can't be watched is closed by `start`; the peer sees the connection end.
        guard (try? connection.start()) != nil else { return false }
        accepted(connection)
        return true
    }

    /// Out of descriptors or memory: the waiting peers stay in the kernel's queue for a moment, and the games go on.
    private func backOff(_ code: Int32) {
        guard let token else { return }
        onTrouble?(.refused(code))
        loop.poller.change(token, [])
        pause?.arm(at: loop.now + 100)
    }
}
