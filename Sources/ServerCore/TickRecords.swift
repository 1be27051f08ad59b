import Journal
import Operations
import Sockets

/// The records and log lines of a loop's ticks. A tick's bytes and lines leave once its records are durable. Confined to the loop.
final class TickRecords: TickGate {
    /// nil for a server that keeps nothing.
    let journal: DurableLog?
    private let sink: @Sendable (LogLine) -> Void
    /// The records of the current tick.
    private var records: [UInt8] = []
    /// The log lines of the current tick.
    private var lines: [LogLine] = []
    /// Log lines that wait, oldest first, with their ticks' positions.
    private var waiting: [(position: UInt64, lines: [LogLine])] = []
    /// Called when a tick was released, while ``isAwaited``.
    var onRelease: (() -> Void)?
    /// Whether ``onRelease`` is called also for ticks without bytes.
    var isAwaited = false

    init(_ journal: DurableLog?, log sink: @escaping @Sendable (LogLine) -> Void) {
        self.journal = journal
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
        _ = journal.append(records)
        records.removeAll(keepingCapacity: true)
    }

    func endTick() -> TickEnd {
        guard let journal else { return TickEnd(position: 0) }
        handOver()
        // Not only this loop's records: the lobby and names show those of other loops.
        let position = journal.appended
        guard !lines.isEmpty else { return TickEnd(position: position, isAwaited: isAwaited) }
        waiting.append((position, lines))
        lines.removeAll()
        return TickEnd(position: position, isAwaited: true)
    }

    var position: UInt64 { journal?.durable ?? 0 }

    func released(upTo position: UInt64) {
        let count = waiting.firstIndex { $0.position > position } ?? waiting.count
        for entry in waiting[..<count] { for line in entry.lines { sink(line) } }
        waiting.removeFirst(count)
        if isAwaited { onRelease?() }
    }
}
