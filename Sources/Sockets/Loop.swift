import Dispatch

/// One serial queue with everything that it owns: sockets and timers, and whatever its user confines to it.
///
/// A *tick* is one pass: descriptors that are ready are read, timers that are due go off, posted work runs; then each connection
/// that was written to is flushed with one system call. Everything of a loop is touched on its queue alone.
public final class Loop: @unchecked Sendable {  // every stored variable is touched on `queue` alone
    private struct Gate {
        let isOpen: () -> Bool
        let whenOpen: (_ release: @escaping () -> Void) -> Void
    }

    /// The queue that everything of this loop runs on.
    public let queue: DispatchQueue
    /// The clock that deadlines are on.
    public let clock: LoopClock

    var timers = TimerHeap()
    let readBuffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 * 1024, alignment: 16)
    private(set) var poller: Poller!
    private let timerSource: any DispatchSourceTimer
    private var timerSetTo: Int64?
    private var dirty: [Connection] = []
    private var flushing: [Connection] = []
    private var gate: Gate?
    /// Ticks that wait for the gate.
    private var heldTicks = 0
    private var isInTick = false
    private var nextConnection: UInt64 = 1

    public init(label: String, clock: LoopClock = LoopClock()) {
        self.clock = clock
        queue = DispatchQueue(label: label)
        timerSource = DispatchSource.makeTimerSource(flags: .strict, queue: queue)
        poller = Poller(
            queue: queue, beforeBatch: { [unowned self] in isInTick = true }, afterBatch: { [unowned self] in finishTick() })
        timerSource.setEventHandler { [unowned self] in timersDue() }
        timerSource.schedule(deadline: .distantFuture)
        timerSource.resume()
    }

    /// Milliseconds since 1970 on the loop's clock.
    public var now: Int64 { clock.now }

    /// Runs work on the loop, as a tick of its own.
    public func perform(_ work: @escaping @Sendable () -> Void) {
        queue.async { [self] in
            isInTick = true
            work()
            finishTick()
        }
    }

    /// Runs work on the loop and waits for it. Not to be called on the loop itself.
    public func performAndWait<Result: Sendable>(_ work: @Sendable () throws -> Result) rethrows -> Result {
        dispatchPrecondition(condition: .notOnQueue(queue))
        return try queue.sync {
            isInTick = true
            defer { finishTick() }
            return try work()
        }
    }

    /// Puts a gate before what a tick sends. While it is open, everything leaves at the tick's end; otherwise what was sent in that tick,
    /// and in the ticks after it, waits until the gate calls back, on the loop, in the order of the calls.
    public func gateFlushes(isOpen: @escaping () -> Bool, whenOpen: @escaping (_ release: @escaping () -> Void) -> Void) {
        gate = Gate(isOpen: isOpen, whenOpen: whenOpen)
    }

    /// A timer on this loop, disarmed.
    public func makeTimer(_ action: @escaping () -> Void) -> LoopTimer { LoopTimer(loop: self, action: action) }

    /// Ends the loop: nothing more is read or goes off. What it watched is closed.
    public func stop() {
        queue.async { [self] in
            finishTick()
            poller.cancel()
            timerSource.cancel()
            gate = nil
        }
    }

    func makeConnectionIdentifier() -> UInt64 {
        defer { nextConnection += 1 }
        return nextConnection
    }

    func markDirty(_ connection: Connection) {
        // What is sent from a block that somebody put on the queue himself leaves in a tick of its own.
        if dirty.isEmpty && !isInTick { queue.async { [self] in finishTick() } }
        dirty.append(connection)
    }

    /// Sets the one timer source to the earliest deadline.
    func timersChanged() {
        guard let next = timers.next(), timerSetTo.map({ next < $0 }) ?? true else { return }
        timerSetTo = next
        timerSource.schedule(deadline: clock.dispatchTime(of: next), leeway: .milliseconds(1))
    }

    private func timersDue() {
        timerSetTo = nil
        isInTick = true
        for action in timers.due(at: now) { action() }
        finishTick()
        timersChanged()
    }

    private func finishTick() {
        isInTick = false
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

    deinit { readBuffer.deallocate() }
}
