/// Logic of `switchToLatest`: each new publisher replaces the previous one and takes over its demand.
struct SwitchLogic<Inner: Publisher, Downstream: Subscriber>: OutletLogic
where Inner.Output == Downstream.Input, Inner.Failure == Downstream.Failure {
    enum Event {
        case outer(Inner)
        case outerEnded(Subscribers.Completion<Downstream.Failure>)
        case inner(Inner.Output, from: Lifeline)
        case innerEnded(Subscribers.Completion<Downstream.Failure>, from: Lifeline)
    }

    var current: Lifeline?
    /// Unmet demand of the current publisher, which the next one takes over.
    var owed = Subscribers.Demand.none
    var outerHasEnded = false

    mutating func handle(_ event: Event, in outlet: Outlet<Self>) {
        switch event {
        case .outer(let inner): listen(to: inner, in: outlet)
        case .inner(let value, let source): take(value, from: source, in: outlet)
        case .innerEnded(_, let source) where source !== current: break
        case .innerEnded(.finished, let source):
            outlet.lifelines.remove(source)
            current = nil
            finishIfOver(outlet)
        case .outerEnded(.finished):
            outerHasEnded = true
            finishIfOver(outlet)
        case .outerEnded(let failure), .innerEnded(let failure, _): outlet.complete(failure)
        }
    }

    mutating func demandCame(_ demand: Subscribers.Demand, in outlet: Outlet<Self>) {
        owed += demand
        if let current { outlet.ask(current, for: demand) }
    }

    private func finishIfOver(_ outlet: Outlet<Self>) {
        if outerHasEnded, current == nil { outlet.complete(.finished) }
    }

    private mutating func listen(to inner: Inner, in outlet: Outlet<Self>) {
        if let current {
            outlet.lifelines.remove(current)
            current.cancel()
        }
        let source = Lifeline()
        current = source
        if owed > .none { source.request(owed) }
        let inlet = Inlet<Inner.Output, Inner.Failure, Self>(
            to: outlet, lifeline: source, onValue: { .inner($0, from: source) },
            onCompletion: { .innerEnded($0, from: source) })
        outlet.later { inner.subscribe(inlet) }
    }

    private mutating func take(_ value: Inner.Output, from source: Lifeline, in outlet: Outlet<Self>) {
        guard source === current, outlet.ledger.claim() else { return }
        owed -= 1
        let more = outlet.deliver(value)
        owed += more
        outlet.ask(source, for: more)
    }
}
