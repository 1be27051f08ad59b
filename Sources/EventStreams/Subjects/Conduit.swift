import Synchronization

/// One subscriber of a subject. Retained by the subject until completion or cancel.
@usableFromInline
final class Conduit<Output, Failure: Error> {
    private enum Phase {
        /// The subscriber has no subscription yet: completions wait; values find no demand.
        static var opening: UInt8 { 0 }
        static var open: UInt8 { 1 }
        /// Completed while opening: the completion follows the subscription.
        static var ending: UInt8 { 2 }
        static var closed: UInt8 { 3 }
    }

    @usableFromInline let onValue: (Output) -> Subscribers.Demand
    @usableFromInline let onCompletion: (Subscribers.Completion<Failure>) -> Void
    @usableFromInline let ledger = DemandLedger()
    /// True when the subscriber accepts values without demand.
    @usableFromInline let isUnmetered: Bool
    @usableFromInline let phase = Atomic<UInt8>(Phase.opening)
    private var completion: Subscribers.Completion<Failure>?
    // The latest value is undelivered for lack of demand. Confined to the broadcast's turn: no check for exclusive access.
    @exclusivity(unchecked) @usableFromInline var isBehind = false

    // Created in the client's specialised code, so that the closure inlines the whole operator chain.
    @inlinable
    init<S: Subscriber>(to subscriber: S) where S.Input == Output, S.Failure == Failure {
        onValue = { subscriber.receive($0) }
        onCompletion = { subscriber.receive(completion: $0) }
        isUnmetered = subscriber.keepsOverflow
    }

    // MARK: Calls by the broadcast, in turn

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
        // Unless opened or cancelled concurrently.
        if !move(from: Phase.opening, to: Phase.ending), move(from: Phase.open, to: Phase.closed) { onCompletion(completion) }
    }

    var isClosed: Bool { phase.load(ordering: .acquiring) == Phase.closed }

    // MARK: Calls by the subscriber

    /// The subscriber has received its subscription.
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

/// The subscription of a subject's subscriber: retains the subject, not the subscriber.
@usableFromInline
final class Tap<Output, Failure: Error>: Subscription {
    private let broadcast: Broadcast<Output, Failure>
    /// Nil after the broadcast has released it.
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
