/// Timers that fired while the disk is behind, each once, in order. A timer that is disarmed is forgotten: connections come and go meanwhile.
struct HeldTimers {
    private var order: [TimerID] = []
    private var held: Set<TimerID> = []

    /// Entries in memory.
    var entries: Int { order.count }

    mutating func insert(_ timer: TimerID) {
        guard held.insert(timer).inserted else { return }
        order.append(timer)
        // At most twice those held: the cost of removing stays a fraction of that of inserting.
        guard order.count > 2 * held.count + 64 else { return }
        order = inOrder
    }

    mutating func remove(_ timer: TimerID) { held.remove(timer) }

    /// The held timers, by their last insertion.
    var inOrder: [TimerID] {
        var rest = held
        return order.reversed().filter { rest.remove($0) != nil }.reversed()
    }
}
