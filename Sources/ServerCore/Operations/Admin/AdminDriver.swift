import Dispatch
import Sockets

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The admin socket's connections and their requests. Confined to the loop of an ``AdminListener``.
final class AdminDriver {
    private final class Peer {
        let connection: Connection
        var pending: [UInt8] = []
        var requests = 0
        /// True while its request runs; reading is paused meanwhile.
        var isAnswering = false
        /// Time of accept or of the last answer, in milliseconds.
        var silentSince: Int64
        var timer: LoopTimer?

        init(_ connection: Connection, at now: Int64) {
            self.connection = connection
            silentSince = now
        }
    }

    /// Bytes per request.
    static let lineLimit = 16_384
    /// Requests per connection.
    private static let requestLimit = 64
    /// Connections at once. A further one replaces the connection whose request has been pending longest.
    static let connectionLimit = 16
    /// Requests in progress at once: a request blocked on a stuck loop occupies a thread.
    private static let workLimit = 16

    private let loop: Loop
    private let work = DispatchQueue(label: "bj.admin.work", attributes: .concurrent)
    /// Milliseconds per request and per answer.
    private let timeout: Int64
    private let respond: @Sendable (AdminRequest) -> AdminReply
    private var listener: Listener?
    private var peers: [UInt64: Peer] = [:]
    /// Requests in progress, including those of closed connections.
    private var working = 0
    /// The same requests, for ``AdminListener/stop()``.
    let inProgress: DispatchGroup

    init(
        _ loop: Loop, timeout: Int64, inProgress: DispatchGroup, respond: @escaping @Sendable (AdminRequest) -> AdminReply
    ) {
        self.loop = loop
        self.inProgress = inProgress
        self.timeout = timeout
        self.respond = respond
    }

    func start(
        _ listen: (ConnectionLimits, @escaping (Connection) -> Void) throws(SocketError) -> Listener
    ) throws(SocketError) {
        let limits = ConnectionLimits(outboundBytes: 32 << 20, outboundStall: timeout, linger: 500)
        listener = try listen(limits) { [weak self] in self?.accepted($0) }
    }

    /// Removes the socket's file.
    func close() {
        listener?.close()
        listener = nil
    }

    private func accepted(_ connection: Connection) {
        if peers.count >= Self.connectionLimit {
            let silent = peers.values.filter { !$0.isAnswering }.min {
                ($0.silentSince, $0.connection.id) < ($1.silentSince, $1.connection.id)
            }
            guard let silent else { return refuse(connection) }
            forget(silent)
            silent.connection.abort()
        }
        let peer = Peer(connection, at: loop.now)
        let id = connection.id
        connection.handler = self
        peers[id] = peer
        peer.timer = loop.makeTimer { [weak self] in self?.timeIsUp(id) }
        peer.timer?.arm(at: loop.now + timeout)
    }

    private func refuse(_ connection: Connection) {
        connection.send(Self.busy.line)
        connection.close()
    }

    private static let busy = AdminReply.refused(
        code: "busy", message: "The server is busy with \(workLimit) other requests that wait for an unresponsive loop."
    )

    private func forget(_ peer: Peer) {
        peer.timer?.disarm()
        peers[peer.connection.id] = nil
    }

    /// The deadline of a request or of an answer has passed.
    private func timeIsUp(_ id: UInt64) {
        guard let peer = peers[id], !peer.isAnswering else { return }
        if peer.connection.pendingBytes > 0 { peer.connection.abort() } else { peer.connection.close() }
    }

    /// Handles the next complete line, if any.
    private func goOn(_ peer: Peer) {
        guard !peer.isAnswering else { return }
        guard let end = peer.pending.firstIndex(of: UInt8(ascii: "\n")), end <= Self.lineLimit else {
            if peer.pending.count > Self.lineLimit {
                finish(peer, .refused(code: "line_too_long", message: "The line is longer than \(Self.lineLimit) bytes."))
            }
            return
        }
        let line = Array(peer.pending[..<end])
        peer.pending.removeFirst(end + 1)
        peer.requests += 1
        let request: AdminRequest
        do throws(AdminCodingError) {
            request = try AdminRequest(line: line)
        } catch {
            return answered(peer, .refused(code: "bad_request", message: error.description))
        }
        guard working < Self.workLimit else { return finish(peer, Self.busy) }
        working += 1
        peer.isAnswering = true
        peer.connection.isReading = false
        peer.timer?.disarm()
        let id = peer.connection.id
        let here = LoopConfined(self, on: loop)
        work.async(group: inProgress) { [respond] in
            let reply = respond(request)
            here.perform { $0.responded(reply, to: id) }
        }
    }

    private func responded(_ reply: AdminReply, to id: UInt64) {
        working -= 1
        guard let peer = peers[id] else { return }
        peer.isAnswering = false
        answered(peer, reply)
    }

