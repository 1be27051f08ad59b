import Sockets
import Synchronization

/// Serves an operator's pages over HTTP on a loop of its own, so that a scrape takes no time from a game and a stuck game keeps nobody
/// from looking.
public final class MetricsEndpoint: @unchecked Sendable {  // everything but `loop` is touched on the loop's queue alone
    /// The most connections at once. When there are as many, a newcomer takes the place of one that has been silent for long.
    public static let connectionLimit = 32

    public let loop: Loop
    /// How long a connection may take for a request, or do nothing, in milliseconds.
    private let patience: Int64
    private let pages: OperatorPages
    private var listeners: [Listener] = []
    private var peers: [UInt64: Peer] = [:]

    private final class Peer {
        let connection: Connection
        var conversation = HTTPConversation()
        var timer: LoopTimer?
        /// nil for a peer without an address.
        let address: IPAddress?
        /// When it came or was last answered, in milliseconds.
        var silentSince: Int64

        init(_ connection: Connection, at now: Int64) {
            self.connection = connection
            address = connection.peer.ip
            silentSince = now
        }

        var isLocal: Bool { address?.isLoopback ?? true }
    }

    /// - Parameters:
    ///   - patience: how long a connection may take for a request, or do nothing, in milliseconds.
    ///   - pageLifetime: how long a page of metrics is shown again instead of a new one, in milliseconds: a new one takes a look into every
    ///     loop.
    public init(pages: OperatorPages, patience: Int64 = 2_000, pageLifetime: Int64 = 250) {
        let loop = Loop(label: "bj.operator")
        let latest = Mutex<(text: String, made: Int64)?>(nil)
        self.pages = OperatorPages(
            metrics: {
                let now = loop.now
                if let page = latest.withLock({ $0 }), now - page.made < pageLifetime { return page.text }
                let text = pages.metrics()
                latest.withLock { $0 = (text, now) }
                return text
            }, unreadiness: pages.unreadiness)
        self.patience = patience
        self.loop = loop
    }

    /// Listens.
    /// - Parameter descriptors: sockets that listen already, instead of one of our own.
    /// - Returns: the address of the first, with the real port.
    public func start(host: String, port: Int, adopting descriptors: [Int32] = []) throws(SocketError) -> SocketAddress {
        let result = loop.performAndWait { () -> Result<SocketAddress, SocketError> in
            Result { () throws(SocketError) in
                let limits = ConnectionLimits(outboundBytes: 4 << 20, outboundStall: patience, linger: 1_000)
                let accepted: (Connection) -> Void = { [weak self] in self?.accepted($0) }
                for descriptor in descriptors {
                    listeners.append(try Listener(adopting: descriptor, loop: loop, limits: limits, accepted: accepted))
                }
                if descriptors.isEmpty {
                    listeners.append(try Listener(host: host, port: port, loop: loop, limits: limits, accepted: accepted))
                }
                return listeners[0].address
            }
        }
        return try result.get()
    }

    /// Closes everything. Nothing is answered afterwards.
    public func stop() {
        loop.perform { [self] in
            for listener in listeners { listener.close() }
            listeners = []
            loop.stop()
        }
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
        peer.timer?.arm(at: loop.now + patience)
    }

    /// Whose place a newcomer takes: of the address with the most connections, the one that has been silent for longest. Strangers never
    /// take the place of this machine's own, where health checks come from.
    private func victim(of newcomer: Peer) -> Peer? {
        let candidates = peers.values.filter { newcomer.isLocal || !$0.isLocal }
        let counts = Dictionary(grouping: candidates) { $0.address }.mapValues(\.count)
        func rank(_ peer: Peer) -> (Int, Int, Int64) {
            (peer.isLocal ? 0 : 1, counts[peer.address] ?? 0, -peer.silentSince)
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
        // The time counts from the last answer, not from the last byte: who drips bytes gains nothing by it.
        guard !step.output.isEmpty else { return }
        peer.silentSince = loop.now
        peer.timer?.arm(at: loop.now + patience)
    }
}

extension MetricsEndpoint: ConnectionHandler {
    public func connection(_ connection: Connection, received bytes: UnsafeRawBufferPointer) {
        guard let peer = peers[connection.id] else { return }
        perform(peer.conversation.receive(bytes) { pages.response(to: $0) }, peer)
    }

    public func connection(_ connection: Connection, endedBy reason: EndReason) {
        peers.removeValue(forKey: connection.id)?.timer?.disarm()
    }
}
