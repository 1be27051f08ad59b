#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

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
    /// Called on the loop with the error number each time that `accept` fails; the listener pauses for 100 ms.
    public var onFailure: ((Int32) -> Void)?
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

    /// Listens on a Unix-domain socket, whose file has mode 0600. Must be called on the loop.
    package convenience init(
        unixPath: String, loop: Loop, limits: ConnectionLimits = ConnectionLimits(), accepted: @escaping (Connection) -> Void
    ) throws(SocketError) {
        try self.init(ListeningSocket(unixPath: unixPath), loop, limits, accepted)
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
            loop.sockets is any SimulatedSockets ? SocketAddress() : SocketAddress.bound(to: socket.descriptor) ?? SocketAddress()
        acceptNext = loop.sockets.accept
        guard let token = loop.poller.add(socket.descriptor, .reading, self) else {
            let error = SocketError("watch", socket.subject)
            if !socket.isAdopted { loop.sockets.close(socket.descriptor) }
            throw error
        }
        self.token = token
        pause = loop.makeTimer { [weak self] in
            if let token = self?.token { loop.poller.change(token, .reading) }
        }
    }

    /// Whether a listener could have an address, which another process may have now. Listens nowhere.
    public static func check(host: String, port: Int) throws(SocketError) {
        let subject = SocketAddress.text(host, port)
        for address in try SocketAddress.resolve(host: host, port: port, passive: true) {
            do throws(SocketError) {
                return Descriptor.close(try ListeningSocket.open(address, subject, isDual: false, listens: false))
            } catch {
                guard error.code == EADDRINUSE || error.code == EAFNOSUPPORT else { throw error }
            }
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

    package func loopStopped() { token = nil }

    package func ready(_ readiness: Readiness) {
        // Fairness: at most 4 connections per tick, so that a connection storm cannot delay games.
        for _ in 0..<4 {
            // `accepted` may close the listener.
            guard token != nil else { return }
            var peer = SocketAddress()
            let descriptor = acceptNext(socket.descriptor, &peer)
            guard descriptor < 0 else {
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
        onFailure?(code)
        loop.poller.change(token, [])
        pause?.arm(at: loop.now + 100)
    }
}

/// A bound, listening socket and, for a Unix-domain socket, its file.
package struct ListeningSocket: Sendable {
    package let descriptor: Int32
    /// Names the socket in errors.
    package let subject: String
    fileprivate var file: UnixSocketFile?
    private(set) var isAdopted = false

    private static let backlog: Int32 = 1024

    init(host: String, port: Int, on system: any SocketSystem = KernelSockets.shared) throws(SocketError) {
        subject = SocketAddress.text(host, port)
        if let system = system as? any SimulatedSockets {
            descriptor = system.listen(port: port)
            guard descriptor >= 0 else { throw SocketError("listen on", subject) }
            return
        }
        if host.isEmpty, let address = SocketAddress.everyLocal(port: port) {
            do throws(SocketError) {
                descriptor = try Self.open(address, subject, isDual: true)
                return
            } catch {
                // Falls back to IPv4 only on a system without IPv6.
                guard error.code == EAFNOSUPPORT || error.code == EADDRNOTAVAIL else { throw error }
            }
        }
        var failure = SocketError(operation: "listen on", subject: subject, reason: "the host name cannot be resolved")
        for address in try SocketAddress.resolve(host: host, port: port, passive: true) {
            do throws(SocketError) {
                descriptor = try Self.open(address, subject, isDual: false)
                return
            } catch { failure = error }
        }
        throw failure
    }

    /// The file has mode 0600, and replaces a stale one of an earlier process.
    /// - Parameter unixPath: of at most 107 bytes (103 on Darwin).
    package init(unixPath: String) throws(SocketError) {
        subject = unixPath
        let address = try SocketAddress(unixPath: unixPath)
        let descriptor = Descriptor.makeSocket(family: AF_UNIX)
        guard descriptor >= 0 else { throw SocketError("open a socket for", unixPath) }
        do throws(SocketError) {
            file = try UnixSocketFile.bind(descriptor, at: unixPath, address)
            guard listen(descriptor, Self.backlog) == 0 else { throw SocketError("listen on", unixPath) }
        } catch {
            file?.remove()
            Descriptor.close(descriptor)
            throw error
        }
        self.descriptor = descriptor
    }

    init(adopting descriptor: Int32) throws(SocketError) {
        subject = "descriptor \(descriptor)"
        guard let type = Descriptor.option(descriptor, SO_TYPE) else { throw SocketError("adopt", subject) }
        guard type == Descriptor.streamType else {
            throw SocketError(operation: "adopt", subject: subject, reason: "it is not a stream socket", code: EPROTOTYPE)
        }
        guard Descriptor.option(descriptor, SO_ACCEPTCONN) == 1 else {
            throw SocketError(operation: "adopt", subject: subject, reason: "it does not listen", code: EINVAL)
        }
        Descriptor.setDefaults(descriptor)
        self.descriptor = descriptor
        isAdopted = true
    }

    /// Accepts a connection for calls that block; nil without one.
    package func accept() -> BlockingSocket? {
        var peer = SocketAddress()
        let accepted = Descriptor.accept(descriptor, &peer)
        return accepted < 0 ? nil : BlockingSocket(accepted, subject)
    }

    package func close() {
        file?.remove()
        Descriptor.close(descriptor)
    }

    /// - Parameters:
    ///   - isDual: whether an IPv6 socket also accepts IPv4.
    ///   - listens: otherwise the address is bound alone.
    fileprivate static func open(
        _ address: SocketAddress, _ subject: String, isDual: Bool, listens: Bool = true
    ) throws(SocketError) -> Int32 {
        let descriptor = Descriptor.makeSocket(family: address.family)
        guard descriptor >= 0 else { throw SocketError("open a socket for", subject) }
        Descriptor.set(descriptor, SOL_SOCKET, SO_REUSEADDR, 1)
        if address.family == AF_INET6 { Descriptor.set(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, isDual ? 0 : 1) }
        let isBound = address.withPointer { Descriptor.bind(descriptor, $0, $1) } == 0
        if isBound && (!listens || listen(descriptor, backlog) == 0) { return descriptor }
        let error = SocketError("listen on", subject)
        Descriptor.close(descriptor)
        throw error
    }
}

/// systemd's socket activation (sd_listen_fds(3)): a service manager keeps listening while its service restarts. `LISTEN_PID` is the receiving
/// process, `LISTEN_FDS` the number of descriptors from 3 on; names of sockets are not looked at.
public enum ActivatedSockets {
    private static let first: Int32 = 3
    private static let most = 1024
    private static let variables = ["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"]

    /// Parses the environment of a process. Empty if it passes no sockets, or passes them to another process.
    /// - Throws: ``SocketError`` if a variable is malformed.
    public static func parse(environment: [String: String], pid: Int32) throws(SocketError) -> [Int32] {
        guard let count = environment["LISTEN_FDS"], let receiver = environment["LISTEN_PID"] else { return [] }
        guard let receiver = Int32(receiver) else { throw invalid("LISTEN_PID", receiver, "a process") }
        guard receiver == pid else { return [] }
        guard let count = Int(count), (0...most).contains(count) else {
            throw invalid("LISTEN_FDS", count, "a number from 0 to \(most)")
        }
        return (0..<count).map { first + Int32($0) }
    }

    /// Takes the inherited sockets, once, and hides them from child processes. Changes the environment, so call it before other
    /// threads start.
    public static func take() throws(SocketError) -> [Int32] {
        var environment: [String: String] = [:]
        for variable in variables {
            if let value = getenv(variable) { environment[variable] = String(cString: value) }
            unsetenv(variable)
        }
        let sockets = try parse(environment: environment, pid: getpid())
        for descriptor in sockets { Descriptor.closeOnExecution(descriptor) }
        return sockets
    }

    private static func invalid(_ variable: String, _ value: String, _ expected: String) -> SocketError {
        SocketError(operation: "take sockets from", subject: variable, reason: "\(value) is not \(expected)")
    }
}

/// The file of a Unix-domain socket. Removes only the file that this process created.
struct UnixSocketFile: Sendable {
    private let path: String
    private let inode: ino_t
    private let device: dev_t

    /// Binds a socket, replacing the stale file of a process that no longer listens.
    static func bind(_ descriptor: Int32, at path: String, _ address: SocketAddress) throws(SocketError)
        -> UnixSocketFile
    {
        if let file = bind(descriptor, path, address) { return file }
        let error = SocketError("listen on", path)
        guard error.code == EADDRINUSE, let old = UnixSocketFile(path: path), !isAnswered(address) else { throw error }
        // `remove` checks the inode: a file created meanwhile stays.
        old.remove()
        if let file = bind(descriptor, path, address) { return file }
        throw SocketError("listen on", path)
    }

    /// The caller listens only after this, so nobody connects before the file has its mode. `umask`, which would set it at once, is the
    /// whole process's: folders that other threads make meanwhile would lack permissions.
    private static func bind(_ descriptor: Int32, _ path: String, _ address: SocketAddress) -> UnixSocketFile? {
        guard address.withPointer({ Descriptor.bind(descriptor, $0, $1) }) == 0 else { return nil }
        let file = UnixSocketFile(path: path)
        guard chmod(path, 0o600) == 0 else {
            let code = errno
            file?.remove()
            errno = code
            return nil
        }
        return file
    }

    /// The socket file at a path; nil if there is none or the file is of another type.
    private init?(path: String) {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else { return nil }
        self.path = path
        inode = status.st_ino
        device = status.st_dev
    }

    private static func isAnswered(_ address: SocketAddress) -> Bool {
        let descriptor = Descriptor.makeSocket(family: AF_UNIX)
        guard descriptor >= 0 else { return true }
        defer { Descriptor.close(descriptor) }
        return address.withPointer { Descriptor.connect(descriptor, $0, $1) } == 0 || errno != ECONNREFUSED
    }

    func remove() {
        guard let current = UnixSocketFile(path: path), current.inode == inode, current.device == device else { return }
        unlink(path)
    }
}
