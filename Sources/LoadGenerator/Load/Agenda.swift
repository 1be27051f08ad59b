/// Tasks by due time in microseconds, first in first out at equal times. A binary heap; reads no clock.
struct Agenda<Task> {
    private struct Entry {
        var moment: Int64
        var order: UInt64
        var task: Task
        func precedes(_ other: Entry) -> Bool { (moment, order) < (other.moment, other.order) }
    }

    private var entries: [Entry] = []
    private var entered: UInt64 = 0

    /// The moment of the next task, in microseconds.
    var next: Int64? { entries.first?.moment }

    mutating func add(_ task: Task, at moment: Int64) {
        entered += 1
        entries.append(Entry(moment: moment, order: entered, task: task))
        var child = entries.count - 1
        while child > 0, entries[child].precedes(entries[(child - 1) / 2]) {
            entries.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    /// The next task that is due, taken out.
    mutating func take(until now: Int64) -> (moment: Int64, task: Task)? {
        guard let first = entries.first, first.moment <= now else { return nil }
        let last = entries.removeLast()
        guard !entries.isEmpty else { return (first.moment, first.task) }
        entries[0] = last
        var parent = 0
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2] where child < entries.count && entries[child].precedes(entries[least]) {
                least = child
            }
            guard least != parent else { return (first.moment, first.task) }
            entries.swapAt(least, parent)
            parent = least
        }
    }
}
