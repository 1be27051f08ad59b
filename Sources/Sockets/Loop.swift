import Dispatch
import Synchronization

#if canImport(Glibc)
    import CSystem
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// An event loop: one serial queue with its sockets, timers and posted work, all confined to it. A *tick* handles ready input,
/// a due timer or posted work; at its end handlers are notified of ended and drained connections, and each connection's bytes
/// leave with one system call.
///
/// Time: ``now`` never passes the deadline of a timer that has yet to fire. After a stall the poller delivers ready input
/// first, at a time before the deadline, so input that arrived in time counts as in time.
///
/// Other threads only post work (``perform(_:)``) or advance the barrier. The loop may be in one of two places when they do: idle in
/// Dispatch, where a block on the queue wakes it, or *on shift*, waiting in `epoll_wait` on its own thread, where the eventfd
/// wakes it. Both sides store their flag before they read the other's (`isOnShift`, `isHolding`, sequentially consistent), so
/// at least one of them sees the change and no wake-up is lost.
///
/// A listener, connection, armed timer or caller keeps the loop alive until ``stop()``.
public final class Loop: @unchecked Sendable {  // variables are atomic, or set in `init`, or used on `queue` alone
    private let executor: LoopExecutor
    /// The socket calls of this loop's connections.
    let sockets: any SocketSystem
    /// The clock that deadlines are on.
    public let clock: LoopClock
    /// Index in its group; 0 for a standalone loop.
    public let index: Int

