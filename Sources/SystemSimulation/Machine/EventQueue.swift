/// Events by virtual time, then by the order in which they were added: a binary heap.
struct EventQueue {
    struct Event {
        /// Microseconds.
        let time: Int64
        fileprivate let order: UInt64
        /// The server process that it belongs to; nil for the simulation's own. Events of an ended process have no effect.
        let process: Int?
        let action: () -> Void

        fileprivate func precedes(_ other: Event) -> Bool { (time, order) < (other.time, other.order) }
    }

    private var events: [Event] = []
    private var added: UInt64 = 0

    var isEmpty: Bool { events.isEmpty }

    /// The time of the next event, in microseconds.
    var next: Int64? { events.first?.time }

    mutating func add(at time: Int64, process: Int?, _ action: @escaping () -> Void) {
        added += 1
        events.append(Event(time: time, order: added, process: process, action: action))
        var child = events.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard events[child].precedes(events[parent]) else { return }
            events.swapAt(child, parent)
            child = parent
        }
    }

    mutating func take() -> Event? {
        guard let first = events.first else { return nil }
        let last = events.removeLast()
        guard !events.isEmpty else { return first }
        events[0] = last
        var parent = 0
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2] where child < events.count && events[child].precedes(events[least]) {
                least = child
            }
            guard least != parent else { return first }
            events.swapAt(least, parent)
            parent = least
        }
    }

    /// Drops the events of processes that have ended.
    mutating func removeAll() { events = [] }

    mutating func removeAll(exceptOf process: Int) {
        let left = events.filter { $0.process == nil || $0.process == process }
        events = []
        for event in left { add(at: event.time, process: event.process, event.action) }
    }
}
