import Dispatch
import Sockets

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Answers an operator on a Unix-domain socket that only the server's own user can open.
///
/// One peer at a time, on a queue of its own, with a limit on each wait: whoever may open the socket may stop the server anyway, so what
/// matters is that he never holds up a game.
public final class AdminListener: @unchecked Sendable {  // `source` is set once, before it is resumed; the rest is constant
    /// The most bytes of a request.
    public static let lineLimit = 16_384
    /// The most requests of one connection.
    private static let requestLimit = 64

    private let path: String
    /// How long a peer may take for each of its requests, and for taking an answer, in seconds.
    private let patience: Int
    private let queue = DispatchQueue(label: "bj.admin")
    private let respond: @Sendable (AdminRequest) -> AdminReply
    private var source: (any DispatchSourceRead)?

    /// Listens. What a server that was killed has left at the path is replaced; nothing else is.
    /// - Parameters:
    ///   - path: of at most 107 bytes.
    ///   - patience: how long a peer may take for each of its requests, and for taking an answer, in seconds.
    ///   - respond: called on a queue that nothing else waits for.
    public init(
        path: String, patience: Int = 2, respond: @escaping @Sendable (AdminRequest) -> AdminReply
    ) throws(SocketError) {
        self.path = path
        self.patience = patience
        self.respond = respond
        let descriptor = try Self.listen(path)
        let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
        source.setEventHandler { [weak self] in
            let peer = accept(descriptor, nil, nil)
            guard peer >= 0 else { return }
            _ = fcntl(peer, F_SETFD, FD_CLOEXEC)
            self?.serve(peer)
            close(peer)
        }
        source.setCancelHandler { close(descriptor) }
        self.source = source
        source.resume()
    }

    /// Takes the socket's file away, before it returns: a process that ends then leaves none. Then stops listening.
    public func stop() {
        unlink(path)
        source?.cancel()
    }

    private static func listen(_ path: String) throws(SocketError) -> Int32 {
        guard let address = UnixAddress(path) else {
            throw SocketError(operation: "listen on", subject: path, reason: "a path has 1 to 107 bytes")
        }
        try removeLeftover(path, address)
        let descriptor = UnixSocket.make(.stream)
        guard descriptor >= 0 else { throw failure("open a socket for", path) }
        // Nobody can connect before `listen`, so there is no moment at which others may.
        let isBound = address.withPointer { bind(descriptor, $0, $1) } == 0
        guard isBound, chmod(path, 0o600) == 0, Self.systemListen(descriptor) == 0 else {
            let error = failure("listen on", path)
            close(descriptor)
            if isBound { unlink(path) }
            throw error
        }
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
        return descriptor
    }

    private static func systemListen(_ descriptor: Int32) -> Int32 {
        #if canImport(Glibc)
            return Glibc.listen(descriptor, 8)
        #else
            return Darwin.listen(descriptor, 8)
        #endif
    }

    /// Takes away the socket of a server that is gone; one that answers, or a file that is no socket, is left alone.
    private static func removeLeftover(_ path: String, _ address: UnixAddress) throws(SocketError) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFSOCK else {
            throw SocketError(operation: "listen on", subject: path, reason: "there is a file that is no socket")
        }
        let probe = UnixSocket.make(.stream)
        defer { close(probe) }
        let isAlive = address.withPointer { connect(probe, $0, $1) } == 0
        guard !isAlive, errno == ECONNREFUSED else {
            throw SocketError(operation: "listen on", subject: path, reason: "another server answers there", code: EADDRINUSE)
        }
        unlink(path)
    }

    private static func failure(_ operation: String, _ path: String) -> SocketError {
        let code = errno
        return SocketError(operation: operation, subject: path, reason: String(cString: strerror(code)), code: code)
    }

    private func serve(_ peer: Int32) {
        #if !canImport(Glibc)
            _ = fcntl(peer, F_SETFL, fcntl(peer, F_GETFL) & ~O_NONBLOCK)
        #endif
        UnixSocket.setTimeout(peer, seconds: patience)
        var pending: [UInt8] = []
        var requests = 0
        while requests < Self.requestLimit, let bytes = UnixSocket.receive(peer), !bytes.isEmpty {
            pending += bytes
            while let end = pending.firstIndex(of: UInt8(ascii: "\n")) {
                let line = Array(pending[..<end])
                pending.removeFirst(end + 1)
                requests += 1
                guard UnixSocket.sendAll(peer, answer(line).line), requests < Self.requestLimit else { return }
            }
            guard pending.count <= Self.lineLimit else {
                _ = UnixSocket.sendAll(peer, AdminReply.refused(code: "line_too_long", message: "The line is too long.").line)
                return
            }
        }
    }

    private func answer(_ line: [UInt8]) -> AdminReply {
        do throws(AdminCodingError) {
            return respond(try AdminRequest(line: line))
        } catch {
            return .refused(code: "bad_request", message: error.description)
        }
    }
}
