import Synchronization

/// An operator's reaction to events: a value accessed *in turn* only, never concurrently or re-entrantly.
@usableFromInline
protocol OperatorStateMachine {
    associatedtype Event
    associatedtype Downstream: Subscriber

    mutating func handle(_ event: Event, in storage: OperatorStorage<Self>)

    /// Downstream requested more; the ledger includes it already.
    mutating func demandCame(_ demand: Subscribers.Demand, in storage: OperatorStorage<Self>)
}

/// An event of an operator with one upstream.
@usableFromInline
enum UpstreamEvent<Input, Failure: Error> {
    case value(Input)
    case completion(Subscribers.Completion<Failure>)
}

/// The serial core of operators with several event sources, such as `merge` and `switchToLatest`: values of all upstreams,
/// demand of downstream and timers become events of one ``SerialQueue``, and the operator's state machine handles them one at
/// a time, with no lock held.
///
/// Calls to downstream are made during the turn. Calls to upstreams (requests, cancels, subscriptions) are deferred until the
/// turn has ended: an upstream may answer synchronously, and its values are then handled in order instead of re-entering the
/// machine.
///
/// Upstreams, downstream's subscription and scheduled work retain the storage until the stream ends; the end severs these
/// references.
@usableFromInline
final class OperatorStorage<Machine: OperatorStateMachine> {
    @usableFromInline typealias Output = Machine.Downstream.Input
    @usableFromInline typealias Completion = Subscribers.Completion<Machine.Downstream.Failure>

    @usableFromInline
    enum Input {
        case event(Machine.Event)
        case demand(Subscribers.Demand)
    }

    /// An upward call, deferred until after the turn.
    @usableFromInline
    enum Call {
        case request(Subscribers.Demand, of: UpstreamSubscription)
        case subscribe(() -> Void)
    }

    @usableFromInline let downstream: Machine.Downstream
    @usableFromInline let ledger = DemandLedger()
    @usableFromInline let upstreams = UpstreamSubscriptions()
    @usableFromInline let queue = SerialQueue<Input>()
    @usableFromInline let closed = Atomic<Bool>(false)
    /// Moves event handling to a scheduler; nil handles events in place.
    @usableFromInline let elsewhere: ((_ drain: @escaping () -> Void) -> Void)?
    /// Replaces `demandCame` by a direct request, for operators that leave demand to upstream.
    @usableFromInline let demandsOf: UpstreamSubscription?
    let subscribing = Trampoline()
    @usableFromInline let handle = Guarded(Weak<Handle<Machine>>())
    // Confined to the turn, which the compiler cannot see: a check for exclusive access would double the cost.
    @exclusivity(unchecked) @usableFromInline var machine: Machine
    @exclusivity(unchecked) @usableFromInline var calls: ContiguousArray<Call> = []
    @exclusivity(unchecked) @usableFromInline var spare: ContiguousArray<Input> = []

    @inlinable
    init(
        _ machine: Machine, to downstream: Machine.Downstream, demandsOf: UpstreamSubscription? = nil,
        elsewhere: ((_ drain: @escaping () -> Void) -> Void)? = nil
    ) {
        self.machine = machine
        self.downstream = downstream
        self.demandsOf = demandsOf
        self.elsewhere = elsewhere
    }

    // MARK: Handle

    /// A reference for downstream and scheduled work, severed at the end.
    @inlinable
    func makeHandle() -> Handle<Machine> {
        if let known = handle.withLock({ $0.object }) { return known }
        let fresh = Handle(to: self)
        let made = handle.withLock { handle in
            if let known = handle.object { return known }
            handle.object = fresh
            return fresh
        }
        // A later `close` finds the handle; a concurrent one may have missed it.
        if closed.load(ordering: .sequentiallyConsistent) { made.sever() }
        return made
    }

    /// Sends downstream its subscription.
    @usableFromInline
    func start() {
        downstream.receive(subscription: makeHandle())
    }

    // MARK: Delivery, in turn

    @inlinable
    var isOpen: Bool { !closed.load(ordering: .acquiring) }

    /// Delivers a value whose demand is claimed; returns downstream's additional demand.
    @inlinable @discardableResult
    func deliver(_ value: Output) -> Subscribers.Demand {
        guard isOpen else { return .none }
        let more = downstream.receive(value)
        ledger.add(more)
        return more
    }

    /// Delivers if there is demand; false leaves the value with the caller.
    @inlinable
    func emit(_ value: Output) -> Bool {
        guard ledger.claim() else { return false }
        deliver(value)
        return true
    }

    @usableFromInline
    func complete(_ completion: Completion) {
        if close() { downstream.receive(completion: completion) }
    }

    // MARK: Upward calls, in turn

    @inlinable
    func ask(_ upstream: UpstreamSubscription, for demand: Subscribers.Demand) {
        if demand > .none { calls.append(.request(demand, of: upstream)) }
    }

    /// Defers a closure that subscribes until after the turn; never nested.
    func later(_ subscribe: @escaping () -> Void) {
        calls.append(.subscribe(subscribe))
    }

    // MARK: Downstream's calls

    @usableFromInline
    func request(_ demand: Subscribers.Demand) {
        ledger.grant(demand)
        guard isOpen else { return }
        if let demandsOf { demandsOf.request(demand) } else { post(.demand(demand)) }
    }

