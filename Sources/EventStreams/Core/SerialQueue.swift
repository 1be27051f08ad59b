import Synchronization

/// Serialises concurrent and re-entrant events, first in, first out, without holding a lock while an event is handled.
///
/// The caller that finds the queue idle takes the *turn* (an atomic exchange) and handles its own event at once. All others,
/// on other threads or from within that event, enqueue and return; the holder handles their events before it ends the turn. So
/// nested events run as a loop instead of growing the stack, and at most one event is handled at a time. Taking the turn
/// acquires and ending it releases, so state that only handlers touch needs no lock.
///
/// An event is never lost: the turn ends only by a compare-and-exchange from `busy`, which fails if an event was queued
/// meanwhile.
@usableFromInline
struct SerialQueue<Event>: ~Copyable {
    /// `idle` implies an empty queue; `busy` becomes `busyWithEvents` when an event is queued.
    @usableFromInline let turn = Atomic<UInt8>(idle)
    @usableFromInline let waiting = Guarded<ContiguousArray<Event>>([])

    @inlinable static var idle: UInt8 { 0 }
    @inlinable static var busy: UInt8 { 1 }
    @inlinable static var busyWithEvents: UInt8 { 2 }
    /// Longer buffers are released after a burst.
    @inlinable static var keptCapacity: Int { 4_096 }

    @inlinable
    init() {}

    @inlinable
    borrowing func takeTurn() -> Bool {
        turn.compareExchange(expected: Self.idle, desired: Self.busy, ordering: .acquiring).exchanged
    }

    /// Ends the turn if the queue is empty; else the caller keeps it and must call `drainBatch`.
    @inlinable
    borrowing func passTurn() -> Bool {
        turn.compareExchange(expected: Self.busy, desired: Self.idle, ordering: .releasing).exchanged
    }

    /// Enqueues an event. True when this took the turn: the caller must call `drainBatch`.
    @inlinable
    borrowing func enqueue(_ event: Event) -> Bool {
        waiting.withLock {
            $0.append(event)
            return turn.exchange(Self.busyWithEvents, ordering: .acquiringAndReleasing) == Self.idle
        }
    }

    /// Handles the events queued so far. For the holder of the turn, who keeps it.
    /// - Parameter spare: the holder's empty buffer, swapped in to avoid allocation.
    @inlinable
    borrowing func drainBatch(_ spare: inout ContiguousArray<Event>, _ handle: (Event) -> Void) {
        var batch = ContiguousArray<Event>()
        swap(&batch, &spare)
        waiting.withLock {
            swap(&batch, &$0)
            turn.store(Self.busy, ordering: .relaxed)
        }
        for event in batch { handle(event) }
        // Outside the lock: an event may hold the last reference to a user's object.
        batch.removeAll(keepingCapacity: batch.capacity <= Self.keptCapacity)
        swap(&batch, &spare)
    }
}

/// Runs closures one after another; a nested one runs after the current one, as a loop.
struct Trampoline: ~Copyable {
    private let queue = SerialQueue<() -> Void>()

    borrowing func post(_ action: @escaping () -> Void) {
        guard queue.enqueue(action) else { return }
        var spare = ContiguousArray<() -> Void>()
        repeat { queue.drainBatch(&spare) { $0() } } while !queue.passTurn()
    }
}

// MARK: - Guarded

/// State under a lock. **Only the module's own bookkeeping runs inside `withLock`**: callbacks, user closures and last releases of user values
/// happen outside, since they could deadlock.
@usableFromInline
struct Guarded<State>: ~Copyable, Sendable {
    @usableFromInline let mutex: Mutex<Carried<State>>

    @inlinable
    init(_ initial: State) {
        mutex = Mutex(Carried(initial))
    }

    @inlinable
    borrowing func withLock<Result>(_ body: (inout State) throws -> Result) rethrows -> Result {
        try mutex.withLock { Carried(try body(&$0.value)) }.value
    }
}

/// Carries a value through a `Sendable` requirement.
@usableFromInline
struct Carried<Value>: @unchecked Sendable {  // a lock, an atomic or a scheduler admits one thread at a time to `value`
    @usableFromInline var value: Value

    @inlinable
    init(_ value: Value) {
        self.value = value
    }
}
