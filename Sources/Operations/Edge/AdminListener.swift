import Dispatch
import Sockets

/// Answers operators on a Unix-domain socket that only the server's own user can open.
///
/// Runs on its own loop, with a deadline per request: a slow peer delays neither a game nor another operator. Requests run off
/// that loop, since some wait for game loops.
public final class AdminListener: @unchecked Sendable {  // all variables are confined to the loop's queue
    /// Bytes per request.
    static let lineLimit = 16_384
    /// Requests per connection.
    private static let requestLimit = 64
    /// Connections at once. A further one replaces the connection whose request has been pending longest.
    static let connectionLimit = 16
    /// Requests in progress at once: a request blocked on a stuck loop occupies a thread.
    private static let workLimit = 16

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

    private let loop = Loop(label: "bj.admin")
    private let work = DispatchQueue(label: "bj.admin.work", attributes: .concurrent)
    private let patience: Int64
    private let respond: @Sendable (AdminRequest) -> AdminReply
    private var listener: Listener?
    private var peers: [UInt64: Peer] = [:]
    /// Requests in progress, including those of closed connections.
    private var working = 0

    /// Listens. Replaces a stale socket of a killed server at the path; nothing else.
    /// - Parameters:
    ///   - path: of at most 107 bytes.
    ///   - patience: timeout per request and per answer, in seconds.
    ///   - respond: called on any thread, concurrently.
    public init(
        path: String, patience: Int = 2, respond: @escaping @Sendable (AdminRequest) -> AdminReply
    ) throws(SocketError) {
        self.patience = Int64(patience) * 1000
        self.respond = respond
        try start { [loop] limits, accepted throws(SocketError) in
            try Listener(unixPath: path, loop: loop, limits: limits, accepted: accepted)
        }
    }

    /// Adopts a listening Unix-domain socket, such as one of ``ActivatedSockets``.
    public init(
        adopting descriptor: Int32, patience: Int = 2, respond: @escaping @Sendable (AdminRequest) -> AdminReply
    ) throws(SocketError) {
        // Access to this socket can stop the server, so a TCP port is refused.
        guard ActivatedSockets.isUnixListener(descriptor) else {
            throw SocketError(
                operation: "adopt", subject: "descriptor \(descriptor)",
                reason: "an admin socket is a Unix-domain stream socket that listens")
        }
        self.patience = Int64(patience) * 1000
        self.respond = respond
        try start { [loop] limits, accepted throws(SocketError) in
            try Listener(adopting: descriptor, loop: loop, limits: limits, accepted: accepted)
        }
    }

    private func start(
        _ listen: @Sendable (ConnectionLimits, @escaping (Connection) -> Void) throws(SocketError) -> Listener
    ) throws(SocketError) {
        let limits = ConnectionLimits(outboundBytes: 32 << 20, outboundStall: self.patience, linger: 500)
        let result = loop.performAndWait { () -> Result<Void, SocketError> in
            Result { () throws(SocketError) in
                listener = try listen(limits) { [weak self] in self?.accepted($0) }
            }
        }
        do throws(SocketError) {
            try result.get()
        } catch {
            loop.stop()
            throw error
        }
    }

    /// Removes the socket's file synchronously, so that an exit right after leaves none, then stops listening.
    public func stop() {
        loop.performAndWait {
            listener?.close()
            listener = nil
        }
        loop.stop()
    }

    private func accepted(_ connection: Connection) {
        if peers.count >= Self.connectionLimit {
            let silent = peers.values.filter { !$0.isAnswering }.min { $0.silentSince < $1.silentSince }
            guard let silent else { return refuse(connection) }
            forget(silent)
            silent.connection.abort()
        }
        let peer = Peer(connection, at: loop.now)
        let id = connection.id
        connection.handler = self
        peers[id] = peer
        peer.timer = loop.makeTimer { [weak self] in self?.timeIsUp(id) }
        peer.timer?.arm(at: loop.now + patience)
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
        work.async { [self] in
            let reply = respond(request)
            loop.perform { [self] in
                working -= 1
                guard let peer = peers[id] else { return }
                peer.isAnswering = false
                answered(peer, reply)
            }
        }
    }

    private func answered(_ peer: Peer, _ reply: AdminReply) {
        guard peer.requests < Self.requestLimit else { return finish(peer, reply) }
        let line = reply.line
        peer.connection.send(line)
        peer.silentSince = loop.now
        // A long answer gets more time.
        peer.timer?.arm(at: loop.now + patience * (line.count > 65_536 ? 5 : 1))
        peer.connection.isReading = true
        goOn(peer)
    }

    private func finish(_ peer: Peer, _ reply: AdminReply) {
        peer.connection.send(reply.line)
        peer.connection.close()
    }
}

extension AdminListener: ConnectionHandler {
    public func connection(_ connection: Connection, received bytes: UnsafeRawBufferPointer) {
        guard let peer = peers[connection.id] else { return }
        peer.pending.append(contentsOf: bytes)
        goOn(peer)
    }

    public func connection(_ connection: Connection, endedBy reason: EndReason) {
        guard let peer = peers[connection.id] else { return }
        forget(peer)
    }
}