    // No exclusive access checks on state of every tick: one queue, and no access spans a call to foreign code.
    @exclusivity(unchecked) var timers = ArmedTimers()
    let readBuffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 * 1024, alignment: 16)
    /// Empty buffers, reused by the next connection that sends.
    @exclusivity(unchecked) var buffers = BufferPool()
    private(set) var poller: (any Poller)!
    private let identifiers: ConnectionIdentifiers
    private var alarm: (any LoopAlarm)!
    private var timerSetTo: Int64?
    @exclusivity(unchecked) private var dirty: [Connection] = []
    @exclusivity(unchecked) private var flushing: [Connection] = []
    /// Connections that the barrier has released.
    @exclusivity(unchecked) private var releasing: [Connection] = []
    /// Connections that ended in this tick, before their handlers are notified.
    @exclusivity(unchecked) private var endings: [(connection: Connection, reason: EndReason)] = []
    /// Connections that were congested and have drained, before their handlers are notified.
    @exclusivity(unchecked) private var drained: [Connection] = []
    @exclusivity(unchecked) private var barrier: (any DurabilityBarrier)?
    /// Ticks that wait at the barrier.
    @exclusivity(unchecked) private var held = HeldTicks()
    /// Whether ticks wait for the barrier. Set on the queue, cleared by the thread that advances the barrier.
    private let isHolding = Atomic<Bool>(false)
    /// Work for other loops, run after this tick's records were handed over.
    @exclusivity(unchecked) private var handovers: [() -> Void] = []
    private var isInTick = false
    /// Whether the poller is on shift: it runs the timers and checks the barrier, and the timer source is disarmed. Written on the queue.
    private let isOnShift = Atomic<Bool>(false)
    private let hasShifts: Bool
    /// Posted work that has not begun.
    private let posted = Atomic<Int>(0)
    /// Upper bound of `now`: 1 ms before the earliest deadline. Written on the queue, read on any thread.
    private let ceiling = Atomic<Int64>(.max)
    /// Requested turns: input that was read but not handled.
    @exclusivity(unchecked) private var turns: [LoopTurn] = []
    /// Rounds of turns that run before a due timer.
    private static let turnsBeforeTimers = 16
    /// Queued outbound bytes of this loop's connections.
    let backlog = OutboundBacklog()

    /// Creates a standalone loop. To move connections between loops, create them as a ``group(count:label:clock:idleWait:)``.
    /// - Parameter idleWait: milliseconds for which the loop waits on its thread for more input; 0 never waits. Saves a Dispatch
    ///   wake-up, half the cost of a short message. Blocks put directly on ``queue`` can be delayed by as much.
    public convenience init(label: String, clock: LoopClock = LoopClock(), idleWait: Int64 = 0) {
        self.init(
            label: label, clock: clock, index: 0, identifiers: ConnectionIdentifiers(), kind: .preferred(idleWait: idleWait))
    }

    init(
        label: String, clock: LoopClock, index: Int, identifiers: ConnectionIdentifiers, kind: PollerKind,
        system: (any SimulatedSystem)? = nil
    ) {
        self.clock = clock
        self.index = index
        self.identifiers = identifiers
        if let system {
            executor = .simulated(system, loop: index)
            sockets = system.sockets
            hasShifts = false
            poller = system.makePoller(onLoop: index, owner: self)
        } else {
            let queue = DispatchQueue(label: label)
            executor = .queue(queue)
            sockets = KernelSockets.shared
            hasShifts = kind.hasShifts
            poller = kind.make(queue: queue, owner: self)
        }
        let fired: @Sendable () -> Void = { [weak self] in self?.timersDue() }
        alarm = system?.makeAlarm(onLoop: index, fired: fired) ?? DispatchAlarm(on: queue, fired: fired)
        executor.prepare(for: ObjectIdentifier(self))
    }

    /// The queue that everything of this loop runs on. A simulated loop has none.
    public var queue: DispatchQueue {
        guard case .queue(let queue) = executor else { preconditionFailure("a simulated loop has no queue") }
        return queue
    }

    /// Milliseconds since 1970, never past the deadline of a timer that has not fired: after a stall, input that was ready in
    /// time is handled at a time before the deadline.
    public var now: Int64 { min(clock.now, ceiling.load(ordering: .relaxed)) }

    /// ``now`` corrected to the wall clock, for people to read.
    public var wall: Int64 { now + clock.correction }

    /// Whether the caller runs on this loop.
    public var isCurrent: Bool { executor.isCurrent(ObjectIdentifier(self)) }

    /// Runs work on the loop as a tick of its own. Callable from any thread.
    public func perform(_ work: sending @escaping () -> Void) {
        let work = LoopConfined(sending: work, on: self)
        post { [self] in tick(work.value) }
    }

    /// Enqueues work. The poller leaves its wait for it and waits again afterwards.
    private func post(_ work: @escaping @Sendable () -> Void) {
        posted.add(1, ordering: .sequentiallyConsistent)
        executor.async { [self] in
            posted.subtract(1, ordering: .sequentiallyConsistent)
            work()
            if hasShifts { poller.serve() } else { takeTurns() }
        }
        poller.wake()
    }

    /// Runs work on the loop and waits for it. Must not be called on the loop itself.
    public func performAndWait<Result: Sendable, Failure: Error>(
        _ work: @Sendable () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        posted.add(1, ordering: .sequentiallyConsistent)
        poller.wake()
        return try executor.sync { () throws(Failure) in
            posted.subtract(1, ordering: .sequentiallyConsistent)
            isInTick = true
            defer { finishTick() }
            return try work()
        }
    }

    /// Installs a barrier for outbound bytes, which wait, in order, until the barrier has reached their tick's position.
    public func install(_ barrier: any DurabilityBarrier) { self.barrier = barrier }

    /// Whether there is no barrier, or it has reached a position.
    var isBarrierOpen: Bool { barrier.map { $0.position > 0 } ?? true }

    /// Releases the ticks that the barrier has reached. Callable from any thread, after ``DurabilityBarrier/position`` has grown.
    public func barrierAdvanced() {
        guard isHolding.exchange(false, ordering: .sequentiallyConsistent) else { return }
        // A block on the queue would end the shift and wake a second thread of Dispatch: 1.4 µs per action at 100 tables.
        if isOnShift.load(ordering: .sequentiallyConsistent) { poller.wake() } else { post { [self] in releaseMoved() } }
    }

    /// Runs work at the end of the tick, after the barrier has taken its records: for work that reaches another loop. At once
    /// outside a tick.
    public func afterTick(_ work: @escaping () -> Void) {
        if isInTick { handovers.append(work) } else { work() }
    }

    /// Creates a disarmed timer on this loop.
    public func makeTimer(_ action: @escaping () -> Void) -> LoopTimer { LoopTimer(loop: self, action: action) }

    /// Stops reading, timers and notifications, and closes all descriptors. Work that is already posted still runs.
    public func stop() {
        post { [self] in
            finishTick()
            turns = []
            poller.cancel()
            alarm.cancel()
            timers.close()
            ceiling.store(.max, ordering: .relaxed)
            barrier = nil
            held.abandon()
        }
    }

    func makeConnectionIdentifier() -> UInt64 { identifiers.next() }

    func markDirty(_ connection: Connection) {
        dirty.append(connection)
        finishLater()
    }

    /// Schedules the end notification for the end of the tick. Never immediate: a connection can end inside a call by its own
    /// handler, and handlers are not re-entered.
    func notifyEndLater(_ connection: Connection, _ reason: EndReason) {
        endings.append((connection, reason))
        finishLater()
    }

    /// Schedules the drain notification for the end of the tick.
    func notifyDrainLater(_ connection: Connection) {
        drained.append(connection)
        finishLater()
    }

    /// Outside a tick (a block put directly on the queue), finishes in a tick of its own.
    private func finishLater() {
        guard !isInTick, dirty.count + endings.count + drained.count == 1 else { return }
        post { [self] in finishTick() }
    }

    /// Lowers `ceiling` and the timer source for a new deadline.
    func timerArmed(at deadline: Int64) {
        if !timers.isClosed, deadline <= ceiling.load(ordering: .relaxed) {
            let now = now
            ceiling.store(deadline > now ? deadline - 1 : now, ordering: .relaxed)
        }
        timersChanged()
    }

    /// Sets the timer source to the earliest deadline.
    private func timersChanged() {
        guard !isOnShift.load(ordering: .relaxed), let next = timers.next(), timerSetTo.map({ next < $0 }) ?? true else { return }
        timerSetTo = next
        alarm.set(at: next, on: clock)
    }

    private func timersDue() {
        timerSetTo = nil
        runTimers()
        timersChanged()
        takeTurns()
    }

    /// Reads ready input before firing timers: after a stall, input that arrived in time counts as in time.
    private func runTimers() {
        poller.deliverReady()
        for _ in 0..<Self.turnsBeforeTimers where !turns.isEmpty {
            runTurns()
            poller.deliverReady()
        }
        tick {
            let due = timers.due(at: clock.now)
            liftCeiling()
            for firing in due { firing.fire() }
        }
    }

    private func liftCeiling() {
        // Never lowers `now`: all deadlines up to the clock's time have fired or are about to.
        ceiling.store(timers.next().map { $0 - 1 } ?? .max, ordering: .relaxed)
    }

    /// Creates a reusable unit of work; each request runs it once, in the next turn.
    public func makeTurn(_ action: @escaping () -> Void) -> LoopTurn { LoopTurn(loop: self, action: action) }

    func request(_ turn: LoopTurn) {
        turns.append(turn)
        // During a shift the poller runs the turns itself.
        if turns.count == 1, !isOnShift.load(ordering: .relaxed) { post {} }
    }

    private func runTurns() {
        var due: [LoopTurn] = []
        swap(&due, &turns)
        tick { for turn in due { turn.run() } }
    }

    /// Runs one round of turns; requests made meanwhile wait for the next round.
    private func takeTurns() {
        guard !turns.isEmpty else { return }
        runTurns()
    }

    /// Notifies handlers and flushes until nothing is left. Terminates: a connection ends once, and drains only after the kernel
    /// refused bytes.
    private func finishTick() {
        isInTick = true
        defer { isInTick = false }
        repeat {
            if backlog.needsRelief { backlog.relieve() }
            if !endings.isEmpty {
                var batch: [(connection: Connection, reason: EndReason)] = []
                swap(&batch, &endings)
                for (connection, reason) in batch { connection.notifyEnd(reason) }
            }
            if !drained.isEmpty {
                var batch: [Connection] = []
                swap(&batch, &drained)
                for connection in batch { connection.notifyDrain() }
            }
            let end = barrier?.endTick()
            if !handovers.isEmpty {
                var batch: [() -> Void] = []
                swap(&batch, &handovers)
                for work in batch { work() }
            }
            flush(end)
        } while !dirty.isEmpty || !endings.isEmpty || !drained.isEmpty || backlog.needsRelief || !handovers.isEmpty
    }

    private func flush(_ end: TickEnd?) {
        guard !dirty.isEmpty || end?.isAwaited == true else { return }
        swap(&dirty, &flushing)
        defer { flushing.removeAll(keepingCapacity: true) }
        guard let barrier, let end, !held.isEmpty || barrier.position < end.position else {
            for connection in flushing { connection.flush(releasing: connection.takeUnflushed()) }
            if let end, end.isAwaited { barrier?.released(upTo: end.position) }
            return
        }
        held.append(flushing, until: end.position)
        flushing.removeAll(keepingCapacity: true)
        releaseHeld()
    }

    /// Sends the bytes that the barrier has released, with one call per connection.
    private func releaseHeld() {
        while let barrier, !held.isEmpty {
            if let reached = held.release(upTo: barrier.position, into: &releasing) {
                for connection in releasing { connection.flushReleased() }
                releasing.removeAll(keepingCapacity: true)
                barrier.released(upTo: reached)
            } else {
                // Stored before the position is read again: either this loop or the barrier's thread sees the other's change.
                isHolding.store(true, ordering: .sequentiallyConsistent)
                guard held.isReleasable(at: barrier.position) else { return }
            }
        }
        // Nothing waits: the barrier's next advance need not wake the loop.
        isHolding.store(false, ordering: .relaxed)
    }

    /// Whether the barrier has advanced since ticks were last released.
    private var hasBarrierAdvanced: Bool { !held.isEmpty && !isHolding.load(ordering: .sequentiallyConsistent) }

    private func releaseMoved() {
        if hasBarrierAdvanced { tick { releaseHeld() } }
    }

    deinit {
        poller.wake()
        alarm.cancel()
        readBuffer.deallocate()
    }
}

