/// One of the ways into an operator of the serial core: a subscriber that turns what it receives into events.
///
/// It holds the operator, which is below it; the operator holds only the inlet's lifeline. So there is no cycle to break.
@usableFromInline
final class Inlet<Input, Failure: Error, Logic: OutletLogic>: Subscriber {
    @usableFromInline let lifeline: Lifeline
    @usableFromInline let outlet: Outlet<Logic>
    @usableFromInline let onValue: (Input) -> Logic.Event
    @usableFromInline let onCompletion: (Subscribers.Completion<Failure>) -> Logic.Event
    private let keepsOverflow: Bool
    /// The demand at the start, for the inlet that downstream's subscription waits for; nil for the others.
    private let start: Subscribers.Demand?

    /// - Parameters:
    ///   - start: given for the only upstream, which is asked for so much once downstream has its subscription.
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
