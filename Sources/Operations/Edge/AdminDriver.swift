import Dispatch
import Sockets

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
