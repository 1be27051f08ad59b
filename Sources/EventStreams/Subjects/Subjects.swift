import Synchronization

/// A subject without a current value: delivers to present subscribers with demand.
///
/// - A value sent during a delivery is delivered after it, to every subscriber in the same order; `send` then returns before
///   that.
/// - Delivers on a sending thread, possibly that of a concurrent `send`, never on two at once. `receive(on:)` chooses the
///   thread.
public final class PassthroughSubject<Output, Failure: Error>: Subject {
    @usableFromInline let broadcast = Broadcast<Output, Failure>()

    public init() {}

    @inlinable
    public func send(_ value: Output) {
        broadcast.send(value)
    }

    public func send(completion: Subscribers.Completion<Failure>) {
        broadcast.post(.completion(completion))
    }

    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
        broadcast.attach(subscriber, to: self)
    }
}

extension PassthroughSubject: Sendable where Output: Sendable {}

// MARK: - CurrentValueSubject

/// A subject with a current value, sent first to each new subscriber, then on each change.
///
/// A subscriber without demand misses intermediate values but receives the latest on its next request.
public final class CurrentValueSubject<Output, Failure: Error>: Subject {
    @usableFromInline
    struct Current {
        @usableFromInline var value: Output
        @usableFromInline var isOver = false
    }

    @usableFromInline let broadcast: Broadcast<Output, Failure>
    @usableFromInline let current: Guarded<Current>

    public init(_ value: Output) {
        broadcast = Broadcast(latest: value)
        current = Guarded(Current(value: value))
    }

    /// The last value sent, updated before delivery. Setting it sends it; after completion it is only stored.
    public var value: Output {
        get { current.withLock { $0.value } }
        set { set(newValue, afterCompletion: true) }
    }

    @inlinable
    public func send(_ value: Output) {
        set(value, afterCompletion: false)
    }

    @inlinable
    func set(_ value: Output, afterCompletion: Bool) {
        // Enqueued under the lock, so that the stored value is the last one delivered. Returned, so that the old value is
        // released outside.
        let (old, admission): (Output?, Broadcast<Output, Failure>.Admission) = current.withLock { current in
            guard !current.isOver || afterCompletion else { return (nil, .queued) }
            let old = current.value
            current.value = value
            return (old, current.isOver ? .queued : broadcast.enter(value))
        }
        _ = old
        broadcast.proceed(value, admission)
    }

    public func send(completion: Subscribers.Completion<Failure>) {
        current.withLock { $0.isOver = true }
        broadcast.post(.completion(completion))
    }

    @inlinable
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
        broadcast.attach(subscriber, to: self)
    }
}

extension CurrentValueSubject: Sendable where Output: Sendable {}

// MARK: - Core of both

/// Core of all subjects: one stream of events to many conduits, in one order for all. A value sent during a delivery waits until every
/// subscriber has the earlier one; a new subscriber joins in the same order and receives later values.
@usableFromInline
final class Broadcast<Output, Failure: Error> {
    @usableFromInline typealias Member = Conduit<Output, Failure>

    @usableFromInline
    enum Event {
        case value(Output)
        case completion(Subscribers.Completion<Failure>)
        case attach(Member)
        case detach(Member)
        case demand(Member)
    }

    @usableFromInline let queue = SerialQueue<Event>()
    // All confined to the turn, which the compiler cannot see: checks for exclusive access would cost more than the delivery.
    @exclusivity(unchecked) @usableFromInline var members: ContiguousArray<Member> = []
    @exclusivity(unchecked) @usableFromInline var completion: Subscribers.Completion<Failure>?
    @exclusivity(unchecked) @usableFromInline var spare: ContiguousArray<Event> = []
    /// First value for a new subscriber, in subjects with a current value.
    @exclusivity(unchecked) @usableFromInline var latest: Output?
    @exclusivity(unchecked) @usableFromInline var isOver = false
    @usableFromInline let keepsLatest: Bool

    init(latest: Output? = nil) {
        self.latest = latest
        keepsLatest = latest != nil
    }

