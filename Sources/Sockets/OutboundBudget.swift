import Synchronization

/// Bytes queued for slow peers over all loops of a group, and their bound. Updated only when a kernel buffer is full.
final class OutboundBudget: Sendable {
    private let limitBytes = Atomic<Int>(.max)
    private let usedBytes = Atomic<Int>(0)
    private let shares = Mutex<[OutboundShare]>([])

    var used: Int { usedBytes.load(ordering: .relaxed) }
    var limit: Int { limitBytes.load(ordering: .relaxed) }
    var isExceeded: Bool { used > limit }
    /// Cutting continues until an eighth is free, so that it is rare.
    var target: Int { limit - limit / 8 }
    /// Beyond this, a loop cuts its own connections without waiting for the loop with the slowest peer.
    var hardLimit: Int { limit.addingReportingOverflow(limit / 8).overflow ? .max : limit + limit / 8 }

    func setLimit(_ bytes: Int) { limitBytes.store(bytes, ordering: .relaxed) }

    func add(_ bytes: Int) { usedBytes.wrappingAdd(bytes, ordering: .relaxed) }

    func register(_ share: OutboundShare) { shares.withLock { $0.append(share) } }

    /// The other loop with the largest queue of a connection.
    func rival(of own: OutboundShare) -> OutboundShare? {
        shares.withLock { all in all.filter { $0 !== own }.max { $0.largest < $1.largest } }
    }
}

/// The part of a loop's backlog that other loops read.
final class OutboundShare: Sendable {
    weak let loop: Loop?
    private let largestBytes = Atomic<Int>(0)

    init(loop: Loop) { self.loop = loop }

    /// The largest queue of a connection since the last relief, in bytes.
    var largest: Int {
        get { largestBytes.load(ordering: .relaxed) }
        set { largestBytes.store(newValue, ordering: .relaxed) }
    }
}

/// The connections of one loop with queued bytes. Confined to the loop.
final class OutboundBacklog {
    private let budget: OutboundBudget
    private let share: OutboundShare
    private var connections: [Connection] = []
    /// Whether the bound has to be checked at the end of the tick.
    private(set) var needsRelief = false

    init(_ budget: OutboundBudget, loop: Loop) {
        self.budget = budget
        share = OutboundShare(loop: loop)
        budget.register(share)
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
        if bytes > share.largest { share.largest = bytes }
        budget.add(bytes - former)
        if bytes > former, budget.isExceeded { needsRelief = true }
    }

    /// Cuts off connections, largest queue first, oldest first among equals, until the target is met. If another loop has a
    /// larger queue, that loop continues.
    func relieve() {
        needsRelief = false
        guard budget.isExceeded else { return }
        let rival = budget.rival(of: share)
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
        share.largest = left
        guard excess > 0, let rival, rival.largest > 0, let loop = rival.loop else { return }
        loop.perform { loop.backlog.relieve() }
    }
}
