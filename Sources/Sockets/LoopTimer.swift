import Dispatch

#if os(Linux)
    import CSystem
#endif

/// One deadline on a loop, confined to the loop's queue. Arming and disarming allocate nothing. An armed timer keeps its loop
/// alive, and the loop keeps the timer.
public final class LoopTimer {
    private let loop: Loop
    private let action: () -> Void
    /// Incremented by each arming; identifies stale ones.
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

/// The armed timers of a loop, ordered by deadline, then by arming. Stale armings are dropped when they come first, or by a sweep when they
/// outnumber live ones.
struct ArmedTimers {
    /// A timer that is due. Timers that fire before it can still disarm or re-arm it.
    struct Arming {
        fileprivate let timer: LoopTimer
        fileprivate let number: UInt64
        fileprivate var isLive: Bool { timer.arming == number }

        func fire() {
            if isLive { timer.fire() }
        }
    }

    private var agenda = Agenda<Arming>()
    private var pushesUntilSweep = 64
    private(set) var isClosed = false

    /// Drops every timer and ignores later arming: those timers would never fire, and each would keep its loop alive.
    mutating func close() {
        isClosed = true
        agenda = Agenda()
    }

    mutating func push(_ timer: LoopTimer, at deadline: Int64) {
        guard !isClosed else { return }
        pushesUntilSweep -= 1
        if pushesUntilSweep == 0 {
            agenda.removeAll { !$0.isLive }
            pushesUntilSweep = max(64, agenda.count)
        }
        agenda.add(Arming(timer: timer, number: timer.arming), at: deadline)
    }

    /// The earliest deadline, in milliseconds.
    mutating func next() -> Int64? {
        while let first = agenda.first, !first.task.isLive { _ = agenda.take(until: first.time) }
        return agenda.next
    }

    /// Removes due timers. A timer armed by one of them waits for the next call, so that an action cannot hold the loop forever.
    mutating func due(at now: Int64) -> [Arming] {
        var due: [Arming] = []
        while next() != nil, let (_, arming) = agenda.take(until: now) { due.append(arming) }
        return due
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
