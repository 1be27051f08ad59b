import Dispatch

#if os(Linux)
    import CSystem
#endif

/// One deadline on a loop, confined to the loop's queue. Arming and disarming allocate nothing. An armed timer keeps its loop
/// alive, and the loop keeps the timer.
public final class LoopTimer {
    private let loop: Loop
    private let action: () -> Void
    /// Incremented by each arming; identifies stale heap entries.
    fileprivate(set) var arming: UInt64 = 0
    /// Milliseconds on the loop's clock; nil while disarmed.
    public private(set) var deadline: Int64?

    init(loop: Loop, action: @escaping () -> Void) {
        self.loop = loop
        self.action = action
    }

    /// Sets the deadline, in milliseconds, replacing an earlier one. A past deadline fires at the next tick, never inside this
    /// call.
    public func arm(at time: Int64) {
        guard deadline != time else { return }
        deadline = time
        arming &+= 1
        loop.timers.push(self, at: time)
        loop.timerArmed(at: time)
    }

    /// Cancels the deadline.
    public func disarm() {
        deadline = nil
        arming &+= 1
    }

    fileprivate func fire() {
        disarm()
        action()
    }
}

/// Work for a loop's next turn: after ready input was read, before timers fire. Confined to the loop's queue; a request allocates
/// nothing.
public final class LoopTurn {
    private weak var loop: Loop?
    private let action: () -> Void
    private var isRequested = false

    init(loop: Loop, action: @escaping () -> Void) {
        self.loop = loop
        self.action = action
    }

    /// Runs the work once in the next turn.
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

/// The armed timers of a loop, earliest first. Stale entries are dropped when they reach the top, or by a sweep when they
/// outnumber live ones.
struct TimerHeap {
    /// A due timer. Timers that fire before it can still disarm or re-arm it.
    struct Firing {
        fileprivate let timer: LoopTimer
        fileprivate let arming: UInt64

        func fire() {
            if timer.arming == arming { timer.fire() }
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

    /// Drops every timer and ignores later arming: those timers would never fire, and each would keep its loop alive.
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

    /// The earliest deadline, in milliseconds.
    mutating func next() -> Int64? {
        while let first = entries.first, !first.isLive { removeFirst() }
        return entries.first?.deadline
    }

    /// Removes due timers, ordered by deadline, then by arming. A timer armed by one of them waits for the next call, so that an
    /// action cannot hold the loop forever.
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

/// One deadline on a loop, to the microsecond. On Linux a descriptor in the epoll set: a thread that sleeps until then costs a load generator
/// 12 % more processor time per action. Elsewhere a strict Dispatch timer. Confined to the loop.
public final class PreciseTimer {
    private let loop: Loop
    private let action: () -> Void
    #if os(Linux)
        private let descriptor: Int32
        private var token: PollToken?
    #else
        private var source: (any DispatchSourceTimer)?
    #endif

    /// A timer that is not armed. It keeps its loop alive, and the loop keeps it, until ``cancel()`` or ``Loop/stop()``.
    /// - Precondition: a descriptor is left.
    public init(on loop: Loop, action: @escaping () -> Void) {
        self.loop = loop
        self.action = action
        #if os(Linux)
            descriptor = bj_timerfd()
            token = loop.poller.add(descriptor, .reading, self)
            precondition(descriptor >= 0 && token != nil, "no descriptor left for a timer")
        #else
            let source = DispatchSource.makeTimerSource(flags: .strict, queue: loop.queue)
            source.setEventHandler { [self] in loop.tick(action) }
            source.schedule(deadline: .distantFuture)
            source.resume()
            self.source = source
        #endif
    }

    /// Sets the deadline, replacing an earlier one. A past one fires at once, never inside this call.
    /// - Parameter nanoseconds: of `DispatchTime.uptimeNanoseconds`.
    public func arm(at nanoseconds: UInt64) {
        #if os(Linux)
            guard token != nil else { return }
            _ = bj_timerfd_set(descriptor, nanoseconds)
        #else
            source?.schedule(deadline: DispatchTime(uptimeNanoseconds: nanoseconds), leeway: .nanoseconds(0))
        #endif
    }

    /// Ends the timer; it fires no more.
    public func cancel() {
        #if os(Linux)
            guard let token else { return }
            self.token = nil
            loop.poller.removeAndClose(token)
        #else
            source?.cancel()
            source = nil
        #endif
    }
}

#if os(Linux)
    extension PreciseTimer: PollTarget {
        package func ready(_ readiness: Readiness) {
            // False if it was armed again since the event.
            if bj_timerfd_take(descriptor) { action() }
        }

        package func loopStopped() { token = nil }
    }
#endif
