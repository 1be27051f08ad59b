import Synchronization

/// One subscriber of a subject.
@usableFromInline
final class Conduit<Output, Failure: Error>: Subscription {
    private enum Phase {
        /// The subscriber does not have the subscription yet: it gets no completion, and no value for want of demand.
        static var opening: UInt8 { 0 }
        static var open: UInt8 { 1 }
        /// Completed while opening; the completion follows the subscription.
        static var ending: UInt8 { 2 }
        static var closed: UInt8 { 3 }
    }

    @usableFromInline let onValue: (Output) -> Subscribers.Demand
    @usableFromInline let onCompletion: (Subscribers.Completion<Failure>) -> Void
    @usableFromInline let ledger = DemandLedger()
    /// Whether the subscriber takes values that it did not ask for.
    @usableFromInline let isUnmetered: Bool
    @usableFromInline let broadcast: Broadcast<Output, Failure>
    @usableFromInline let phase = Atomic<UInt8>(Phase.opening)
    @usableFromInline var completion: Subscribers.Completion<Failure>?
    /// Whether the latest value has not gone to the subscriber for want of demand. Touched in the broadcast's turn only.
    @usableFromInline var isBehind = false

    // Made in the client's code where that is specialised, so the closure holds the whole chain of operators inlined.
    @inlinable
    init<S: Subscriber>(to subscriber: S, of broadcast: Broadcast<Output, Failure>)
    where S.Input == Output, S.Failure == Failure {
        onValue = { subscriber.receive($0) }
        onCompletion = { subscriber.receive(completion: $0) }
        isUnmetered = subscriber.keepsOverflow
        self.broadcast = broadcast
    }

    // MARK: From the broadcast, in its turn

    @inlinable
    func offer(_ value: Output) {
        guard phase.load(ordering: .acquiring) != 3 else { return }
        if ledger.claim() || isUnmetered {
            isBehind = false
            ledger.add(onValue(value))
        } else {
            isBehind = true
        }
    }

    func finish(_ completion: Subscribers.Completion<Failure>) {
        if move(from: Phase.open, to: Phase.closed) { return onCompletion(completion) }
        self.completion = completion
        // Unless it has been opened or cancelled this very moment.
        if !move(from: Phase.opening, to: Phase.ending), move(from: Phase.open, to: Phase.closed) { onCompletion(completion) }
    }

    var isClosed: Bool { phase.load(ordering: .acquiring) == Phase.closed }

    // MARK: From the subscriber's side

    /// The subscriber has the subscription.
    @usableFromInline
    func open() {
        if move(from: Phase.opening, to: Phase.open) { return }
        if move(from: Phase.ending, to: Phase.closed), let completion { onCompletion(completion) }
    }

    @usableFromInline
    func request(_ demand: Subscribers.Demand) {
        ledger.grant(demand)
        if !isClosed { broadcast.post(.demand(self)) }
    }

    @usableFromInline
    func cancel() {
        guard phase.exchange(Phase.closed, ordering: .acquiringAndReleasing) != Phase.closed else { return }
        broadcast.post(.detach(self))
    }

    private func move(from old: UInt8, to new: UInt8) -> Bool {
        phase.compareExchange(expected: old, desired: new, ordering: .acquiringAndReleasing).exchanged
    }
}
