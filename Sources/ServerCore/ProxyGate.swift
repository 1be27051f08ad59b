import Operations
import Sockets

/// Where proxies come in: a connection is let through once it has said whom it speaks for, in a PROXY header; whatever follows the header
/// is the player's. Confined to its loop.
final class ProxyGate: @unchecked Sendable {  // touched on the loop's queue alone
    /// How long a proxy may take to say so, in milliseconds.
    static let timeout: Int64 = 5_000
    /// The most connections that have not said it yet. When there are as many, the oldest makes room for a newcomer.
    private let capacity: Int
    /// Told of what keeps the listeners from accepting.
    var onTrouble: ((ListenerTrouble) -> Void)?

    /// Networks whose proxies are believed.
    var trusted: [AddressBlock]

    private struct Guest {
        let connection: Connection
        var parser = ProxyHeaderParser()
        let timer: LoopTimer
    }

    private let loop: Loop
    private let metrics: ServerMetrics
    private let log: (LogLevel, StaticString, [LogField]) -> Void
    private let enter: (_ connection: Connection, _ address: IPAddress?, _ rest: [UInt8]) -> Void
    private var guests: [UInt64: Guest] = [:]
    /// Guests as they came, the first from `firstArrival` on; those that are gone are passed over.
    private var arrivals: [UInt64] = []
    private var firstArrival = 0
    private var listeners: [Listener] = []

    /// - Parameter enter: called with a connection whose header has been read, the address that it gave, and the bytes after it.
    init(
        loop: Loop, trusted: [AddressBlock], capacity: Int, metrics: ServerMetrics,
        log: @escaping (LogLevel, StaticString, [LogField]) -> Void,
        enter: @escaping (_ connection: Connection, _ address: IPAddress?, _ rest: [UInt8]) -> Void
    ) {
        self.loop = loop
        self.trusted = trusted
        self.capacity = capacity
        self.metrics = metrics
        self.log = log
        self.enter = enter
    }

    /// Listens, on the loop.
    /// - Returns: the address, with the real port.
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
        for listener in listeners { listener.onTrouble = onTrouble }
        return listeners[0].address
    }

    /// Lets nobody in any more; who has not said whom he speaks for is closed.
    func close() {
        for listener in listeners { listener.close() }
        listeners = []
        for guest in guests.values { guest.connection.abort() }
    }

    private func accepted(_ connection: Connection) {
        let address = connection.peer.ip
        guard let address, trusted.contains(where: { $0.contains(address) }) else {
            metrics.refusedConnections[.proxyNotTrusted].add()
            log(.warning, "proxy_not_trusted", [LogField("peer", connection.peer)])
            return connection.abort()
        }
        if guests.count >= capacity { turnOldestAway() }
        let id = connection.id
        arrivals.append(id)
        let timer = loop.makeTimer { [weak self] in self?.turnAway(id, "no PROXY header in time") }
        timer.arm(at: loop.now + Self.timeout)
        guests[id] = Guest(connection: connection, timer: timer)
        compactArrivals()
        connection.handler = self
    }

    private func turnOldestAway() {
        while firstArrival < arrivals.count {
            let id = arrivals[firstArrival]
            firstArrival += 1
            guard guests[id] != nil else { continue }
            turnAway(id, "no room for another connection without a PROXY header")
            break
        }
    }

    /// Forgets the arrivals of guests that are gone once they are the most.
    private func compactArrivals() {
        guard arrivals.count > 2 * capacity else { return }
        arrivals = arrivals[firstArrival...].filter { guests[$0] != nil }
        firstArrival = 0
    }

    private func turnAway(_ id: UInt64, _ reason: String) {
        guard let guest = guests.removeValue(forKey: id) else { return }
        guest.timer.disarm()
        metrics.refusedConnections[.proxyHeader].add()
        log(.warning, "proxy_header", [LogField("peer", guest.connection.peer), LogField("reason", reason)])
        guest.connection.abort()
    }
}

extension ProxyGate: ConnectionHandler {
    func connection(_ connection: Connection, received bytes: UnsafeRawBufferPointer) {
        guard guests[connection.id] != nil else { return }
        do throws(ProxyHeaderError) {
            guard let (header, used) = try guests[connection.id]?.parser.parse(bytes) else { return }
            guests.removeValue(forKey: connection.id)?.timer.disarm()
            connection.handler = nil
            enter(connection, header.source?.address ?? connection.peer.ip, Array(bytes[used...]))
        } catch {
            turnAway(connection.id, error.description)
        }
    }

    func connection(_ connection: Connection, endedBy reason: EndReason) {
        guests.removeValue(forKey: connection.id)?.timer.disarm()
    }
}
