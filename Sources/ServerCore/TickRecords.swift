import Fairness
import Journal
import Records
import Sockets
import TableEngine

/// The durability barrier of the game's loop: no byte and no log line of a tick leaves before the tick's records are on the
/// disk. Confined to the loop.
///
/// During a tick the shard appends records. At the tick's end they go to the journal as one frame, and the tick's outbound
/// bytes and log lines wait for that frame's position. The journal's writer thread syncs frames and calls
/// ``Loop/barrierAdvanced()``; the loop then releases all ticks up to ``position``, in order. A tick without records waits for the
/// last frame that was appended before it, because its lines may tell of that frame's changes. Another thread may have
/// appended that frame: the registry client also writes to the journal.
///
/// Only lines that depend on no record bypass the barrier: `atOnce` for log lines, ``Connection/sendAhead(_:)`` for clients.
final class TickRecords: DurabilityBarrier {
    /// nil for a server without a journal.
    let journal: DurableLog?
    private let clock: LoopClock
    private let sink: @Sendable (LogLine) -> Void
    private var lines = HeldLines()
    /// The records of the current tick.
    private var records: [UInt8] = []
    /// Called when a tick was released, while ``isAwaited``.
    var onRelease: (() -> Void)?
    /// Called at the end of a tick that waits for the disk, unless ``isWatched``.
    var onWait: (() -> Void)?
    /// Whether a timer already checks the disk.
    var isWatched = false
    /// Whether ``onRelease`` is called for ticks without bytes as well.
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

    /// - Parameter atOnce: for a line about a stalled disk, which must not wait for it.
    func log(_ line: LogLine, atOnce: Bool = false) {
        if journal == nil || atOnce || !lines.append(line) { sink(line) }
    }

    /// Appends the tick's records so far as a frame, so that the registry client can wait for its position.
    func handOver() {
        guard let journal, !records.isEmpty else { return }
        if clock.correction != 0 { records = Record.dated(records, at: clock.wall) }
        _ = journal.append(records)
        records.removeAll(keepingCapacity: true)
    }

    func endTick() -> TickEnd {
        guard let journal else { return TickEnd(position: 0) }
        handOver()
        // The registry client appends frames as well: waits for the newest of all.
        let position = journal.appended
        if !isWatched, position > journal.durable { onWait?() }
        let hasLines = lines.endTick(at: position)
        return TickEnd(position: position, isAwaited: hasLines || isAwaited)
    }

    var position: UInt64 { journal?.durable ?? 0 }

    func released(upTo position: UInt64) {
        tell(upTo: position)
        if isAwaited { onRelease?() }
    }

    /// Writes the log lines of the ticks up to a position.
    func tell(upTo position: UInt64) { for line in lines.release(upTo: position) { sink(line) } }
}

/// Log lines that wait for the disk with their ticks.
struct HeldLines {
    /// Maximum number of lines. Further lines are written at once, so a stall neither loses lines nor uses more memory.
    static let capacity = 4096

    /// Oldest first, with the position of their tick's records.
    private var lines: [(position: UInt64, line: LogLine)] = []
    /// The number of `lines` whose tick has ended.
    private var ended = 0

    /// - Returns: false at capacity.
    mutating func append(_ line: LogLine) -> Bool {
        guard lines.count < Self.capacity else { return false }
        lines.append((0, line))
        return true
    }

    /// - Returns: whether lines of the tick wait for the position.
    mutating func endTick(at position: UInt64) -> Bool {
        defer { ended = lines.count }
        for index in ended..<lines.count { lines[index].position = position }
        return ended < lines.count
    }

    /// The lines of the ticks up to a position, oldest first.
    mutating func release(upTo position: UInt64) -> [LogLine] {
        let count = lines[..<ended].firstIndex { $0.position > position } ?? ended
        defer {
            lines.removeFirst(count)
            ended -= count
        }
        return lines[..<count].map(\.line)
    }
}

/// Replaces secrets in the lines of records: keys and secrets of shoes in play and to come, pass phrases, digests of account secrets
/// and of codes.
public struct RecordRedaction: Sendable {
    /// The sources of shoes in play and of coming shoes, in hexadecimal.
    private let live: Set<[UInt8]>

    /// - Parameter state: after the last record to show. A shoe is in play while its table is open and has no later one.
    public init(_ state: SavedState) {
        var live: Set<[UInt8]> = []
        for saved in state.tables.values {
            let table = saved.table.saved.core
            for source in [table.shoe.source, table.nextSource].compactMap(\.self) {
                live.insert(Array(Self.digits(of: source).utf8))
            }
            for bytes in saved.table.unrevealed { live.insert(Array(bytes.hex.utf8)) }
        }
        self.live = live
    }

    private static func digits(of source: ShoeSource) -> String {
        switch source {
        case .keyed(let key): key.bytes.hex
        case .seeded(let seed): (0..<8).map { UInt8(truncatingIfNeeded: seed >> UInt64(56 - 8 * $0)) }.hex
        }
    }

    /// Each as a member of a line begins.
    private static let members = Record.secrets.map { (start: Array("\"\($0)\":\"".utf8), secrecy: $1) }
    private static let redacted = Array("redacted".utf8)

    /// The line of a record, or any of a line's objects, with secrets replaced by `redacted`.
    /// - Parameter line: as a journal writes it, without spaces.
    public func redacted(_ line: some Collection<UInt8>) -> [UInt8] {
        let line = Array(line)
        var result: [UInt8] = []
        result.reserveCapacity(line.count)
        var index = 0
        while index < line.count {
            // The quotes of a text inside a string are escaped, so only a member begins like this.
            guard line[index] == UInt8(ascii: "\""), index > 0, [UInt8(ascii: "{"), UInt8(ascii: ",")].contains(line[index - 1]),
                let member = Self.members.first(where: { line[index...].starts(with: $0.start) })
            else {
                result.append(line[index])
                index += 1
                continue
            }
            let start = index + member.start.count
            let end = Self.endOfString(in: line, from: start)
            let isSecret = member.secrecy == .always || live.contains(Array(line[start..<end]))
            result += member.start
            result += isSecret ? Self.redacted[...] : line[start..<end]
            index = end
        }
        return result
    }

    /// The index of the closing quote.
    private static func endOfString(in line: [UInt8], from start: Int) -> Int {
        var index = start
        while index < line.count, line[index] != UInt8(ascii: "\"") { index += line[index] == UInt8(ascii: "\\") ? 2 : 1 }
        return min(index, line.count)
    }
}
