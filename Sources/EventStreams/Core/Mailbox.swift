import Synchronization

/// Makes concurrent and re-entrant events serial and first-in, first-out, without a lock held while one is handled.
///
/// Whoever finds the mailbox idle takes the *turn* and handles its event on the spot. Whoever finds it busy, another
/// thread or a callback made from within the turn, leaves the event and goes away; the holder of the turn handles it
/// next. So no event ever waits on a lock for another, a callback may do whatever it likes, and a million nested posts
/// are a loop and not a million stack frames.
///
/// State that only event handlers touch needs no lock of its own: the turn is passed on with acquire and release.
@usableFromInline
struct Mailbox<Mail>: ~Copyable {
    @usableFromInline
    struct Waiting {
        @usableFromInline var mail: ContiguousArray<Mail> = []
        /// The other of two buffers that are swapped, so that a busy mailbox does not allocate.
        @usableFromInline var spare: ContiguousArray<Mail> = []

        @inlinable
        init() {}
    }

    /// `idle` implies that nothing waits. `busy` turns into `busyWithMail` when something does.
    @usableFromInline let turn = Atomic<UInt8>(idle)
    @usableFromInline let waiting = Guarded(Waiting())

    @inlinable static var idle: UInt8 { 0 }
    @inlinable static var busy: UInt8 { 1 }
    @inlinable static var busyWithMail: UInt8 { 2 }
    /// Buffers longer than this are given back after a burst.
    @inlinable static var keptCapacity: Int { 4_096 }

    @inlinable
    init() {}

    /// Handles the event now if the mailbox is idle, otherwise leaves it for the holder of the turn.
    @inlinable
    borrowing func post(_ mail: Mail, handle: (Mail) -> Void) {
        if takeTurn() {
            handle(mail)
            if !passTurn() { drain(handle) }
        } else if leave(mail) {
            drain(handle)
        }
    }

    @inlinable
    borrowing func takeTurn() -> Bool {
        turn.compareExchange(expected: Self.idle, desired: Self.busy, ordering: .acquiring).exchanged
    }

    /// Ends the turn unless mail has come; then the caller must `drain`.
    @inlinable
    borrowing func passTurn() -> Bool {
        turn.compareExchange(expected: Self.busy, desired: Self.idle, ordering: .releasing).exchanged
    }

    /// Leaves an event in its place. True when the caller has got the turn by this and must see to it that `drain` runs.
    @inlinable
    borrowing func leave(_ mail: Mail) -> Bool {
        waiting.withLock {
            $0.mail.append(mail)
            return turn.exchange(Self.busyWithMail, ordering: .acquiringAndReleasing) == Self.idle
        }
    }

    /// Handles what waits until nothing does. Only for the holder of the turn.
    @inlinable
    borrowing func drain(_ handle: (Mail) -> Void) {
        while drainBatch(handle) {}
    }

    /// Handles what waits at this moment and says whether more has come since. Only for the holder of the turn, who keeps
    /// it on true and has lost it on false.
    @inlinable
    borrowing func drainBatch(_ handle: (Mail) -> Void) -> Bool {
        var batch = takeBatch()
        for mail in batch { handle(mail) }
        // Emptied here and not under the lock: the mail may hold the last reference to somebody's object.
        batch.removeAll(keepingCapacity: batch.capacity <= Self.keptCapacity)
        return waiting.withLock {
            $0.spare = batch
            guard $0.mail.isEmpty else { return true }
            turn.store(Self.idle, ordering: .releasing)
            return false
        }
    }

    @inlinable
    borrowing func takeBatch() -> ContiguousArray<Mail> {
        waiting.withLock {
            var batch = ContiguousArray<Mail>()
            swap(&batch, &$0.mail)
            swap(&$0.mail, &$0.spare)
            return batch
        }
    }
}
