/// Tasks by due time, first in first out at equal times. A binary heap; reads no clock. Inlinable, so that each user has it for its own type.
package struct Agenda<Task> {
    @usableFromInline struct Entry {
        @usableFromInline var time: Int64
        @usableFromInline var order: UInt64
        @usableFromInline var task: Task

        @inlinable init(_ time: Int64, _ order: UInt64, _ task: Task) { (self.time, self.order, self.task) = (time, order, task) }

        @inlinable func precedes(_ other: Entry) -> Bool { (time, order) < (other.time, other.order) }
    }

    @usableFromInline var entries: [Entry] = []
    @usableFromInline var entered: UInt64 = 0

    @inlinable package init() {}

    @inlinable package var count: Int { entries.count }
    /// The next task.
    @inlinable package var first: (time: Int64, task: Task)? { entries.first.map { ($0.time, $0.task) } }
    /// The time of the next task.
    @inlinable package var next: Int64? { entries.first?.time }

    @inlinable package mutating func add(_ task: Task, at time: Int64) {
        entered += 1
        entries.append(Entry(time, entered, task))
        var child = entries.count - 1
        while child > 0, entries[child].precedes(entries[(child - 1) / 2]) {
            entries.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    /// The next task that is due, taken out.
    @inlinable package mutating func take(until now: Int64) -> (time: Int64, task: Task)? {
        guard let first, first.time <= now else { return nil }
        let last = entries.removeLast()
        guard !entries.isEmpty else { return first }
        entries[0] = last
        var parent = 0
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2] where child < entries.count && entries[child].precedes(entries[least]) {
                least = child
            }
            guard least != parent else { return first }
            entries.swapAt(least, parent)
            parent = least
        }
    }

    package mutating func removeAll(where isRemoved: (Task) -> Bool) {
        // An array in order is a heap.
        entries = entries.filter { !isRemoved($0.task) }.sorted { $0.precedes($1) }
    }
}
