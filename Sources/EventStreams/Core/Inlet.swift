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
