import Synchronization

/// The part of a serial operator that handles its events: a value that is touched *in turn* only, never twice at once, nor from
/// within itself.
@usableFromInline
protocol OutletLogic {
    associatedtype Event
    associatedtype Downstream: Subscriber

    mutating func handle(_ event: Event, in outlet: Outlet<Self>)

    /// Downstream has asked for so much more; the ledger has it already.
    mutating func demandCame(_ demand: Subscribers.Demand, in outlet: Outlet<Self>)
}

extension OutletLogic {
    @inlinable
    mutating func demandCame(_ demand: Subscribers.Demand, in outlet: Outlet<Self>) {}
}

/// The serial core: everything that happens to it is an event, handled one at a time, with no lock held.
///
/// The base of the operators that have more than one thing to listen to: several upstreams, demand that has to wait, a
/// scheduler. Down it calls in turn; up, to request and to subscribe, only after the turn: what upstream emits in answer
/// is then handled before upstream goes on, so that the demand which downstream returns reaches it in time.
///
/// It is owned by its upstreams, by the subscription that downstream has and by scheduled work. At the end the last two
/// are severed and upstream is cancelled.
@usableFromInline
final class Outlet<Logic: OutletLogic>: Subscription {
    @usableFromInline typealias Output = Logic.Downstream.Input
    @usableFromInline typealias End = Subscribers.Completion<Logic.Downstream.Failure>

    @usableFromInline
    enum Mail {
        case event(Logic.Event)
        case demand(Subscribers.Demand)
    }

    /// A call up, due after the turn.
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
    /// Takes the handling of events to a scheduler; nil handles them where they come from.
    @usableFromInline let elsewhere: ((_ drain: @escaping () -> Void) -> Void)?
    /// Asked at once and in place of `demandCame`, for operators that leave demand to upstream.
    @usableFromInline let demandsOf: Lifeline?
    /// Whether downstream takes values that it did not ask for.
    @usableFromInline let isUnmetered: Bool
    let changes = Trampoline()
    @usableFromInline let handle = Guarded(Weak<Handle<Outlet>>())
    // In turn only, which the compiler cannot see: to check for exclusive access at run time would cost as much as the work.
    @exclusivity(unchecked) @usableFromInline var logic: Logic
    @exclusivity(unchecked) @usableFromInline var calls: ContiguousArray<Call> = []
    @exclusivity(unchecked) @usableFromInline var spare: ContiguousArray<Mail> = []
    /// A value that waits for demand and is the last.
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

    // MARK: The way up to this

    /// Refers to this until the end: what downstream and scheduled work hold.
    @inlinable
    func makeHandle() -> Handle<Outlet> {
        if let known = handle.withLock({ $0.object }) { return known }
        let fresh = Handle(to: self)
        let made = handle.withLock { handle in
            if let known = handle.object { return known }
            handle.object = fresh
            return fresh
        }
        // A later `close` finds the handle; an earlier one may have missed it.
        if closed.load(ordering: .sequentiallyConsistent) { made.sever() }
        return made
    }

    /// Gives downstream its subscription.
    @usableFromInline
    func start() {
        downstream.receive(subscription: makeHandle())
    }

    // MARK: Delivery, in turn

    @inlinable
    var isOpen: Bool { !closed.load(ordering: .acquiring) }

    /// Delivers a value for which demand has been claimed, and says what downstream asks for in answer.
    @inlinable @discardableResult
    func deliver(_ value: Output) -> Subscribers.Demand {
        guard isOpen else { return .none }
        let more = downstream.receive(value)
        ledger.add(more)
        return more
    }

    /// Delivers if there is demand; false says that the value was not taken.
    @inlinable
    func emit(_ value: Output) -> Bool {
        guard ledger.claim() else { return false }
        deliver(value)
        return true
    }

    /// Delivers the value as soon as there is demand, then finishes.
    func emitLast(_ value: Output) {
        last = value
        supply(.none)
    }

    @usableFromInline
    func complete(_ completion: End) {
        guard close() else { return }
        downstream.receive(completion: completion)
    }

    /// Passes a value on, and up what downstream asks for in answer: for operators that leave demand to upstream.
    @inlinable
    func forward(_ value: Output) {
        guard let demandsOf, ledger.claim() || isUnmetered else { return }
        ask(demandsOf, for: deliver(value))
    }

    // MARK: Calls up, in turn

    @inlinable
    func ask(_ lifeline: Lifeline, for demand: Subscribers.Demand) {
        if demand > .none { calls.append(.request(demand, of: lifeline)) }
    }

    /// Has the closure run after the turn, which subscribes to a publisher; never within another one.
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
