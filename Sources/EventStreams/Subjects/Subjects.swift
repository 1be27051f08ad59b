import Synchronization

/// A subject without a current value: delivers to present subscribers with demand.
///
/// - A value sent during a delivery is delivered after it, to every subscriber in the same order; `send` then returns before
///   that. A new subscriber joins in the same order and receives later values.
/// - Delivers on a sending thread, possibly that of a concurrent `send`, never on two at once. `receive(on:)` chooses the
///   thread.
public final class PassthroughSubject<Output, Failure: Error>: Subject {
    @usableFromInline typealias Member = Conduit<Output, Failure>

    @usableFromInline
    enum Event {
        case value(Output)
        case completion(Subscribers.Completion<Failure>)
        case attach(Member)
        case detach(Member)
    }

    @usableFromInline let queue = SerialQueue<Event>()
    // All confined to the turn, which the compiler cannot see: checks for exclusive access would cost more than the delivery.
    /// None after the end.
    @exclusivity(unchecked) @usableFromInline var members: ContiguousArray<Member> = []
    @exclusivity(unchecked) @usableFromInline var completion: Subscribers.Completion<Failure>?
    @exclusivity(unchecked) @usableFromInline var spare: ContiguousArray<Event> = []

    public init() {}

    @inlinable
    public func send(_ value: Output) {
        if queue.takeTurn() {
            deliver(value)
            if !queue.passTurn() { leaveTurn() }
        } else if queue.enqueue(.value(value)) {
            leaveTurn()
        }
    }

    public func send(completion: Subscribers.Completion<Failure>) {
        post(.completion(completion))
    }

    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
        let conduit = Conduit<Output, Failure>(to: subscriber)
        let subscription = SubjectSubscription(to: conduit, of: self)
        conduit.subscription = subscription
        post(.attach(conduit))
        subscriber.receive(subscription: subscription)
        conduit.open()
    }

    @usableFromInline
    func post(_ event: Event) {
        if queue.takeTurn() {
            handle(event)
            leaveTurn()
        } else if queue.enqueue(event) {
            leaveTurn()
        }
    }

    /// Handles queued events, then ends the turn.
    @inlinable
    func leaveTurn() {
        while !queue.passTurn() { queue.drainBatch(&spare, handle) }
    }

    // MARK: In turn

    @inlinable
    func deliver(_ value: Output) {
        // Moved out and back to save a retain of the array per value: `bjbench stream` −10 ns.
        var present = ContiguousArray<Member>()
        swap(&present, &members)
        for index in present.indices { present[index].offer(value) }
        swap(&present, &members)
    }

    @inlinable
    func handle(_ event: Event) {
        if case .value(let value) = event { deliver(value) } else { administer(event) }
    }

    @usableFromInline
    func administer(_ event: Event) {
        switch event {
        case .value: break
        case .completion(let completion): finish(completion)
        case .attach(let member): add(member)
        case .detach(let member): members.removeAll { $0 === member }
        }
    }

    private func add(_ member: Member) {
        if let completion { return member.finish(completion) }
        if !member.isClosed { members.append(member) }
    }

    private func finish(_ completion: Subscribers.Completion<Failure>) {
        guard self.completion == nil else { return }
        self.completion = completion
        let leaving = members
        members = []
        for member in leaving { member.finish(completion) }
    }
}

extension PassthroughSubject: @unchecked Sendable where Output: Sendable {}  // the turn admits one thread at a time

// MARK: - Subscribers of a subject

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
    @usableFromInline let phase = Atomic<UInt8>(Phase.opening)
    @usableFromInline weak var subscription: SubjectSubscription<Output, Failure>?
    private var completion: Subscribers.Completion<Failure>?

    // Created in the client's specialised code, so that the closure inlines the whole operator chain.
    @inlinable
    init<S: Subscriber>(to subscriber: S) where S.Input == Output, S.Failure == Failure {
        onValue = { subscriber.receive($0) }
        onCompletion = { subscriber.receive(completion: $0) }
    }

    // MARK: Calls by the subject, in turn

    @inlinable
    func offer(_ value: Output) {
        if phase.load(ordering: .acquiring) != 3, ledger.claim() { ledger.add(onValue(value)) }
    }

    func finish(_ completion: Subscribers.Completion<Failure>) {
        self.completion = completion
        // While opening, `open` delivers the completion.
        if !move(from: Phase.opening, to: Phase.ending) { deliverCompletion(from: Phase.open) }
    }

    var isClosed: Bool { phase.load(ordering: .acquiring) == Phase.closed }

    // MARK: Calls by the subscriber

    /// The subscriber has received its subscription.
    @usableFromInline
    func open() {
        if move(from: Phase.opening, to: Phase.open) { return }
        deliverCompletion(from: Phase.ending)
    }

    /// True for the first call.
    func close() -> Bool {
        phase.exchange(Phase.closed, ordering: .acquiringAndReleasing) != Phase.closed
    }

    private func deliverCompletion(from phase: UInt8) {
        guard move(from: phase, to: Phase.closed), let completion else { return }
        _ = subscription?.release()
        onCompletion(completion)
    }

    private func move(from old: UInt8, to new: UInt8) -> Bool {
        phase.compareExchange(expected: old, desired: new, ordering: .acquiringAndReleasing).exchanged
    }
}

/// The subscription of a subject's subscriber. Retains the subject, not the subscriber, until the end, so that a subject of which its sender
/// holds a weak reference delivers as long as somebody is subscribed. Completion and cancel break the cycle of subject, conduit, subscriber
/// and subscription; a subject whose subscribers dropped theirs is released with its last reference, and they with it.
@usableFromInline
final class SubjectSubscription<Output, Failure: Error>: Subscription {
    /// Nil after the end.
    private let subject: Guarded<PassthroughSubject<Output, Failure>?>
    /// Nil after the subject has released it.
    private weak let conduit: Conduit<Output, Failure>?

    @usableFromInline
    init(to conduit: Conduit<Output, Failure>, of subject: PassthroughSubject<Output, Failure>) {
        self.subject = Guarded(subject)
        self.conduit = conduit
    }

    @usableFromInline
    func request(_ demand: Subscribers.Demand) {
        demand.requirePositive()
        conduit?.ledger.add(demand)
    }

    @usableFromInline
    func cancel() {
        guard let conduit, conduit.close() else { return }
        release()?.post(.detach(conduit))
    }

    /// Returns the subject, so that it is released outside the lock.
    func release() -> PassthroughSubject<Output, Failure>? {
        subject.withLock { subject in
            defer { subject = nil }
            return subject
        }
    }
}
