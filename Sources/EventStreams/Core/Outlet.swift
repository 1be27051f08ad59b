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
final class Outlet<Logic: OutletLogic>: Subscription {
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
        _ logic: Logic, to downstream: Logic.Downstream, demandsOf: Lifeline? = nil,
        elsewhere: ((_ drain: @escaping () -> Void) -> Void)? = nil
    ) {
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
