import Operations
import Sockets

/// Listeners for proxies. Parses each connection's PROXY header, then admits it under the address in the header. Confined to its
/// loop.
final class ProxyGate {
    /// Milliseconds that a proxy has to send the header.
    static let timeout: Int64 = 5_000
    /// Bound on connections without a header; at the bound, a new connection replaces the oldest.
    private let capacity: Int
    /// Receives the listeners' accept problems.
    var onProblem: ((AcceptProblem) -> Void)?

    /// Networks whose proxies are trusted.
    var trusted: [AddressBlock]

    private struct PendingConnection {
        let connection: Connection
        var parser = ProxyHeaderParser()
        let timer: LoopTimer
    }

    private let loop: Loop
    private let metrics: ServerMetrics
    private let log: (LogLevel, StaticString, [LogField]) -> Void
    private let admit: (_ connection: Connection, _ address: IPAddress?, _ rest: [UInt8]) -> Void
    private var pending: [UInt64: PendingConnection] = [:]
    /// Identifiers in order of arrival, from `firstArrival` on; those of finished connections are skipped.
    private var arrivals: [UInt64] = []
    private var firstArrival = 0
    private var listeners: [Listener] = []

    /// - Parameter admit: receives a connection after its header, the address in the header, and the bytes after the header.
    init(
        loop: Loop, trusted: [AddressBlock], capacity: Int, metrics: ServerMetrics,
        log: @escaping (LogLevel, StaticString, [LogField]) -> Void,
        admit: @escaping (_ connection: Connection, _ address: IPAddress?, _ rest: [UInt8]) -> Void
    ) {
        self.loop = loop
        self.trusted = trusted
        self.capacity = capacity
        self.metrics = metrics
        self.log = log
        self.admit = admit
    }

    /// Starts the listeners. Must be called on the loop.
    /// - Returns: the first listener's address, with its real port.
    func listen(
        host: String, port: Int, adopting descriptors: [Int32] = [], limits: ConnectionLimits
    ) throws(SocketError) -> SocketAddress {
        for descriptor in descriptors {
            listeners.append(
                try Listener(adopting: descriptor, loop: loop, limits: limits) { [weak self] in self?.accepted($0) })
        }
        if descriptors.isEmpty {
            listeners.append(
                try Listener(host: host, port: port, loop: loop, limits: limits) { [weak self] in self?.accepted($0) })
        }
        for listener in listeners { listener.onProblem = onProblem }
        return listeners[0].address
    }

    /// Closes the listeners and the connections without a header.
    func close() {
        for listener in listeners { listener.close() }
        listeners = []
        for entry in pending.values { entry.connection.abort() }
    }

    private func accepted(_ connection: Connection) {
        let address = connection.peer.ip
        guard let address, trusted.contains(where: { $0.contains(address) }) else {
            metrics.refusedConnections[.proxyNotTrusted].add()
            log(.warning, "proxy_not_trusted", [LogField("peer", connection.peer)])
            return connection.abort()
        }
        if pending.count >= capacity { turnOldestAway() }
        let id = connection.id
        arrivals.append(id)
        let timer = loop.makeTimer { [weak self] in self?.turnAway(id, "no PROXY header in time") }
        timer.arm(at: loop.now + Self.timeout)
        pending[id] = PendingConnection(connection: connection, timer: timer)
        compactArrivals()
        connection.handler = self
    }

    private func turnOldestAway() {
        while firstArrival < arrivals.count {
            let id = arrivals[firstArrival]
            firstArrival += 1
            guard pending[id] != nil else { continue }
            turnAway(id, "no room for another connection without a PROXY header")
            break
        }
    }

    /// Drops identifiers of finished connections; the array stays within twice the bound.
    private func compactArrivals() {
        guard arrivals.count > 2 * capacity else { return }
        arrivals = arrivals[firstArrival...].filter { pending[$0] != nil }
        firstArrival = 0
    }

    private func turnAway(_ id: UInt64, _ reason: String) {
        guard let entry = pending.removeValue(forKey: id) else { return }
        entry.timer.disarm()
        metrics.refusedConnections[.proxyHeader].add()
        log(.warning, "proxy_header", [LogField("peer", entry.connection.peer), LogField("reason", reason)])
        entry.connection.abort()
    }
}

extension ProxyGate: ConnectionHandler {
    func connection(_ connection: Connection, received bytes: UnsafeRawBufferPointer) {
        guard pending[connection.id] != nil else { return }
        do throws(ProxyHeaderError) {
            guard let (header, used) = try pending[connection.id]?.parser.parse(bytes) else { return }
            pending.removeValue(forKey: connection.id)?.timer.disarm()
            connection.handler = nil
            admit(connection, header.source?.address ?? connection.peer.ip, Array(bytes[used...]))
        } catch {
            turnAway(connection.id, error.description)
        }
    }

    func connection(_ connection: Connection, endedBy reason: EndReason) {
        pending.removeValue(forKey: connection.id)?.timer.disarm()
    }
}
