import Synchronization

/// Makes concurrent and re-entrant events serial and first-in, first-out, without a lock held while one is handled.
///
/// A caller that finds the mailbox idle takes the *turn* and handles its event on the spot. One that finds it busy, on
/// another thread or from within the turn, leaves the event; the holder of the turn handles it next. So no event waits on a
/// lock for another, a callback may do anything, and a million nested posts are a loop and not a million stack frames.
///
/// State that only event handlers touch needs no lock of its own: the turn is passed on with acquire and release.
@usableFromInline
struct Mailbox<Mail>: ~Copyable {
    /// `idle` implies that nothing waits. `busy` turns into `busyWithMail` when something does.
    @usableFromInline let turn = Atomic<UInt8>(idle)
    @usableFromInline let waiting = Guarded<ContiguousArray<Mail>>([])

    @inlinable static var idle: UInt8 { 0 }
    @inlinable static var busy: UInt8 { 1 }
    @inlinable static var busyWithMail: UInt8 { 2 }
    /// Buffers longer than this are given back after a burst.
    @inlinable static var keptCapacity: Int { 4_096 }

    @inlinable
    init() {}

    @inlinable
    borrowing func takeTurn() -> Bool {
        turn.compareExchange(expected: Self.idle, desired: Self.busy, ordering: .acquiring).exchanged
    }

    /// Ends the turn unless mail has come; then the caller keeps it and must `drainBatch`.
    @inlinable
    borrowing func passTurn() -> Bool {
        turn.compareExchange(expected: Self.busy, desired: Self.idle, ordering: .releasing).exchanged
    }

    /// Queues an event. True when the caller has got the turn by this and must `drainBatch`.
    @inlinable
    borrowing func leave(_ mail: Mail) -> Bool {
        waiting.withLock {
            $0.append(mail)
            return turn.exchange(Self.busyWithMail, ordering: .acquiringAndReleasing) == Self.idle
        }
    }

    /// Handles what waits at this moment. For the holder of the turn, who keeps it.
    /// - Parameter spare: the holder's empty buffer, swapped in so that a busy mailbox does not allocate.
    @inlinable
    borrowing func drainBatch(_ spare: inout ContiguousArray<Mail>, _ handle: (Mail) -> Void) {
        var batch = ContiguousArray<Mail>()
        swap(&batch, &spare)
        waiting.withLock {
            swap(&batch, &$0)
            turn.store(Self.busy, ordering: .relaxed)
        }
        for mail in batch { handle(mail) }
        // Emptied outside the lock: the mail may hold the last reference to a user's object.
        batch.removeAll(keepingCapacity: batch.capacity <= Self.keptCapacity)
        swap(&batch, &spare)
    }
}

/// Runs closures one after the other; one that is posted from within another runs after it, as a loop.
struct Trampoline: ~Copyable {
    private let mailbox = Mailbox<() -> Void>()

    borrowing func post(_ action: @escaping () -> Void) {
        guard mailbox.leave(action) else { return }
        var spare = ContiguousArray<() -> Void>()
        repeat { mailbox.drainBatch(&spare) { $0() } } while !mailbox.passTurn()
    }
}
