import TableEngine
import TableModel
import Wire

/// What the tables of a loop work with, one after the other: facts, differences and lines are made in memory that all of them share, and that
/// so stays in the processor's caches while the tables come and go.
///
/// Plain memory, since a class's own variables are checked for exclusive access each time. Whatever is in it is good until the next table
/// does something.
final class TableScratch {
    struct Tools {
        /// What has happened last.
        var facts = FactList()
        /// What the last change of a table that was told came to.
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

/// Lines that many connections hold until the end of a tick: each is written in the memory of one that was sent before. Where that is still
/// held, because more has happened in the tick than there are places, it takes memory of its own.
struct LineRing {
    private static let places = 64

    private var lines: [[UInt8]] = Array(repeating: [], count: places)
    private var next = 0

    /// A line written anew.
    mutating func write(_ body: (inout [UInt8]) -> Void) -> [UInt8] {
        next = (next + 1) % Self.places
        lines[next].removeAll(keepingCapacity: true)
        body(&lines[next])
        return lines[next]
    }
}
