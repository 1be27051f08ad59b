import TableEngine
import TableModel
import Wire

/// Scratch buffers shared by a loop's tables: facts, differences and lines reuse memory that stays in the processor's caches.
///
/// Valid until the next operation of any table. Behind a pointer, which avoids exclusive access checks on each use.
final class TableScratch {
    struct Tools {
        /// Facts of the last operation.
        var facts = FactList()
        /// The last published change of a table.
        var change = RowChange()
        var check = TableCheck()
        var lines = LineRing()
    }

    let tools: UnsafeMutablePointer<Tools>

    init() {
        tools = .allocate(capacity: 1)
        tools.initialize(to: Tools())
    }

    deinit {
        tools.deinitialize(count: 1)
        tools.deallocate()
    }
}

/// Buffers for lines that connections share until the end of the tick, reused in turn. A line whose buffer is still referenced
/// gets new memory.
struct LineRing {
    private static let count = 64

    private var lines: [[UInt8]] = Array(repeating: [], count: count)
    private var next = 0

    /// Writes a line into the next buffer.
    mutating func write(_ body: (inout [UInt8]) -> Void) -> [UInt8] {
        next = (next + 1) % Self.count
        lines[next].removeAll(keepingCapacity: true)
        body(&lines[next])
        return lines[next]
    }
}
