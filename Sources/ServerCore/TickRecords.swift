import Journal
import Operations
import Records
import Sockets

/// The records and log lines of a loop's ticks. A tick's bytes and lines leave once its records are durable. Confined to the loop.
final class TickRecords: TickGate {
    /// nil for a server that keeps nothing.
    let journal: DurableLog?
    private let clock: LoopClock
    private let sink: @Sendable (LogLine) -> Void
    /// The records of the current tick.
    private var records: [UInt8] = []
    private var lines = HeldLines()
    /// Called when a tick was released, while ``isAwaited``.
    var onRelease: (() -> Void)?
    /// Called at the end of a tick that waits for the disk, while not ``isWatched``.
    var onWait: (() -> Void)?
    /// Whether somebody looks at the disk in time.
    var isWatched = false
    /// Whether ``onRelease`` is called also for ticks without bytes.
    var isAwaited = false

    init(_ journal: DurableLog?, clock: LoopClock, log sink: @escaping @Sendable (LogLine) -> Void) {
        self.journal = journal
        self.clock = clock
        self.sink = sink
    }

    /// Whether records are kept.
    var isKeeping: Bool { journal != nil }

    func append(_ write: (inout [UInt8]) -> Void) {
        if journal != nil { write(&records) }
    }

    func log(_ line: LogLine) {
        if journal == nil { sink(line) } else { lines.append(line) }
    }

    func logNow(_ line: LogLine) { sink(line) }

    /// Gives the journal the records so far. Another loop that sees their effect afterwards records after them.
    func handOver() {
        guard let journal, !records.isEmpty else { return }
        if clock.correction != 0 { records = Record.dated(records, at: clock.wall) }
        _ = journal.append(records)
        records.removeAll(keepingCapacity: true)
    }

    func endTick() -> TickEnd {
        guard let journal else { return TickEnd(position: 0) }
        handOver()
        // Not only this loop's records: the lobby and names show those of other loops.
        let position = journal.appended
        if !isWatched, position > journal.durable { onWait?() }
        let hasLines = lines.endTick(at: position)
        return TickEnd(position: position, isAwaited: hasLines || isAwaited)
    }

    var position: UInt64 { journal?.durable ?? 0 }

    func released(upTo position: UInt64) {
        for line in lines.release(upTo: position) { sink(line) }
        if isAwaited { onRelease?() }
    }
}
