import Sockets

/// Serves an operator's pages over HTTP on a loop of its own, so that a scrape takes no time from a game and a stuck game keeps nobody
/// from looking.
public final class MetricsEndpoint: @unchecked Sendable {  // everything but `loop` is touched on the loop's queue alone
    /// The most connections at once; further ones are closed at once.
    public static let connectionLimit = 32

    public let loop: Loop
    /// How long a connection may take for a request, or do nothing, in milliseconds.
    private let patience: Int64
    private let pages: OperatorPages
    private var listener: Listener?
    private var peers: [UInt64: Peer] = [:]

    private final class Peer {
        let connection: Connection
        var conversation = HTTPConversation()
        var timer: LoopTimer?
        init(_ connection: Connection) { self.connection = connection }
    }

    /// - Parameter patience: how long a connection may take for a request, or do nothing, in milliseconds.
    public init(pages: OperatorPages, patience: Int64 = 5_000) {
        self.pages = pages
        self.patience = patience
        loop = Loop(label: "bj.operator")
    }

    /// Listens.
    /// - Returns: the address, with the real port.
    public func start(host: String, port: Int) throws(SocketError) -> SocketAddress {
        let result = loop.performAndWait { () -> Result<SocketAddress, SocketError> in
            Result { () throws(SocketError) in
                let limits = ConnectionLimits(outboundBytes: 4 << 20, outboundStall: patience, linger: 1_000)
                let listener = try Listener(host: host, port: port, loop: loop, limits: limits) { [weak self] in
                    self?.accepted($0)
                }
                self.listener = listener
                return listener.address
            }
        }
        return try result.get()
    }

    /// Closes everything. Nothing is answered afterwards.
    public func stop() {
        loop.perform { [self] in
            listener?.close()
            listener = nil
            loop.stop()
        }
    }

    private func accepted(_ connection: Connection) {
        guard peers.count < Self.connectionLimit else { return connection.abort() }
        let peer = Peer(connection)
        connection.handler = self
        peers[connection.id] = peer
        let id = connection.id
        peer.timer = loop.makeTimer { [weak self] in self?.timeIsUp(id) }
        peer.timer?.arm(at: loop.now + patience)
    }

    private func timeIsUp(_ id: UInt64) {
        guard let peer = peers[id] else { return }
        perform(peer.conversation.timeIsUp(), peer)
    }

    private func perform(_ step: HTTPConversation.Step, _ peer: Peer) {
        if !step.output.isEmpty { peer.connection.send(step.output) }
        guard !step.closes else { return peer.connection.close() }
        // The time counts from the last answer, not from the last byte: who drips bytes gains nothing by it.
        if !step.output.isEmpty { peer.timer?.arm(at: loop.now + patience) }
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
