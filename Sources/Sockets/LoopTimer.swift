/// One deadline on a loop. Arming, re-arming and disarming allocate nothing; the action is fixed when the timer is made.
/// Touched on the loop's queue alone. An armed timer keeps its loop alive, and the loop keeps the timer.
public final class LoopTimer {
    private let loop: Loop
    private let action: () -> Void
    /// Counts each arming, so that an entry left in the heap by an earlier one is known to be stale.
    fileprivate(set) var arming: UInt64 = 0
    /// When it goes off, in milliseconds on the loop's clock; nil while disarmed.
    public private(set) var deadline: Int64?

    init(loop: Loop, action: @escaping () -> Void) {
        self.loop = loop
        self.action = action
    }

    /// Sets the deadline, replacing an earlier one. A deadline that has passed goes off at the next tick, never from inside this call.
    public func arm(at moment: Int64) {
        guard deadline != moment else { return }
        deadline = moment
        arming &+= 1
        loop.timers.push(self, at: moment)
        loop.timerArmed(at: moment)
    }

    /// Takes the deadline back.
    public func disarm() {
        deadline = nil
        arming &+= 1
    }

    fileprivate func goOff() {
        disarm()
        action()
    }
}

/// Work for a loop's next turn: after what is ready was read, and before a timer goes off. Asking for it allocates nothing.
/// Touched on the loop's queue alone.
public final class LoopTurn {
    private weak var loop: Loop?
    private let action: () -> Void
    private var isRequested = false

    init(loop: Loop, action: @escaping () -> Void) {
        self.loop = loop
        self.action = action
    }

    /// Has the work done in the next turn, once.
    public func request() {
        guard !isRequested else { return }
        isRequested = true
        loop?.request(self)
    }

    func run() {
        isRequested = false
        action()
    }
}

/// The armed timers of a loop, earliest first. Stale entries are dropped when they surface, or all at once when they outnumber
/// the live ones.
struct TimerHeap {
    /// A timer that was due, to be run after the others before it, which may still take it back or set it anew.
    struct Firing {
        fileprivate let timer: LoopTimer
        fileprivate let arming: UInt64

        func goOff() {
            if timer.arming == arming { timer.goOff() }
        }
    }

    private struct Entry {
        let deadline: Int64
        let order: UInt64
        let arming: UInt64
        let timer: LoopTimer
        var isLive: Bool { timer.arming == arming }
        func precedes(_ other: Entry) -> Bool { (deadline, order) < (other.deadline, other.order) }
    }

    private var entries: [Entry] = []
    private var pushes: UInt64 = 0
    private var pushesUntilSweep = 64
    private(set) var isClosed = false

    /// Lets go of every timer, and keeps none that is armed from now on: none would go off, and each would keep its loop for ever.
    mutating func close() {
        isClosed = true
        entries = []
    }

    mutating func push(_ timer: LoopTimer, at deadline: Int64) {
        guard !isClosed else { return }
        pushes &+= 1
        pushesUntilSweep -= 1
        if pushesUntilSweep == 0 { sweep() }
        entries.append(Entry(deadline: deadline, order: pushes, arming: timer.arming, timer: timer))
        siftUp(entries.count - 1)
    }

    /// The next deadline, in milliseconds.
    mutating func next() -> Int64? {
        while let first = entries.first, !first.isLive { removeFirst() }
        return entries.first?.deadline
    }

    /// Takes out what is due, in the order of deadlines, then of arming. What an action arms for a moment that has passed already
    /// waits for the next call, so that an action can't hold the loop for ever.
    mutating func due(at now: Int64) -> [Firing] {
        var firings: [Firing] = []
        while let deadline = next(), deadline <= now {
            firings.append(Firing(timer: entries[0].timer, arming: entries[0].arming))
            removeFirst()
        }
        return firings
    }

    private mutating func sweep() {
        let live = entries.filter(\.isLive)
        entries.removeAll(keepingCapacity: true)
        for entry in live {
            entries.append(entry)
            siftUp(entries.count - 1)
        }
        pushesUntilSweep = max(64, entries.count)
    }

    private mutating func removeFirst() {
        let last = entries.removeLast()
        guard !entries.isEmpty else { return }
        entries[0] = last
        siftDown(0)
    }

    private mutating func siftUp(_ start: Int) {
        var child = start
        while child > 0 {
            let parent = (child - 1) / 2
            guard entries[child].precedes(entries[parent]) else { return }
            entries.swapAt(child, parent)
            child = parent
        }
    }

    private mutating func siftDown(_ start: Int) {
        var parent = start
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2] where child < entries.count {
                if entries[child].precedes(entries[least]) { least = child }
            }
            guard least != parent else { return }
            entries.swapAt(least, parent)
            parent = least
        }
    }
}