    private func answered(_ peer: Peer, _ reply: AdminReply) {
        guard peer.requests < Self.requestLimit else { return finish(peer, reply) }
        let line = reply.line
        peer.connection.send(line)
        peer.silentSince = loop.now
        // A long answer gets more time.
        peer.timer?.arm(at: loop.now + timeout * (line.count > 65_536 ? 5 : 1))
        peer.connection.isReading = true
        goOn(peer)
    }

    private func finish(_ peer: Peer, _ reply: AdminReply) {
        peer.connection.send(reply.line)
        peer.connection.close()
    }
}

extension AdminDriver: ConnectionHandler {
    func connection(_ connection: Connection, received bytes: UnsafeRawBufferPointer) {
        guard let peer = peers[connection.id] else { return }
        peer.pending.append(contentsOf: bytes)
        goOn(peer)
    }

    func connection(_ connection: Connection, endedBy reason: EndReason) {
        guard let peer = peers[connection.id] else { return }
        forget(peer)
    }
}

/// Sends requests to a running server over its Unix-domain socket.
public enum AdminClient {
    /// Bytes per answer: enough for thousands of players.
    private static let answerLimit = 16 << 20

    /// Sends a request and blocks until the answer.
    /// - Parameter timeout: in seconds, for all steps together, also against a server that drips bytes.
    /// - Throws: an error with the code `ETIMEDOUT` when the answer is incomplete in time.
    public static func ask(_ request: AdminRequest, path: String, timeout: Int = 10) throws(SocketError) -> AdminReply {
        try ask(request, path: path, milliseconds: timeout * 1000)
    }

    /// Sends a request and blocks until the answer.
    /// - Parameter milliseconds: timeout for all steps together.
    public static func ask(_ request: AdminRequest, path: String, milliseconds: Int) throws(SocketError) -> AdminReply {
        let address = try SocketAddress(unixPath: path)
        let wait = Wait(path: path, milliseconds: milliseconds)
        let descriptor = UnixSocket.make(.stream)
        defer { if descriptor >= 0 { close(descriptor) } }
        guard descriptor >= 0 else { throw wait.failure("open a socket for") }
        try wait.arm(descriptor)
        guard address.withPointer({ connect(descriptor, $0, $1) }) == 0 else { throw wait.failure("connect to") }
        try wait.arm(descriptor)
        guard UnixSocket.sendAll(descriptor, request.line) else { throw wait.failure("send to") }
        var answer: [UInt8] = []
        while true {
            try wait.arm(descriptor)
            guard let bytes = UnixSocket.receive(descriptor) else { throw wait.failure("hear from") }
            let end = bytes.firstIndex(of: UInt8(ascii: "\n"))
            answer += bytes[..<(end ?? bytes.count)]
            if end != nil { return try reply(answer, path) }
            guard !bytes.isEmpty, answer.count <= answerLimit else {
                throw SocketError(operation: "hear from", subject: path, reason: "the reply is incomplete")
            }
        }
    }

    /// Whether a server listens at a path.
    /// - Returns: `errno` of connecting; 0 if one does.
    public static func probe(_ path: String) -> Int32 {
        guard let address = try? SocketAddress(unixPath: path) else { return ENAMETOOLONG }
        let descriptor = UnixSocket.make(.stream)
        guard descriptor >= 0 else { return errno }
        defer { close(descriptor) }
        UnixSocket.setTimeout(descriptor, milliseconds: 1000)
        return address.withPointer { connect(descriptor, $0, $1) } == 0 ? 0 : errno
    }

    private static func reply(_ line: [UInt8], _ path: String) throws(SocketError) -> AdminReply {
        do throws(AdminCodingError) {
            return try AdminReply(line: line)
        } catch {
            throw SocketError(operation: "understand", subject: path, reason: error.description)
        }
    }

    /// The deadline for all calls together.
    private struct Wait {
        let path: String
        let milliseconds: Int
        private let start = DispatchTime.now().uptimeNanoseconds

        init(path: String, milliseconds: Int) {
            self.path = path
            self.milliseconds = milliseconds
        }

        /// Limits the next call to the remaining time.
        func arm(_ descriptor: Int32) throws(SocketError) {
            let left = milliseconds - Int((DispatchTime.now().uptimeNanoseconds - start) / 1_000_000)
            guard left > 0 else { throw isOver }
            UnixSocket.setTimeout(descriptor, milliseconds: left)
        }

        func failure(_ operation: String) -> SocketError {
            let code = errno
            guard code != EAGAIN, code != EWOULDBLOCK else { return isOver }
            return SocketError(operation: operation, subject: path, reason: String(cString: strerror(code)), code: code)
        }

        private var isOver: SocketError {
            SocketError(
                operation: "hear from", subject: path, reason: "no reply from the server within \(milliseconds) ms",
                code: ETIMEDOUT)
        }
    }
}

