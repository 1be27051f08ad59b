import Synchronization

/// One subscriber of a subject, which owns it: until completion or cancel it is among the subject's members.
@usableFromInline
final class Conduit<Output, Failure: Error> {
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
    @usableFromInline let phase = Atomic<UInt8>(Phase.opening)
    private var completion: Subscribers.Completion<Failure>?
    // Whether the latest value has not gone to the subscriber for want of demand. In the broadcast's turn only, so it is
    // not checked for exclusive access.
    @exclusivity(unchecked) @usableFromInline var isBehind = false

    // Made in the client's code where that is specialised, so the closure holds the whole chain of operators inlined.
    @inlinable
    init<S: Subscriber>(to subscriber: S) where S.Input == Output, S.Failure == Failure {
        onValue = { subscriber.receive($0) }
        onCompletion = { subscriber.receive(completion: $0) }
        isUnmetered = subscriber.keepsOverflow
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

    /// True for the first call.
    func close() -> Bool {
        phase.exchange(Phase.closed, ordering: .acquiringAndReleasing) != Phase.closed
    }

    private func move(from old: UInt8, to new: UInt8) -> Bool {
        phase.compareExchange(expected: old, desired: new, ordering: .acquiringAndReleasing).exchanged
    }
}

/// The subscription of a subject's subscriber: it keeps the subject, but not the way down to the subscriber.
@usableFromInline
final class Tap<Output, Failure: Error>: Subscription {
    private let broadcast: Broadcast<Output, Failure>
    /// Nil after the end, when the broadcast has let it go.
    private weak let conduit: Conduit<Output, Failure>?

    @usableFromInline
    init(to conduit: Conduit<Output, Failure>, of broadcast: Broadcast<Output, Failure>) {
        self.broadcast = broadcast
        self.conduit = conduit
    }

    @usableFromInline
    func request(_ demand: Subscribers.Demand) {
        demand.requirePositive()
        guard let conduit, !conduit.isClosed else { return }
        conduit.ledger.grant(demand)
        broadcast.post(.demand(conduit))
    }

    @usableFromInline
    func cancel() {
        guard let conduit, conduit.close() else { return }
        broadcast.post(.detach(conduit))
    }
}