extension Loop: PollerOwner {
    package var hasWork: Bool { hasPosted || hasBarrierAdvanced }

    private var hasPosted: Bool { posted.load(ordering: .sequentiallyConsistent) > 0 }

    package func tick(_ work: () -> Void) {
        isInTick = true
        work()
        finishTick()
    }

    package func beginShift(of length: Int64) -> Int64 {
        isOnShift.store(true, ordering: .relaxed)
        return clock.now + length
    }

    package func idleTime(until end: Int64) -> Int64? {
        releaseMoved()
        if let next = timers.next(), next <= clock.now { runTimers() } else { liftCeiling() }
        takeTurns()
        let now = clock.now
        guard !hasPosted, now < end else { return nil }
        return turns.isEmpty ? max(0, min(end, timers.next() ?? end) - now) : 0
    }

    package func endShift() {
        // Stored before the barrier is checked: either this loop or the barrier's thread sees the other's change.
        isOnShift.store(false, ordering: .sequentiallyConsistent)
        releaseMoved()
        timersChanged()
        if !turns.isEmpty { post {} }
    }
}

/// A handle to state that is confined to a loop. Any thread may hold it; only the loop may use the state.
///
/// Debug builds check every use with ``Loop/isCurrent``; release builds pay for nothing but the reference.
public struct LoopConfined<State>: @unchecked Sendable {  // `value` is the only access to `state`, and it is on `loop` alone
    /// The loop that owns the state.
    public let loop: Loop
    private let state: State

