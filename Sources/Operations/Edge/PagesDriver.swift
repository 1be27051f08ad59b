import Sockets

/// The operator pages' connections. Confined to the loop of a ``MetricsEndpoint``.
final class PagesDriver {
    private final class Peer {
        let connection: Connection
        var conversation = HTTPConversation()
        var timer: LoopTimer?
        /// nil for a peer without an address.
        let address: IPAddress?
        /// Time of accept or of the last answer, in milliseconds.
        var silentSince: Int64

        init(_ connection: Connection, at now: Int64) {
            self.connection = connection
            address = connection.peer.ip
            silentSince = now
        }

        var isLocal: Bool { address?.isLoopback ?? true }
    }

    /// Connections at once. A further one replaces an idle connection.
    static let connectionLimit = 32

    private let loop: Loop
    /// Request and idle timeout, in milliseconds.
    private let timeout: Int64
    private let pages: OperatorPages
    private var listeners: [Listener] = []
    private var peers: [UInt64: Peer] = [:]

    init(_ loop: Loop, pages: OperatorPages, timeout: Int64) {
        self.loop = loop
        self.pages = pages
        self.timeout = timeout
    }

    /// Listens on the adopted sockets, or else on an address.
    func start(host: String, port: Int, adopting descriptors: [Int32]) throws(SocketError) -> SocketAddress {
        let limits = ConnectionLimits(outboundBytes: 4 << 20, outboundStall: timeout, linger: 1_000)
        let accepted: (Connection) -> Void = { [weak self] in self?.accepted($0) }
        for descriptor in descriptors {
            listeners.append(try Listener(adopting: descriptor, loop: loop, limits: limits, accepted: accepted))
        }
        if descriptors.isEmpty {
            listeners.append(try Listener(host: host, port: port, loop: loop, limits: limits, accepted: accepted))
        }
        return listeners[0].address
    }

    func stop() {
        for listener in listeners { listener.close() }
        listeners = []
        loop.stop()
    }

    private func accepted(_ connection: Connection) {
        let peer = Peer(connection, at: loop.now)
        if peers.count >= Self.connectionLimit {
            guard let former = victim(of: peer) else { return connection.abort() }
            former.timer?.disarm()
            peers[former.connection.id] = nil
            former.connection.abort()
        }
        connection.handler = self
        peers[connection.id] = peer
        let id = connection.id
        peer.timer = loop.makeTimer { [weak self] in self?.timeIsUp(id) }
        peer.timer?.arm(at: loop.now + timeout)
    }

    /// The connection to evict: the longest idle one of the address with the most connections. Strangers never evict loopback,
    /// where health checks come from.
    private func victim(of newcomer: Peer) -> Peer? {
        let candidates = peers.values.filter { newcomer.isLocal || !$0.isLocal }
        let counts = Dictionary(grouping: candidates) { $0.address }.mapValues(\.count)
        func rank(_ peer: Peer) -> (Int, Int, Int64, UInt64) {
            (peer.isLocal ? 0 : 1, counts[peer.address] ?? 0, -peer.silentSince, .max - peer.connection.id)
        }
        return candidates.max { rank($0) < rank($1) }
    }

    private func timeIsUp(_ id: UInt64) {
        guard let peer = peers[id] else { return }
        perform(peer.conversation.timeIsUp(), peer)
    }

    private func perform(_ step: HTTPConversation.Step, _ peer: Peer) {
        if !step.output.isEmpty { peer.connection.send(step.output) }
        guard !step.closes else { return peer.connection.close() }
        // Idle time counts from the last answer: dripping bytes does not extend it.
        guard !step.output.isEmpty else { return }
        peer.silentSince = loop.now
        peer.timer?.arm(at: loop.now + timeout)
    }
}

extension PagesDriver: ConnectionHandler {
    func connection(_ connection: Connection, received bytes: UnsafeRawBufferPointer) {
        guard let peer = peers[connection.id] else { return }
        perform(peer.conversation.receive(bytes) { pages.response(to: $0) }, peer)
    }

    func connection(_ connection: Connection, endedBy reason: EndReason) {
        peers.removeValue(forKey: connection.id)?.timer?.disarm()
    }
}
