import Operations

/// Log lines that wait for the disk with their ticks, up to a bound: a peer that comes and goes while the disk stalls causes lines.
struct HeldLines {
    /// Lines at most; below a warning half of them, so that a flood of those hides no warning.
    static let capacity = 4096

    /// The lines of the current tick.
    private var current: [LogLine] = []
    /// The lines of ended ticks, oldest first, with their ticks' positions.
    private var waiting: [(position: UInt64, lines: [LogLine])] = []
    /// Lines in both.
    private(set) var count = 0
    private var dropped = 0
    /// Time of the last line dropped, in milliseconds.
    private var droppedAt: Int64 = 0

    mutating func append(_ line: LogLine) {
        guard count < (line.level < .warning ? Self.capacity / 2 : Self.capacity) else {
            dropped += 1
            droppedAt = line.time
            return
        }
        count += 1
        current.append(line)
    }

    /// Ends the tick.
    /// - Returns: whether lines wait for the position.
    mutating func endTick(at position: UInt64) -> Bool {
        guard !current.isEmpty else { return false }
        waiting.append((position, current))
        current.removeAll()
        return true
    }

    /// The lines of the ticks up to a position, oldest first, and the number of those dropped once nothing waits.
    mutating func release(upTo position: UInt64) -> [LogLine] {
        let end = waiting.firstIndex { $0.position > position } ?? waiting.count
        guard end > 0 else { return [] }
        var lines = waiting[..<end].flatMap(\.lines)
        waiting.removeFirst(end)
        count -= lines.count
        if dropped > 0, waiting.isEmpty {
            let fields = [LogField("lines", dropped), LogField("cause", "disk_stalled")]
            lines.append(LogLine(time: droppedAt, level: .warning, event: "log_dropped", fields: fields))
            dropped = 0
        }
        return lines
    }
}