/// Answers operators on a Unix-domain socket that only the server's own user can open.
///
/// Runs on its own loop, with a deadline per request. Requests run off that loop, since some wait for game loops.
public final class AdminListener: Sendable {
    private let driver: LoopConfined<AdminDriver>
    private let inProgress = DispatchGroup()
    /// Seconds per request.
    private let timeout: Int

    /// Listens. Replaces a stale socket of a killed server at the path; nothing else.
    /// - Parameters:
    ///   - path: of at most 107 bytes.
    ///   - timeout: seconds per request and per answer.
    ///   - respond: called on any thread, concurrently.
    public convenience init(
        path: String, timeout: Int = 2, respond: @escaping @Sendable (AdminRequest) -> AdminReply
    ) throws(SocketError) {
        try self.init(timeout, respond) { loop, limits, accepted throws(SocketError) in
            try Listener(unixPath: path, loop: loop, limits: limits, accepted: accepted)
        }
    }

    /// Adopts a listening Unix-domain socket, such as one of ``ActivatedSockets``.
    public convenience init(
        adopting descriptor: Int32, timeout: Int = 2, respond: @escaping @Sendable (AdminRequest) -> AdminReply
    ) throws(SocketError) {
        // Access to this socket can stop the server, so a TCP port is refused.
        guard ActivatedSockets.isUnixListener(descriptor) else {
            throw SocketError(
                operation: "adopt", subject: "descriptor \(descriptor)",
                reason: "an admin socket is a Unix-domain stream socket that listens")
        }
        try self.init(timeout, respond) { loop, limits, accepted throws(SocketError) in
            try Listener(adopting: descriptor, loop: loop, limits: limits, accepted: accepted)
        }
    }

    private typealias Listen =
        @Sendable (Loop, ConnectionLimits, @escaping (Connection) -> Void) throws(SocketError) -> Listener

    private init(
        _ seconds: Int, _ respond: @escaping @Sendable (AdminRequest) -> AdminReply, _ listen: Listen
    ) throws(SocketError) {
        let loop = Loop(label: "bj.admin")
        timeout = seconds
        driver = LoopConfined(
            sending: AdminDriver(loop, timeout: Int64(seconds) * 1000, inProgress: inProgress, respond: respond), on: loop)
        let result = driver.performAndWait { driver -> Result<Void, SocketError> in
            Result { () throws(SocketError) in
                try driver.start { limits, accepted throws(SocketError) in try listen(loop, limits, accepted) }
            }
        }
        do throws(SocketError) {
            try result.get()
        } catch {
            loop.stop()
            throw error
        }
    }

    /// Removes the socket's file, waits for requests in progress until their deadline, sends their answers, then stops: an exit right
    /// after loses none. Must not be called by a request.
    public func stop() {
        driver.performAndWait { $0.close() }
        _ = inProgress.wait(timeout: .now() + .seconds(timeout))
        // Answers were posted before.
        driver.performAndWait { _ in }
        driver.loop.stop()
    }
}

/// Calls on Unix-domain sockets, with the types of Linux and Darwin.
enum UnixSocket {
    enum Kind { case stream, datagram }

    /// A close-on-exec socket; -1 with errno set on failure.
    static func make(_ kind: Kind) -> Int32 {
        #if canImport(Glibc)
            let type = Int32((kind == .stream ? SOCK_STREAM : SOCK_DGRAM).rawValue)
            return socket(AF_UNIX, type | Int32(SOCK_CLOEXEC.rawValue), 0)
        #else
            let descriptor = socket(AF_UNIX, kind == .stream ? SOCK_STREAM : SOCK_DGRAM, 0)
            if descriptor >= 0 {
                _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
                var on: Int32 = 1
                setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &on, socklen_t(MemoryLayout<Int32>.size))
            }
            return descriptor
        #endif
    }

    /// Sets the timeout of each call.
    /// - Parameter milliseconds: at least 1.
    static func setTimeout(_ descriptor: Int32, milliseconds: Int) {
        var time = timeval(tv_sec: milliseconds / 1000, tv_usec: .init(milliseconds % 1000 * 1000))
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
    }

    /// Sends all bytes.
    /// - Returns: false on failure, with errno set.
    static func sendAll(_ descriptor: Int32, _ bytes: [UInt8]) -> Bool {
        #if canImport(Glibc)
            let quiet = Int32(MSG_NOSIGNAL)
        #else
            let quiet: Int32 = 0
        #endif
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, quiet) }
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }

    /// Available bytes, at most 64 KiB; empty at end of stream; nil on failure or timeout.
    static func receive(_ descriptor: Int32) -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = buffer.withUnsafeMutableBytes { recv(descriptor, $0.baseAddress, $0.count, 0) }
            if count < 0 && errno == EINTR { continue }
            return count < 0 ? nil : Array(buffer[..<count])
        }
    }
}
