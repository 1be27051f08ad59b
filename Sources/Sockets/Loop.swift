import Dispatch
import Synchronization

/// One serial queue with everything that it owns: sockets and timers, and whatever its user confines to it.
///
/// A *tick* is one pass: descriptors that are ready are read, timers that are due go off, posted work runs; then handlers are told of
/// the connections that ended, and each connection that was written to is flushed with one system call. Everything of a loop is
/// touched on its queue alone.
///
/// A loop lives as long as somebody holds it, or a listener, a connection or an armed timer of its does; ``stop()`` ends all of them.
public final class Loop: @unchecked Sendable {  // changed on `queue` alone; `posted` is atomic, `poller` set once
    private struct Gate {
        let isOpen: () -> Bool
        let whenOpen: (_ release: @escaping () -> Void) -> Void
    }

    /// The queue that everything of this loop runs on.
    public let queue: DispatchQueue
    /// The clock that deadlines are on.
    public let clock: LoopClock
    /// Its place in its group; 0 for a loop of its own.
    public let index: Int

    // What each tick touches is not checked for exclusive access: all of it is on one queue, and nothing that is done to it calls out.
    @exclusivity(unchecked) var timers = TimerHeap()
    let readBuffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 * 1024, alignment: 16)
    /// Emptied buffers, for whichever connection sends next.
    @exclusivity(unchecked) var buffers = BufferPool()
    private(set) var poller: (any Poller)!
    private let identifiers: ConnectionIdentifiers
    private let timerSource: any DispatchSourceTimer
    private var timerSetTo: Int64?
    @exclusivity(unchecked) private var dirty: [Connection] = []
    @exclusivity(unchecked) private var flushing: [Connection] = []
    /// Connections that ended, whose handlers were not told yet.
    @exclusivity(unchecked) private var endings: [(connection: Connection, reason: EndReason)] = []
    /// Connections that were congested and are not any more, whose handlers were not told yet.
    @exclusivity(unchecked) private var drained: [Connection] = []
    @exclusivity(unchecked) private var gate: Gate?
    /// Ticks that wait for the gate.
    private var heldTicks = 0
    private var isInTick = false
    /// Whether the poller looks after the timers: the one source is not set meanwhile.
    private var isOnShift = false
    private let isPatient: Bool
    /// Work that is on the queue, or about to be, and has not begun.
    private let posted = Atomic<Int>(0)
    /// The latest that `now` may be: just before the earliest deadline. Written on the queue, read on any thread.
    private let ceiling = Atomic<Int64>(.max)
    /// Work for the next turn: what was read and is not handled.
    @exclusivity(unchecked) private var turns: [LoopTurn] = []
    /// Rounds of turns that a due timer waits for.
    private static let turnsBeforeTimers = 16
    /// The bytes that wait in all connections of the group, and those of this loop that have some.
    private(set) var backlog: OutboundBacklog!

    /// A loop of its own. Loops between which connections move are made together, by a ``LoopGroup``.
    /// - Parameter idleWait: for how long the loop stays on its thread to wait for what comes next, in milliseconds. A busy loop then
    ///   saves the way through Dispatch, which is half the cost of a short message; but what somebody puts on ``queue`` himself waits for
    ///   so long. 0, the usual, never waits.
    public convenience init(label: String, clock: LoopClock = LoopClock(), idleWait: Int64 = 0) {
        self.init(
            label: label, clock: clock, index: 0, identifiers: ConnectionIdentifiers(), budget: OutboundBudget(),
            kind: .preferred(idleWait: idleWait))
    }

    init(
        label: String, clock: LoopClock, index: Int, identifiers: ConnectionIdentifiers, budget: OutboundBudget, kind: PollerKind
    ) {
        self.clock = clock
        self.index = index
        isPatient = kind.isPatient
        self.identifiers = identifiers
        queue = DispatchQueue(label: label)
        timerSource = DispatchSource.makeTimerSource(flags: .strict, queue: queue)
        poller = kind.make(queue: queue, owner: self)
        timerSource.setEventHandler { [weak self] in self?.timersDue() }
        timerSource.schedule(deadline: .distantFuture)
        timerSource.resume()
        backlog = OutboundBacklog(budget, loop: self)
    }

    /// Milliseconds since 1970 on the loop's clock, but never past a deadline whose timer has not gone off: input that was ready before
    /// is handled before, also on a loop that was held up.
    public var now: Int64 { min(clock.now, ceiling.load(ordering: .relaxed)) }

    /// Runs work on the loop, as a tick of its own.
    public func perform(_ work: @escaping @Sendable () -> Void) {
        post { [self] in tick(work) }
    }

    /// Puts work on the queue. Whoever waits there makes room for it, and comes back behind it.
    private func post(_ work: @escaping @Sendable () -> Void) {
        posted.add(1, ordering: .sequentiallyConsistent)
        queue.async { [self] in
            posted.subtract(1, ordering: .sequentiallyConsistent)
            work()
            if isPatient { poller.serve() } else { takeTurns() }
        }
        poller.ring()
    }

    /// Runs work on the loop and waits for it. Not to be called on the loop itself.
    public func performAndWait<Result: Sendable>(_ work: @Sendable () throws -> Result) rethrows -> Result {
        dispatchPrecondition(condition: .notOnQueue(queue))
        posted.add(1, ordering: .sequentiallyConsistent)
        poller.ring()
        return try queue.sync {
            posted.subtract(1, ordering: .sequentiallyConsistent)
            return try ticking(work)
        }
    }

    /// Puts a gate before what a tick sends. While it is open, everything leaves at the tick's end; otherwise what was sent in that tick,
    /// and in the ticks after it, waits until the gate calls back, on the loop, in the order of the calls.
    public func gateFlushes(isOpen: @escaping () -> Bool, whenOpen: @escaping (_ release: @escaping () -> Void) -> Void) {
        gate = Gate(isOpen: isOpen, whenOpen: whenOpen)
    }

    /// A timer on this loop, disarmed.
    public func makeTimer(_ action: @escaping () -> Void) -> LoopTimer { LoopTimer(loop: self, action: action) }

    /// Ends the loop: nothing more is read, goes off or is told. What it watched is closed. Work that is posted still runs.
    public func stop() {
        post { [self] in
            finishTick()
            turns = []
            poller.cancel()
            timerSource.cancel()
            timers.close()
            ceiling.store(.max, ordering: .relaxed)
            gate = nil
        }
    }

    func makeConnectionIdentifier() -> UInt64 { identifiers.next() }

    func markDirty(_ connection: Connection) {
        dirty.append(connection)
        finishLater()
    }

    /// Has the handler told at the end of the tick. Never at once: a connection may end in the midst of what its own handler does, as
    /// when it sends too much, and the handler is not to be called from inside its own calls.
    func tellOfEnd(_ connection: Connection, _ reason: EndReason) {
        endings.append((connection, reason))
        finishLater()
    }

    /// Has the handler told at the end of the tick, for the same reason.
    func tellOfDrain(_ connection: Connection) {
        drained.append(connection)
        finishLater()
    }

    /// What comes from a block that somebody put on the queue himself is finished in a tick of its own.
    private func finishLater() {
        guard !isInTick, dirty.count + endings.count + drained.count == 1 else { return }
        post { [self] in finishTick() }
    }

    /// Notes a deadline that was set.
    func timerArmed(at deadline: Int64) {
        if !timers.isClosed, deadline <= ceiling.load(ordering: .relaxed) {
            let now = now
            ceiling.store(deadline > now ? deadline - 1 : now, ordering: .relaxed)
        }
        timersChanged()
    }

    /// Sets the one timer source to the earliest deadline.
    private func timersChanged() {
        guard !isOnShift, let next = timers.next(), timerSetTo.map({ next < $0 }) ?? true else { return }
        timerSetTo = next
        timerSource.schedule(deadline: clock.dispatchTime(of: next), leeway: .milliseconds(1))
    }

    private func timersDue() {
        timerSetTo = nil
        runTimers()
        timersChanged()
        takeTurns()
    }

    /// Reads what is ready before anything times out: after a stall, what was sent in time counts as in time.
    private func runTimers() {
        poller.deliverReady()
        for _ in 0..<Self.turnsBeforeTimers where !turns.isEmpty {
            runTurns()
            poller.deliverReady()
        }
        tick {
            let due = timers.due(at: clock.now)
            liftCeiling()
            for firing in due { firing.goOff() }
        }
    }

    private func liftCeiling() {
        // Never before a time that was handed out: every deadline up to the clock's has gone off, or is about to.
        ceiling.store(timers.next().map { $0 - 1 } ?? .max, ordering: .relaxed)
    }

    /// A piece of work that can be asked for again and again, each time for the next turn.
    public func makeTurn(_ action: @escaping () -> Void) -> LoopTurn { LoopTurn(loop: self, action: action) }

    func request(_ turn: LoopTurn) {
        turns.append(turn)
        // While the poller stays, it comes to the turns by itself.
        if turns.count == 1, !isOnShift { post {} }
    }

    private func runTurns() {
        var due: [LoopTurn] = []
        swap(&due, &turns)
        tick { for turn in due { turn.run() } }
    }

    /// One round of turns: what asks again is in the next one.
    private func takeTurns() {
        guard !turns.isEmpty else { return }
        runTurns()
    }

    private func ticking<Result>(_ work: () throws -> Result) rethrows -> Result {
        isInTick = true
        defer { finishTick() }
        return try work()
    }

    /// Tells who ended or drained, and sends what was written. Handlers may write in turn, and connections may end by being written to;
    /// it comes to an end because each connection ends once, and drains only after the kernel had refused to take more.
    private func finishTick() {
        isInTick = true
        defer { isInTick = false }
        while !dirty.isEmpty || !endings.isEmpty || !drained.isEmpty || backlog.needsRelief {
            if backlog.needsRelief { backlog.relieve() }
            if !endings.isEmpty {
                var told: [(connection: Connection, reason: EndReason)] = []
                swap(&told, &endings)
                for (connection, reason) in told { connection.tellOfEnd(reason) }
            }
            if !drained.isEmpty {
                var told: [Connection] = []
                swap(&told, &drained)
                for connection in told { connection.tellOfDrain() }
            }
            flush()
        }
    }

    private func flush() {
        guard !dirty.isEmpty else { return }
        swap(&dirty, &flushing)
        defer { flushing.removeAll(keepingCapacity: true) }
        guard let gate, heldTicks > 0 || !gate.isOpen() else {
            for connection in flushing { connection.flush(releasing: connection.takeUnflushed()) }
            return
        }
        let held = flushing.map { (connection: $0, count: $0.takeUnflushed()) }
        heldTicks += 1
        gate.whenOpen { [self] in
            heldTicks -= 1
            for (connection, count) in held { connection.flush(releasing: count) }
        }
    }

    deinit {
        poller.ring()
        timerSource.cancel()
        readBuffer.deallocate()
    }
}

extension Loop: PollerOwner {
    var hasWork: Bool { posted.load(ordering: .sequentiallyConsistent) > 0 }

    func tick(_ work: () -> Void) { ticking(work) }

    func beginShift(of length: Int64) -> Int64 {
        isOnShift = true
        return clock.now + length
    }

    func spareTime(until end: Int64) -> Int64? {
        if let next = timers.next(), next <= clock.now { runTimers() } else { liftCeiling() }
        takeTurns()
        let now = clock.now
        guard !hasWork, now < end else { return nil }
        return turns.isEmpty ? max(0, min(end, timers.next() ?? end) - now) : 0
    }

    func endShift() {
        isOnShift = false
        timersChanged()
        if !turns.isEmpty { post {} }
    }
}
