import Synchronization

/// The event handler of a serial operator: a value accessed *in turn* only, never concurrently or re-entrantly.
@usableFromInline
protocol OutletLogic {
    associatedtype Event
    associatedtype Downstream: Subscriber

    mutating func handle(_ event: Event, in outlet: Outlet<Self>)

    /// Downstream requested more; the ledger includes it already.
    mutating func demandCame(_ demand: Subscribers.Demand, in outlet: Outlet<Self>)
}

extension OutletLogic {
    @inlinable
    mutating func demandCame(_ demand: Subscribers.Demand, in outlet: Outlet<Self>) {}
}

/// The serial core of operators with several event sources: one event at a time, no lock held. Calls down happen in turn, calls up after it,
/// so that a synchronous answer is handled in order. Upstreams, downstream's subscription and scheduled work retain it until the end.
@usableFromInline
final class Outlet<Logic: OutletLogic>: Subscription, CustomStringConvertible {
    @usableFromInline typealias Output = Logic.Downstream.Input
    @usableFromInline typealias End = Subscribers.Completion<Logic.Downstream.Failure>

    @usableFromInline
    enum Mail {
        case event(Logic.Event)
        case demand(Subscribers.Demand)
    }

    /// An upward call, deferred until after the turn.
    @usableFromInline
    enum Call {
        case request(Subscribers.Demand, of: Lifeline)
        case change(() -> Void)
    }

    /// The operator's name.
    @usableFromInline let description: String
    @usableFromInline let downstream: Logic.Downstream
    @usableFromInline let ledger = DemandLedger()
    @usableFromInline let lifelines = Lifelines()
    @usableFromInline let mailbox = Mailbox<Mail>()
    @usableFromInline let closed = Atomic<Bool>(false)
    /// Moves event handling to a scheduler; nil handles events in place.
    @usableFromInline let elsewhere: ((_ drain: @escaping () -> Void) -> Void)?
    /// Replaces `demandCame` by a direct request, for operators that leave demand to upstream.
    @usableFromInline let demandsOf: Lifeline?
    /// True when downstream accepts values without demand.
    @usableFromInline let isUnmetered: Bool
    let changes = Trampoline()
    @usableFromInline let handle = Guarded(Weak<Handle<Outlet>>())
    // Confined to the turn, which the compiler cannot see: a check for exclusive access would double the cost.
    @exclusivity(unchecked) @usableFromInline var logic: Logic
    @exclusivity(unchecked) @usableFromInline var calls: ContiguousArray<Call> = []
    @exclusivity(unchecked) @usableFromInline var spare: ContiguousArray<Mail> = []
    /// A final value awaiting demand.
    @exclusivity(unchecked) @usableFromInline var last: Output?

    @inlinable
    init(
        _ description: String, _ logic: Logic, to downstream: Logic.Downstream, demandsOf: Lifeline? = nil,
        elsewhere: ((_ drain: @escaping () -> Void) -> Void)? = nil
    ) {
        self.description = description
        self.logic = logic
        self.downstream = downstream
        self.demandsOf = demandsOf
        self.elsewhere = elsewhere
        isUnmetered = downstream.keepsOverflow
    }

    // MARK: Handle

    /// A reference for downstream and scheduled work, severed at the end.
    @inlinable
    func makeHandle() -> Handle<Outlet> {
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

    /// Delivers the value once there is demand, then finishes.
    func emitLast(_ value: Output) {
        last = value
        supply(.none)
    }

    @usableFromInline
    func complete(_ completion: End) {
        guard close() else { return }
        downstream.receive(completion: completion)
    }

    /// Delivers a value and requests downstream's additional demand from upstream: for operators that leave demand to upstream.
    @inlinable
    func forward(_ value: Output) {
        guard let demandsOf, ledger.claim() || isUnmetered else { return }
        ask(demandsOf, for: deliver(value))
    }

    // MARK: Upward calls, in turn

    @inlinable
    func ask(_ lifeline: Lifeline, for demand: Subscribers.Demand) {
        if demand > .none { calls.append(.request(demand, of: lifeline)) }
    }

    /// Defers a closure that subscribes until after the turn; never nested.
    func later(_ change: @escaping () -> Void) {
        calls.append(.change(change))
    }

    // MARK: Subscription

    @usableFromInline
    func request(_ demand: Subscribers.Demand) {
        ledger.grant(demand)
        guard isOpen else { return }
        if let demandsOf { demandsOf.request(demand) } else { post(mail: .demand(demand)) }
    }

    @usableFromInline
    func cancel() {
        _ = close()
    }

    private func close() -> Bool {
        guard !closed.exchange(true, ordering: .sequentiallyConsistent) else { return false }
        lifelines.cancelAll()
        handle.withLock { $0.object }?.sever()
        return true
    }
}

// MARK: - Turns

// Serialisation of an outlet's events.

extension Outlet {
    @inlinable
    func post(_ event: Logic.Event) {
        post(mail: .event(event))
    }