    @inlinable
    func attach<S: Subscriber>(_ subscriber: S, to subject: AnyObject) where S.Input == Output, S.Failure == Failure {
        let conduit = Conduit<Output, Failure>(to: subscriber)
        let subscription = SubjectSubscription(to: conduit, of: self, subject)
        conduit.subscription = subscription
        post(.attach(conduit))
        subscriber.receive(subscription: subscription)
        conduit.open()
    }

    @inlinable
    func send(_ value: Output) {
        proceed(value, enter(value))
    }

    /// The result of `enter`.
    @usableFromInline
    enum Admission {
        /// Has the turn, queue empty.
        case immediate
        /// Has the turn, behind queued events.
        case afterQueued
        /// Queued for the holder of the turn.
        case queued
    }

    /// Enqueues the value. Calls no subscriber, so it is safe under a lock; `proceed` must follow.
    @inlinable
    func enter(_ value: Output) -> Admission {
        if queue.takeTurn() { return .immediate }
        return queue.enqueue(.value(value)) ? .afterQueued : .queued
    }

    @inlinable
    func proceed(_ value: Output, _ admission: Admission) {
        switch admission {
        case .immediate:
            deliver(value)
            if !queue.passTurn() { leaveTurn() }
        case .afterQueued: leaveTurn()
        case .queued: break
        }
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
        guard !isOver else { return }
        if keepsLatest { latest = value }
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
        case .demand(let member): if !isOver, member.isBehind, let latest { member.offer(latest) }
        }
    }

    private func add(_ member: Member) {
        if let completion { return member.finish(completion) }
        guard !member.isClosed else { return }
        members.append(member)
        member.isBehind = keepsLatest
    }

    private func finish(_ completion: Subscribers.Completion<Failure>) {
        guard !isOver else { return }
        isOver = true
        self.completion = completion
        let leaving = members
        (members, latest) = ([], nil)
        for member in leaving { member.finish(completion) }
    }
}

extension Broadcast: @unchecked Sendable where Output: Sendable {}  // variables are used in the queue's turn, by one thread

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
    // The latest value is undelivered for lack of demand. Confined to the broadcast's turn: no check for exclusive access.
    @exclusivity(unchecked) @usableFromInline var isBehind = false
    @usableFromInline weak var subscription: SubjectSubscription<Output, Failure>?
    private var completion: Subscribers.Completion<Failure>?

    // Created in the client's specialised code, so that the closure inlines the whole operator chain.
    @inlinable
    init<S: Subscriber>(to subscriber: S) where S.Input == Output, S.Failure == Failure {
        onValue = { subscriber.receive($0) }
        onCompletion = { subscriber.receive(completion: $0) }
    }

    // MARK: Calls by the broadcast, in turn

    @inlinable
    func offer(_ value: Output) {
        guard phase.load(ordering: .acquiring) != 3 else { return }
        isBehind = !ledger.claim()
        if !isBehind { ledger.add(onValue(value)) }
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
    private let subject: Guarded<AnyObject?>
    // Retained by the subject: used only while that is held here.
    private unowned let broadcast: Broadcast<Output, Failure>
    /// Nil after the broadcast has released it.
    private weak let conduit: Conduit<Output, Failure>?

    @usableFromInline
    init(to conduit: Conduit<Output, Failure>, of broadcast: Broadcast<Output, Failure>, _ subject: AnyObject) {
        self.subject = Guarded(subject)
        self.broadcast = broadcast
        self.conduit = conduit
    }

    @usableFromInline
    func request(_ demand: Subscribers.Demand) {
        demand.requirePositive()
        guard let conduit, !conduit.isClosed, let subject = subject.withLock({ $0 }) else { return }
        conduit.ledger.grant(demand)
        withExtendedLifetime(subject) { broadcast.post(.demand(conduit)) }
    }

    @usableFromInline
    func cancel() {
        guard let conduit, conduit.close() else { return }
        guard let subject = release() else { return }
        withExtendedLifetime(subject) { broadcast.post(.detach(conduit)) }
    }

    /// Returns the subject, so that it is released outside the lock.
    func release() -> AnyObject? {
        subject.withLock { subject in
            defer { subject = nil }
            return subject
        }
    }
}
