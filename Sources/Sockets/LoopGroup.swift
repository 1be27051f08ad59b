import Synchronization

#if canImport(Glibc)
    import CSockets
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Loops that work beside each other, on one clock. A connection may move between them, and no two connections of a group ever bear
/// the same identifier.
///
/// What belongs together is put on one loop, so that nothing needs a lock.
public final class LoopGroup: Sendable {
    /// The loops, each at the place that its ``Loop/index`` says. Never empty.
    public let loops: [Loop]

    /// - Parameters:
    ///   - count: how many loops, at least 1; by default one for each processor that this process may use.
    ///   - label: the loops' queues are called this and their index.
    ///   - idleWait: as of each ``Loop``.
    public convenience init(
        count: Int = LoopGroup.defaultCount, label: String = "loop", clock: LoopClock = LoopClock(), idleWait: Int64 = 0
    ) {
        self.init(count: count, label: label, clock: clock, kind: .preferred(idleWait: idleWait))
    }

    init(count: Int, label: String, clock: LoopClock = LoopClock(), kind: PollerKind) {
        precondition(count > 0, "a group has at least one loop")
        let identifiers = ConnectionIdentifiers()
        let budget = OutboundBudget()
        loops = (0..<count).map {
            Loop(label: "\(label).\($0)", clock: clock, index: $0, identifiers: identifiers, budget: budget, kind: kind)
        }
        self.budget = budget
    }

    private let budget: OutboundBudget

    /// The most bytes that may wait for the peers of all connections together. Beyond it those are cut off for whom most waits.
    public func limitOutbound(to bytes: Int) { budget.setLimit(bytes) }

    /// The bytes that wait for the peers of all connections.
    public var outboundBytes: Int { budget.used }

    /// As many as there are processors that this process may use.
    public static var defaultCount: Int {
        #if canImport(Glibc)
            max(1, Int(bj_processors()))
        #else
            max(1, sysconf(_SC_NPROCESSORS_ONLN))
        #endif
    }

    public var count: Int { loops.count }

    public subscript(index: Int) -> Loop { loops[index] }

    /// Ends every loop of the group.
    public func stop() {
        for loop in loops { loop.stop() }
    }
}

/// Gives each connection of a group its number: 1, 2, 3, … in the order in which the loops ask.
final class ConnectionIdentifiers: Sendable {
    private let last = Atomic<UInt64>(0)

    func next() -> UInt64 { last.wrappingAdd(1, ordering: .relaxed).newValue }
}
