import Synchronization

/// The connections of a loop with bytes queued for slow peers, and the bound on those bytes. Confined to the loop; only the two numbers
/// are atomic and accessible from any thread. Changes only when a kernel buffer is full.
///
/// Invariant: `used` is the sum of ``Connection/accounted`` over `connections`, which has a connection while that is not 0.
final class OutboundBacklog {
    private let limitBytes = Atomic<Int>(.max)
    private let usedBytes = Atomic<Int>(0)
    private var connections: [Connection] = []
    /// Whether the bound has to be checked at the end of the tick.
    private(set) var needsRelief = false

    var used: Int { usedBytes.load(ordering: .relaxed) }
    private var limit: Int { limitBytes.load(ordering: .relaxed) }

    func setLimit(_ bytes: Int) { limitBytes.store(bytes, ordering: .relaxed) }

    /// Records the queued bytes of a connection.
    @inline(__always)
    func account(_ connection: Connection, as bytes: Int) {
        if bytes != connection.accounted { change(connection, to: bytes) }
    }

    private func change(_ connection: Connection, to bytes: Int) {
        let former = connection.accounted
        connection.accounted = bytes
        if former == 0 {
            connection.backlogIndex = connections.count
            connections.append(connection)
        } else if bytes == 0 {
            let last = connections.removeLast()
            if last !== connection {
                connections[connection.backlogIndex] = last
                last.backlogIndex = connection.backlogIndex
            }
        }
        usedBytes.wrappingAdd(bytes - former, ordering: .relaxed)
        if bytes > former, used > limit { needsRelief = true }
    }

    /// Cuts off connections, largest queue first, oldest first among equals, until an eighth of the bound is free: rarely needed again soon.
    func relieve() {
        needsRelief = false
        var excess = used > limit ? used - (limit - limit / 8) : 0
        for connection in connections.sorted(by: { ($0.accounted, $1.id) > ($1.accounted, $0.id) }) where excess > 0 {
            excess -= connection.accounted
            connection.cut(.outboundTotal)
        }
    }
}
