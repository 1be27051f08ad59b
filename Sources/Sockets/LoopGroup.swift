import Synchronization

#if canImport(Glibc)
    import CSockets
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Loops that share one clock. Connections can move between them; identifiers are unique within the group.
public final class LoopGroup: Sendable {
    /// The loops, ordered by ``Loop/index``. Never empty.
    public let loops: [Loop]

    /// - Parameters:
    ///   - count: number of loops, at least 1; by default one per available processor.
    ///   - label: prefix of the queue labels, followed by the index.
    ///   - idleWait: see ``Loop/init(label:clock:idleWait:)``.
    public convenience init(
        count: Int = LoopGroup.defaultCount, label: String = "loop", clock: LoopClock = LoopClock(), idleWait: Int64 = 0
    ) {
        self.init(count: count, label: label, clock: clock, kind: .preferred(idleWait: idleWait))
    }

    /// Loops of a simulated system, whose clock is not before a time.
    package convenience init(count: Int, on system: any SimulatedSystem, notBefore earliest: Int64 = 0) {
        self.init(
            count: count, label: "simulated", clock: LoopClock(on: system, notBefore: earliest),
            kind: .preferred(idleWait: 0), system: system)
    }

    init(
        count: Int, label: String, clock: LoopClock = LoopClock(), kind: PollerKind, system: (any SimulatedSystem)? = nil
    ) {
        precondition(count > 0, "a group has at least one loop")
        let identifiers = ConnectionIdentifiers()
        let budget = OutboundBudget()
        loops = (0..<count).map {
            Loop(
                label: "\(label).\($0)", clock: clock, index: $0, identifiers: identifiers, budget: budget, kind: kind,
                system: system)
        }
        self.budget = budget
    }

    private let budget: OutboundBudget

    /// Bounds the bytes queued for all peers together. Beyond the bound, connections with the most queued bytes are cut off.
    public func limitOutbound(to bytes: Int) { budget.setLimit(bytes) }

    /// The bytes queued for all peers.
    public var outboundBytes: Int { budget.used }

    /// The number of processors available to this process.
    public static var defaultCount: Int {
        #if canImport(Glibc)
            max(1, Int(bj_processors()))
        #else
            max(1, sysconf(_SC_NPROCESSORS_ONLN))
        #endif
    }

    public var count: Int { loops.count }

    public subscript(index: Int) -> Loop { loops[index] }

    /// Stops every loop of the group.
    public func stop() {
        for loop in loops { loop.stop() }
    }
}

/// Numbers the connections of a group: 1, 2, 3, … in order of creation.
final class ConnectionIdentifiers: Sendable {
    private let last = Atomic<UInt64>(0)

    func next() -> UInt64 { last.wrappingAdd(1, ordering: .relaxed).newValue }
}
