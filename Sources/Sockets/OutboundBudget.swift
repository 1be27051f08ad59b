import Synchronization

/// Bytes queued for slow peers over all loops of a group, and their bound. Updated only when a kernel buffer is full.
final class OutboundBudget: Sendable {
    private let limitBytes = Atomic<Int>(.max)
    private let usedBytes = Atomic<Int>(0)
    private let backlogs = Mutex<[OutboundBacklog]>([])

    var used: Int { usedBytes.load(ordering: .relaxed) }
    var limit: Int { limitBytes.load(ordering: .relaxed) }
    var isExceeded: Bool { used > limit }
    /// Cutting continues until an eighth is free, so that it is rare.
    var target: Int { limit - limit / 8 }
    /// Beyond this, a loop cuts its own connections without waiting for the loop with the slowest peer.
    var hardLimit: Int { limit.addingReportingOverflow(limit / 8).overflow ? .max : limit + limit / 8 }

    func setLimit(_ bytes: Int) { limitBytes.store(bytes, ordering: .relaxed) }

    func add(_ bytes: Int) { usedBytes.wrappingAdd(bytes, ordering: .relaxed) }

    func register(_ backlog: OutboundBacklog) { backlogs.withLock { $0.append(backlog) } }

    /// The other loop's backlog with the largest connection.
    func rival(of own: OutboundBacklog) -> OutboundBacklog? {
        backlogs.withLock { all in all.filter { $0 !== own }.max { $0.largest < $1.largest } }
    }
}

/// The connections of one loop with queued bytes.
final class OutboundBacklog: @unchecked Sendable {  // touched on the loop's queue alone, but for `largest` and `loop`
    private let budget: OutboundBudget
    private weak let loop: Loop?
    private var connections: [Connection] = []
    private let largestBytes = Atomic<Int>(0)
    /// Whether the bound has to be checked at the end of the tick.
    private(set) var needsRelief = false

    /// The largest queue of a connection since the last relief, in bytes. Callable from any thread.
    var largest: Int { largestBytes.load(ordering: .relaxed) }

    init(_ budget: OutboundBudget, loop: Loop) {
        self.budget = budget
        self.loop = loop
        budget.register(self)
    }

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
        if bytes > largest { largestBytes.store(bytes, ordering: .relaxed) }
        budget.add(bytes - former)
        if bytes > former, budget.isExceeded { needsRelief = true }
    }

    /// Cuts off connections, largest queue first, oldest first among equals, until the target is met. If another loop has a
    /// larger queue, that loop continues.
    func relieve() {
        needsRelief = false
        guard budget.isExceeded else { return }
        let rival = budget.rival(of: self)
        let threshold = budget.used > budget.hardLimit ? 0 : rival?.largest ?? 0
        var excess = budget.used - budget.target
        var left = 0
        for connection in connections.sorted(by: { ($0.accounted, $1.id) > ($1.accounted, $0.id) }) {
            guard excess > 0, connection.accounted >= threshold else {
                left = connection.accounted
                break
            }
            excess -= connection.accounted
            connection.cut(.outboundTotal)
        }
        largestBytes.store(left, ordering: .relaxed)
        guard excess > 0, let rival, rival.largest > 0 else { return }
        rival.loop?.perform { rival.relieve() }
    }
}