    @inlinable
    func post(mail: Mail) {
        guard elsewhere == nil else { return postElsewhere(mail) }
        if mailbox.takeTurn() {
            open(mail)
            if calls.isEmpty, mailbox.passTurn() { return }
            leaveTurn()
        } else if mailbox.leave(mail) {
            leaveTurn()
        }
    }

    /// Handles queued events, ends the turn, then makes the deferred upward calls.
    @usableFromInline
    func leaveTurn() {
        var due = ContiguousArray<Call>()
        swap(&due, &calls)
        while !mailbox.passTurn() {
            mailbox.drainBatch(&spare, open)
            due.append(contentsOf: calls)
            calls.removeAll(keepingCapacity: true)
        }
        perform(due)
    }

    @usableFromInline
    func perform(_ due: ContiguousArray<Call>) {
        for call in due {
            switch call {
            case .request(let demand, let lifeline): lifeline.request(demand)
            case .change(let change): changes.post(change)
            }
        }
    }

    @inlinable
    func postElsewhere(_ mail: Mail) {
        if mailbox.leave(mail) { scheduleDrain() }
    }

    @inlinable
    func scheduleDrain() {
        let handle = makeHandle()
        elsewhere? { handle.target?.drainElsewhere() }
    }

    /// Handles the event here: for timers, which already fire on the scheduler.
    func postHere(_ event: Logic.Event) {
        if mailbox.leave(.event(event)) { drainElsewhere() }
    }

    /// One batch at a time: fairness for other work on the scheduler's thread.
    @inlinable
    func drainElsewhere() {
        mailbox.drainBatch(&spare, open)
        guard !calls.isEmpty || !mailbox.passTurn() else { return }
        var due = ContiguousArray<Call>()
        swap(&due, &calls)
        if !mailbox.passTurn() { scheduleDrain() }
        perform(due)
    }

    @inlinable
    func open(_ mail: Mail) {
        guard isOpen else { return }
        switch mail {
        case .event(let event): logic.handle(event, in: self)
        case .demand(let demand): supply(demand)
        }
    }

    @usableFromInline
    func supply(_ demand: Subscribers.Demand) {
        guard let value = last else { return logic.demandCame(demand, in: self) }
        guard ledger.claim() else { return }
        last = nil
        _ = downstream.receive(value)
        complete(.finished)
    }
}

// MARK: - Inlet

/// One upstream of an operator: a subscriber that converts what it receives into the outlet's events.
///
/// Retains the operator, which retains only the inlet's lifeline: no cycle.
@usableFromInline
final class Inlet<Input, Failure: Error, Logic: OutletLogic>: Subscriber {
    @usableFromInline let lifeline: Lifeline
    @usableFromInline let outlet: Outlet<Logic>
    @usableFromInline let onValue: (Input) -> Logic.Event
    @usableFromInline let onCompletion: (Subscribers.Completion<Failure>) -> Logic.Event
    private let keepsOverflow: Bool
    /// Initial demand of the inlet that gates downstream's subscription; nil for others.
    private let start: Subscribers.Demand?

    /// - Parameters:
    ///   - start: set for a sole upstream: the demand to request once downstream has its subscription.
    @usableFromInline
    init(
        to outlet: Outlet<Logic>, lifeline: Lifeline, start: Subscribers.Demand? = nil, acceptsOverflow: Bool = false,
        onValue: @escaping (Input) -> Logic.Event,
        onCompletion: @escaping (Subscribers.Completion<Failure>) -> Logic.Event
    ) {
        self.lifeline = lifeline
        self.outlet = outlet
        self.start = start
        keepsOverflow = acceptsOverflow
        self.onValue = onValue
        self.onCompletion = onCompletion
        outlet.lifelines.add(lifeline)
    }

    @usableFromInline
    func receive(subscription: any Subscription) {
        guard lifeline.attach(subscription), let start else { return }
        outlet.start()
        if start > .none { lifeline.request(start) }
    }

    @inlinable
    func receive(_ input: Input) -> Subscribers.Demand {
        if lifeline.isLive { outlet.post(onValue(input)) }
        return .none
    }

    @usableFromInline
    func receive(completion: Subscribers.Completion<Failure>) {
        if lifeline.end() { outlet.post(onCompletion(completion)) }
    }
}

extension Inlet: OverflowAccepting {
    var acceptsOverflow: Bool { keepsOverflow }
}