    /// Makes a handle to state of the current loop.
    public init(_ state: State, on loop: Loop) {
        assert(loop.isCurrent, "a loop's state is made on the loop, or sent to it")
        self.loop = loop
        self.state = state
    }

    /// Transfers state without other references to a loop.
    public init(sending state: sending State, on loop: Loop) {
        self.loop = loop
        self.state = state
    }

    /// The state. On the loop only.
    public var value: State {
        assert(loop.isCurrent, "a loop's state is used on the loop")
        return state
    }

    /// Runs work with the state, on the loop, as a tick of its own. Callable from any thread.
    public func perform(_ work: @escaping @Sendable (State) -> Void) { loop.perform { work(value) } }

    /// Runs work with the state, on the loop, and waits for it. Must not be called on the loop itself.
    public func performAndWait<Result: Sendable, Failure: Error>(
        _ work: @Sendable (State) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try loop.performAndWait { () throws(Failure) in try work(value) }
    }
}

/// Runs a loop's work: one serial Dispatch queue, or the scheduler of a simulation.
enum LoopExecutor {
    case queue(DispatchQueue)
    case simulated(any SimulatedSystem, loop: Int)

    private static let current = DispatchSpecificKey<ObjectIdentifier>()

    /// - Parameter loop: identifies the loop whose work this executor runs.
    func prepare(for loop: ObjectIdentifier) {
        if case .queue(let queue) = self { queue.setSpecific(key: Self.current, value: loop) }
    }

