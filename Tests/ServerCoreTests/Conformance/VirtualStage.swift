import Conformance
import Wire

@testable import ServerCore

/// A stage without a network: the server, and time, are played by the test. What takes minutes is over in no time.
final class VirtualStage: ServerKit.Stage {
    let server: VirtualServer
    private var connections: [String: ConnectionID] = [:]
    private var framers: [ConnectionID: LineFramer] = [:]
    private var events: [ConnectionID: [ServerKit.Event]] = [:]
    private var last: ConnectionID = 0

    /// How long it takes until what has come is looked at, in milliseconds.
    private let slowness: Int64
    /// Called with the bytes of each send, after they have arrived.
    var onSaid: (([UInt8]) -> Void)?

    init(_ server: VirtualServer, slowness: Int64 = 0) {
        self.server = server
        self.slowness = slowness
    }

    var now: Int { Int(server.now) }

    func keep(requestsPerSecond: Int, burst: Int) {}

    func connect(_ who: String) throws(ServerKit.Unreachable) {
        last += 1
        connections[who] = last
        framers[last] = LineFramer(limit: WireLimits.requestBytes)
        server.connect(last)
    }

    func send(_ bytes: [UInt8], by who: String) {
        guard let connection = connections[who], var framer = framers[connection] else { return }
        _ = bytes.withUnsafeBytes { bytes in
            framer.append(bytes) { line in
                server.shard.received(line, from: connection, at: server.now)
                collect()
                return framers[connection] != nil
            }
        }
        onSaid?(bytes)
        if framer.isOverLimit { server.shard.receivedTooLongLine(from: connection) }
        collect()
        if framers[connection] != nil { framers[connection] = framer }
        guard slowness > 0 else { return }
        for _ in 0..<slowness { server.advance(1) }
        collect()
    }

    func cut(_ who: String) {
        guard let connection = connections.removeValue(forKey: who) else { return }
        collect()
        if framers.removeValue(forKey: connection) != nil { server.cut(connection) }
        events[connection] = nil
    }

    func next(_ who: String, within milliseconds: Int) -> ServerKit.Event {
        guard let connection = connections[who] else { return .closed }
        let deadline = server.now + Int64(milliseconds)
        collect()
        while events[connection, default: []].isEmpty {
            guard server.now < deadline else { return .silence }
            // No further than to what happens next.
            let next = server.timers.values.min() ?? deadline
            server.advance(max(1, min(next, deadline) - server.now))
            collect()
        }
        let event = events[connection]?.first ?? .closed
        if event != .closed { events[connection]?.removeFirst() }
        return event
    }

    /// Takes what the server has said. A connection that it closes is gone for it at once.
    private func collect() {
        for output in server.take() {
            switch output {
            case .line(let connection, let text): events[connection, default: []].append(.line(Array(text.utf8)))
            case .closed(let connection):
                guard framers.removeValue(forKey: connection) != nil else { continue }
                events[connection, default: []].append(.closed)
                server.cut(connection)
            }
        }
    }
}
