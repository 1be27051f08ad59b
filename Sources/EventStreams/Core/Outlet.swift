import Synchronization

/// The serial core: everything that happens to it is an event, handled one at a time, with no lock held.
///
/// The base of all sources and of the operators that have more than one thing to listen to: several upstreams, demand
/// that has to wait, a scheduler. A subclass overrides `handle(_:)` and keeps its state in plain properties that only
/// the methods said to run *in turn* touch. It delivers by `emit`, `emitLast` and `complete`, which respect demand and
/// the end.
class Outlet<Event, Downstream: Subscriber>: Subscription {
    typealias Output = Downstream.Input
    typealias End = Subscribers.Completion<Downstream.Failure>

    private enum Mail {
        case event(Event)
        case demand
    }

    final let downstream: Downstream
    final let ledger = DemandLedger()
    private let mailbox = Mailbox<Mail>()
    private let closed = Atomic<Bool>(false)
    /// Takes the handling of events to a scheduler; nil handles them where they come from.
    private let elsewhere: ((_ drain: @escaping () -> Void) -> Void)?
    /// A value that waits for demand and is the last. Touched in turn only.
    private var last: Output?

    init(to downstream: Downstream, elsewhere: ((_ drain: @escaping () -> Void) -> Void)? = nil) {
        self.downstream = downstream
        self.elsewhere = elsewhere
    }

    // MARK: What a subclass says

    /// Handles one event, in turn: never twice at once, nor from within itself.
    func handle(_ event: Event) {}

    /// Downstream has asked for more, and the ledger says how much it may have. In turn.
    func demandCame() {}

    /// Downstream has asked for so much more. At once, on the thread that asks; for those who pass demand up.
    func passUp(_ demand: Subscribers.Demand) {}

    /// The end: cancel every lifeline. Once, at once, on the thread that ends it.
    func letGo() {}

    // MARK: Events

    final var isOpen: Bool { !closed.load(ordering: .acquiring) }

    final func post(_ event: Event) {
        post(.event(event))
    }

    private func post(_ mail: Mail) {
        guard let elsewhere else { return mailbox.post(mail, handle: open) }
        if mailbox.leave(mail) { elsewhere(drainElsewhere) }
    }

    /// One batch at a time: a fast upstream must not keep a scheduler's thread to itself.
    private func drainElsewhere() {
        if mailbox.drainBatch(open) { elsewhere?(drainElsewhere) }
    }

    private func open(_ mail: Mail) {
        guard isOpen else { return }
        switch mail {
        case .event(let event): handle(event)
        case .demand: supply()
        }
    }

    private func supply() {
        guard let value = last else { return demandCame() }
        guard ledger.claim() else { return }
        last = nil
        _ = downstream.receive(value)
        complete(.finished)
    }

    // MARK: Delivery, in turn

    /// Delivers a value for which demand has been claimed, and says what downstream asks for in answer.
    @discardableResult
    final func deliver(_ value: Output) -> Subscribers.Demand {
        guard isOpen else { return .none }
        let more = downstream.receive(value)
        ledger.add(more)
        return more
    }

    /// Delivers if there is demand; false says that the value was not taken.
    final func emit(_ value: Output) -> Bool {
        guard ledger.claim() else { return false }
        deliver(value)
        return true
    }

    /// Delivers the value as soon as there is demand, then finishes.
    final func emitLast(_ value: Output) {
        last = value
        supply()
    }

    final func complete(_ completion: End) {
        guard close() else { return }
        downstream.receive(completion: completion)
    }

    // MARK: Subscription

    final func request(_ demand: Subscribers.Demand) {
        ledger.grant(demand)
        guard isOpen else { return }
        passUp(demand)
        post(.demand)
    }

    final func cancel() {
        _ = close()
    }

    private func close() -> Bool {
        guard !closed.exchange(true, ordering: .acquiringAndReleasing) else { return false }
        letGo()
        return true
    }
}