    func isCurrent(_ loop: ObjectIdentifier) -> Bool {
        switch self {
        case .queue: DispatchQueue.getSpecific(key: Self.current) == loop
        case .simulated(let system, let index): system.currentLoop == index
        }
    }

    func async(_ work: @escaping @Sendable () -> Void) {
        switch self {
        case .queue(let queue): queue.async(execute: work)
        case .simulated(let system, let index): system.enqueue(onLoop: index, work)
        }
    }

    /// Runs work on the loop and waits for it.
    func sync<Result, Failure: Error>(_ work: () throws(Failure) -> Result) throws(Failure) -> Result {
        // Neither Dispatch nor `withoutActuallyEscaping` has typed throws.
        switch self {
        case .queue(let queue):
            dispatchPrecondition(condition: .notOnQueue(queue))
            return try queue.sync { Swift.Result(catching: work) }.get()
        case .simulated(let system, let index):
            system.runNow(onLoop: index) {}
            return try withoutActuallyEscaping(work) { work in
                var result: Swift.Result<Result, Failure>?
                system.runNow(onLoop: index) { result = Swift.Result(catching: work) }
                guard let result else { preconditionFailure("a simulated system runs the work before it returns") }
                return result
            }.get()
        }
    }
}

/// Wakes a loop at the earliest deadline of its timers.
package protocol LoopAlarm {
    /// Replaces an earlier setting.
    /// - Parameter time: milliseconds on the clock.
    func set(at time: Int64, on clock: LoopClock)
    func cancel()
}

private struct DispatchAlarm: LoopAlarm {
    private let source: any DispatchSourceTimer

    /// - Parameter fired: called on the queue.
    init(on queue: DispatchQueue, fired: @escaping @Sendable () -> Void) {
        source = DispatchSource.makeTimerSource(flags: .strict, queue: queue)
        source.setEventHandler(handler: fired)
        source.schedule(deadline: .distantFuture)
        source.resume()
    }

    func set(at time: Int64, on clock: LoopClock) {
        source.schedule(deadline: clock.dispatchTime(of: time), leeway: .milliseconds(1))
    }

    func cancel() { source.cancel() }
}

