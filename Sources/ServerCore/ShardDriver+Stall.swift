import Journal
import Operations
import Sockets

/// A stalled disk: the loop reads no input and stops the tables' clocks, so bytes that wait for the disk cost no client its turn
/// or its connection. Everybody is told so, newcomers after their greeting: neither says anything that waits for the disk.
extension ShardDriver {
    struct Stall {
        /// Time of the oldest record that waits, in milliseconds.
        let since: Int64
        /// Timers that fired meanwhile.
        var timers = HeldTimers()
    }

    /// Whether the disk is behind. Begins a stall when it is.
    func isStalled() -> Bool {
        if stall != nil { return true }
        // Once a millisecond: each look takes two locks.
        guard let journal = records.journal, stallCheckedAt != loop.now else { return false }
        stallCheckedAt = loop.now
        guard journal.isBehind(options) else { return false }
        stall = Stall(since: loop.now - Int64(journal.oldestWaiting))
        // Has every tick wait for the disk, so that the stall's end is noticed.
        records.isAwaited = true
        shard.directory.metrics.stalls.add()
        // At once: other lines wait for the disk.
        records.logNow(
            LogLine(time: loop.wall, level: .warning, event: "disk_stalled", fields: [LogField("loop", index)]))
        tellStall()
        return true
    }

    /// The disk has caught up: postpones every deadline by the length of the stall and takes up the input that waited.
    func endStall() {
        guard let stall, let journal = records.journal, !journal.isBehind(options) else { return }
        self.stall = nil
        records.isAwaited = false
        let length = max(1, loop.now - stall.since)
        log(.info, "disk_caught_up", [LogField("loop", index), LogField("ms", length)])
        shard.postpone(by: length, at: loop.now)
        // The tick that ends now has handed over already.
        records.handOver()
        resumeBacklogs()
        for timer in stall.timers.inOrder {
            if case .table = timer { fire(timer) } else { setTimer(timer, at: loop.now + length) }
        }
    }
}

extension DurableLog {
    /// Whether records have waited too long for the disk, or are too many.
    func isBehind(_ options: Server.Options) -> Bool {
        configuration.durability != .none && (oldestWaiting > options.stallMilliseconds || waitingBytes > options.stallBytes)
    }
}