    /// Ends the stream, by completion or cancel; true once.
    @usableFromInline
    func close() -> Bool {
        guard !closed.exchange(true, ordering: .sequentiallyConsistent) else { return false }
        upstreams.cancelAll()
        handle.withLock { $0.object }?.sever()
        return true
    }

    // MARK: Turns

    @inlinable
    func post(_ input: Input) {
        guard elsewhere == nil else {
            if queue.enqueue(input) { scheduleDrain() }
            return
        }
        if queue.takeTurn() {
            open(input)
            if calls.isEmpty, queue.passTurn() { return }
            leaveTurn()
        } else if queue.enqueue(input) {
            leaveTurn()
        }
    }

    /// Handles queued events, ends the turn, then makes the deferred upward calls.
    @usableFromInline
    func leaveTurn() {
        var due = ContiguousArray<Call>()
        swap(&due, &calls)
        while !queue.passTurn() {
            queue.drainBatch(&spare, open)
            due.append(contentsOf: calls)
            calls.removeAll(keepingCapacity: true)
        }
        perform(due)
    }

    @usableFromInline
    func perform(_ due: ContiguousArray<Call>) {
        for call in due {
            switch call {
            case .request(let demand, let upstream): upstream.request(demand)
            case .subscribe(let subscribe): subscribing.post(subscribe)
            }
        }
    }

    @inlinable
    func scheduleDrain() {
        let handle = makeHandle()
        elsewhere? { handle.storage?.drainElsewhere() }
    }

    /// One batch at a time: fairness for other work on the scheduler's thread.
    @inlinable
    func drainElsewhere() {
        queue.drainBatch(&spare, open)
        guard !calls.isEmpty || !queue.passTurn() else { return }
        var due = ContiguousArray<Call>()
        swap(&due, &calls)
        if !queue.passTurn() { scheduleDrain() }
        perform(due)
    }

    @inlinable
    func open(_ input: Input) {
        guard isOpen else { return }
        switch input {
        case .event(let event): machine.handle(event, in: self)
        case .demand(let demand): machine.demandCame(demand, in: self)
        }
    }
}

// MARK: - Downstream's subscription

/// Retains an operator for its subscriber and for scheduled work until the stream ends.
///
/// Severing it breaks the cycle of a subscriber that keeps its subscription and an operator that keeps its subscriber.
@usableFromInline
final class Handle<Machine: OperatorStateMachine>: Subscription {
    @usableFromInline let held: Guarded<OperatorStorage<Machine>?>

    @inlinable
    init(to storage: OperatorStorage<Machine>) {
        held = Guarded(storage)
    }

    /// Nil after the end.
    @inlinable var storage: OperatorStorage<Machine>? { held.withLock { $0 } }

    @usableFromInline
    func request(_ demand: Subscribers.Demand) {
        demand.requirePositive()
        storage?.request(demand)
    }

    @usableFromInline
    func cancel() { _ = take()?.close() }

    @usableFromInline
    func sever() { _ = take() }

    /// Returns the operator, so that it is released outside the lock.
    private func take() -> OperatorStorage<Machine>? {
        held.withLock { held in
            defer { held = nil }
            return held
        }
    }
}

/// A weak reference.
@usableFromInline
struct Weak<Object: AnyObject> {
    @usableFromInline weak var object: Object?

    @inlinable
    init() {}
}

// MARK: - An operator's subscriber

/// The subscriber to one upstream of an operator: converts what it receives into the operator's events.
///
/// Retains the operator, which retains only the upstream subscription: no cycle.
@usableFromInline
final class UpstreamSubscriber<Input, Failure: Error, Machine: OperatorStateMachine>: Subscriber {
    @usableFromInline let upstream: UpstreamSubscription
    @usableFromInline let storage: OperatorStorage<Machine>
    @usableFromInline let onValue: (Input) -> Machine.Event
    @usableFromInline let onCompletion: (Subscribers.Completion<Failure>) -> Machine.Event
    /// For an operator with one upstream, whose subscription triggers downstream's: the demand to request then. nil for other operators.
    private let start: Subscribers.Demand?

    @usableFromInline
    init(
        of upstream: UpstreamSubscription, for storage: OperatorStorage<Machine>, start: Subscribers.Demand? = nil,
        onValue: @escaping (Input) -> Machine.Event,
        onCompletion: @escaping (Subscribers.Completion<Failure>) -> Machine.Event
    ) {
        self.upstream = upstream
        self.storage = storage
        self.start = start
        self.onValue = onValue
        self.onCompletion = onCompletion
        storage.upstreams.add(upstream)
    }

    @usableFromInline
    func receive(subscription: any Subscription) {
        guard upstream.attach(subscription), let start else { return }
        storage.start()
        if start > .none { upstream.request(start) }
    }

    @inlinable
    func receive(_ input: Input) -> Subscribers.Demand {
        if upstream.isLive { storage.post(.event(onValue(input))) }
        return .none
    }

    @usableFromInline
    func receive(completion: Subscribers.Completion<Failure>) {
        if upstream.end() { storage.post(.event(onCompletion(completion))) }
    }
}