// MARK: - Several loops

extension Loop {
    /// Loops that share one clock. Connections can move between them; identifiers are unique within the group.
    /// - Parameters:
    ///   - label: prefix of the queue labels, followed by the index.
    ///   - idleWait: see ``Loop/init(label:clock:idleWait:)``.
    public static func group(
        count: Int, label: String = "loop", clock: LoopClock = LoopClock(), idleWait: Int64 = 0
    ) -> [Loop] {
        group(count: count, label: label, clock: clock, kind: .preferred(idleWait: idleWait))
    }

    /// Loops of a simulated system, whose clock is not before a time.
    package static func group(count: Int, on system: any SimulatedSystem, notBefore earliest: Int64 = 0) -> [Loop] {
        let clock = LoopClock(on: system, notBefore: earliest)
        return group(count: count, label: "simulated", clock: clock, kind: .preferred(idleWait: 0), system: system)
    }

    static func group(
        count: Int, label: String, clock: LoopClock = LoopClock(), kind: PollerKind, system: (any SimulatedSystem)? = nil
    ) -> [Loop] {
        let identifiers = ConnectionIdentifiers()
        return (0..<count).map {
            Loop(label: "\(label).\($0)", clock: clock, index: $0, identifiers: identifiers, kind: kind, system: system)
        }
    }

    /// Bounds the bytes queued for all peers of the loop. Beyond the bound, connections with the most queued bytes are cut off.
    public func limitOutbound(to bytes: Int) { backlog.setLimit(bytes) }

    /// The bytes queued for all peers. Callable from any thread.
    public var outboundBytes: Int { backlog.used }

    /// The number of processors available to this process.
    public static var processors: Int {
        #if canImport(Glibc)
            max(1, Int(bj_processors()))
        #else
            max(1, sysconf(_SC_NPROCESSORS_ONLN))
        #endif
    }
}

/// Numbers the connections of a group: 1, 2, 3, … in order of creation.
final class ConnectionIdentifiers: Sendable {
    private let last = Atomic<UInt64>(0)

    func next() -> UInt64 { last.wrappingAdd(1, ordering: .relaxed).newValue }
}

/// Runs long work off the loops, one piece at a time: on a serial queue of its own, or in a simulated system.
package struct BackgroundQueue: Sendable {
    /// nil in a simulated system.
    private let queue: DispatchQueue?
    /// The clock of delays.
    package let clock: LoopClock
    private let system: (any SimulatedSystem)?

    /// - Parameter system: nil for a queue.
    package init(label: String, qos: DispatchQoS = .unspecified, on system: (any SimulatedSystem)? = nil) {
        queue = system == nil ? DispatchQueue(label: label, qos: qos) : nil
        clock = LoopClock(on: system)
        self.system = system
    }

    /// Milliseconds since 1970 on the system's clock, which may jump.
    package var wallClock: Int64 { LoopClock(on: system).now }

    package func async(_ work: @escaping @Sendable () -> Void) {
        queue?.async(execute: work)
        system?.enqueue(onLoop: -1, work)
    }

    package func async(afterMilliseconds delay: Int64, _ work: @escaping @Sendable () -> Void) {
        queue?.asyncAfter(deadline: .now() + .milliseconds(Int(delay)), execute: work)
        system?.enqueue(after: delay, work)
    }

    /// Runs work after a pause as long as the time since `start`, which leaves half a core to others. A millisecond in a simulated system.
    package func async(pausingAsLongAsSince start: DispatchTime, _ work: @escaping @Sendable () -> Void) {
        let end = DispatchTime.now()
        let pause = Int(clamping: end.uptimeNanoseconds &- start.uptimeNanoseconds)
        queue?.asyncAfter(deadline: end + .nanoseconds(pause), execute: work)
        system?.enqueue(after: 1, work)
    }

    /// Returns once running work has ended.
    package func wait() {
        queue?.sync {}
    }
}
