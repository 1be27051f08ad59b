/// Delays a loop's outbound bytes, for example until records are durable (write-ahead logging). Confined to the loop.
///
/// At the end of each tick the loop asks for a position, and holds the tick's bytes until the barrier has reached it. Positions
/// are points of one sequence and never decrease, so ticks leave in order. A thread that has advanced ``position`` calls
/// ``Loop/barrierAdvanced()``; the loop then sends the released bytes with one call per connection and reports them with
/// ``released(upTo:)``.
public protocol DurabilityBarrier: AnyObject {
    /// Ends a tick, also one without outbound bytes.
    func endTick() -> TickEnd
    /// The position reached so far. Never decreases.
    var position: UInt64 { get }
    /// The bytes of this tick and all earlier ones have been sent.
    func released(upTo position: UInt64)
}

/// The end of a tick.
public struct TickEnd {
    /// The bytes leave once the barrier has reached this position. Not smaller than that of any tick before.
    public var position: UInt64
    /// Whether ``DurabilityBarrier/released(upTo:)`` has work to do for a tick without outbound bytes.
    public var isAwaited: Bool

    public init(position: UInt64, isAwaited: Bool = false) {
        self.position = position
        self.isAwaited = isAwaited
    }
}

/// Ticks whose bytes wait at the barrier, oldest first. Allocates nothing once warm.
struct HeldTicks {
    private struct Tick {
        let position: UInt64
        /// Index after its last entry.
        var end: Int
    }

    private var ticks: [Tick] = []
    private var entries: [(connection: Connection, count: Int)] = []
    /// Number of entries at which those of ended connections are removed. Bounds the memory while the barrier does not advance and
    /// connections come and go.
    private var limit = HeldTicks.fewestEntries
    private static let fewestEntries = 1024

    /// Entries of connections.
    var count: Int { entries.count }

    var isEmpty: Bool { ticks.isEmpty }

    /// Whether ``release(upTo:into:)`` would release a tick.
    func isReleasable(at position: UInt64) -> Bool { ticks.first.map { $0.position <= position } ?? false }

    /// Adds a tick, and the bytes that each of its connections has queued.
    mutating func append(_ connections: [Connection], until position: UInt64) {
        for connection in connections { entries.append((connection, connection.takeUnflushed())) }
        // Merges ticks of the same position, so a barrier that does not advance holds at most one tick per position.
        if let last = ticks.last, last.position == position { ticks.removeLast() }
        ticks.append(Tick(position: position, end: entries.count))
        if entries.count > limit { removeEnded() }
    }

    private mutating func removeEnded() {
        var (kept, start) = (0, 0)
        for index in ticks.indices {
            for place in start..<ticks[index].end where !entries[place].connection.hasEnded {
                entries.swapAt(kept, place)
                kept += 1
            }
            start = ticks[index].end
            ticks[index].end = kept
        }
        entries.removeLast(entries.count - kept)
        // Twice the open ones: the cost of removing stays a fraction of that of adding.
        limit = max(Self.fewestEntries, 2 * kept)
    }

    /// Forgets all ticks: the barrier never opens again.
    mutating func abandon() {
        for entry in entries { entry.connection.endMove() }
        self = HeldTicks()
    }

    /// Removes the ticks up to a position.
    /// - Parameter connections: receives each of their connections once, with ``Connection/releasable`` set.
    /// - Returns: the position of the last tick removed; nil if there was none.
    mutating func release(upTo position: UInt64, into connections: inout [Connection]) -> UInt64? {
        let count = ticks.firstIndex { $0.position > position } ?? ticks.count
        guard count > 0 else { return nil }
        let last = ticks[count - 1]
        for (connection, bytes) in entries[..<last.end] {
            // Also without bytes: flushing ends a connection that closes.
            if !connection.isReleasing { connections.append(connection) }
            connection.isReleasing = true
            connection.releasable += bytes
        }
        entries.removeFirst(last.end)
        ticks.removeFirst(count)
        for index in ticks.indices { ticks[index].end -= last.end }
        return last.position
    }
}
