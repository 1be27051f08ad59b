import Dispatch
import Sockets

/// Answers an operator on a Unix-domain socket that only the server's own user can open.
///
/// Several peers at once, on a loop of its own, with a deadline for each whole request: one that drips its bytes holds up neither a game
/// nor another operator. Requests are carried out beside that loop, since some wait for the loops of the games.
public final class AdminListener: @unchecked Sendable {  // everything but the constants is touched on the loop's queue alone
    /// The most bytes of a request.
    public static let lineLimit = 16_384
    /// The most requests of one connection.
    private static let requestLimit = 64
    /// The most connections at once. When there are as many, a newcomer takes the place of the one whose request has been coming for longest.
    static let connectionLimit = 16
    /// The most requests that are carried out at once: those that wait for a loop that is stuck keep a thread each.
    private static let workLimit = 16

    private final class Peer {
        let connection: Connection
        var pending: [UInt8] = []
        var requests = 0
        /// Whether its request is being carried out. Nothing is read meanwhile.
        var isAnswering = false
        /// When it came or was last answered, in milliseconds.
        var silentSince: Int64
        var timer: LoopTimer?

        init(_ connection: Connection, at now: Int64) {
            self.connection = connection
            silentSince = now
        }
    }

    private let loop = Loop(label: "bj.admin")
    private let work = DispatchQueue(label: "bj.admin.work", attributes: .concurrent)
    /// In milliseconds.
    private let patience: Int64
    private let respond: @Sendable (AdminRequest) -> AdminReply
    private var listener: Listener?
    private var peers: [UInt64: Peer] = [:]
    /// Requests that are being carried out, also for peers that are gone.
    private var working = 0

    /// Listens. What a server that was killed has left at the path is replaced; nothing else is.
    /// - Parameters:
    ///   - path: of at most 107 bytes.
    ///   - patience: how long a peer may take for each whole request, and for taking anything of an answer, in seconds.
    ///   - respond: called on any thread, several requests at once.
    public init(
        path: String, patience: Int = 2, respond: @escaping @Sendable (AdminRequest) -> AdminReply
    ) throws(SocketError) {
        self.patience = Int64(patience) * 1000
        self.respond = respond
        try start { [loop] limits, accepted throws(SocketError) in
            try Listener(unixPath: path, loop: loop, limits: limits, accepted: accepted)
        }
    }

    /// Takes over a Unix-domain socket that listens already, such as one of ``ActivatedSockets``.
    public init(
        adopting descriptor: Int32, patience: Int = 2, respond: @escaping @Sendable (AdminRequest) -> AdminReply
    ) throws(SocketError) {
        // Whoever can open it may stop the server, so it is never a port.
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

    /// Takes the socket's file away, before it returns: a process that ends then leaves none. Then stops listening.
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
        code: "busy", message: "The server is at work on \(workLimit) other requests, which wait for a loop that does not answer."
    )

    private func forget(_ peer: Peer) {
        peer.timer?.disarm()
        peers[peer.connection.id] = nil
    }

    /// There was no whole request in time, or the last answer was not taken.
    private func timeIsUp(_ id: UInt64) {
        guard let peer = peers[id], !peer.isAnswering else { return }
        if peer.connection.pendingBytes > 0 { peer.connection.abort() } else { peer.connection.close() }
    }

    /// Takes the next whole line, if there is one.
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
        // A long answer may take its reader a while.
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
