/// Logic of `flatMap`: merges the publishers created from upstream's values.
struct FlatMapLogic<Outer, Inner: Publisher, Downstream: Subscriber>: OutletLogic
where Inner.Output == Downstream.Input, Inner.Failure == Downstream.Failure {
    enum Event {
        case outer(Outer)
        case outerEnded(Subscribers.Completion<Downstream.Failure>)
        case inner(Inner.Output, from: Lifeline)
        case innerEnded(Subscribers.Completion<Downstream.Failure>, from: Lifeline)
    }

    let outer: Lifeline
    let places: Subscribers.Demand
    let waitingRoom: WaitingRoom<Outer>
    let transform: (Outer) -> Inner
    var active: ContiguousArray<Lifeline> = []
    var waiting = Queue<Outer>()
    /// Values without downstream demand: at most one per publisher that respects demand.
    var ready = Queue<(from: Lifeline, value: Inner.Output)>()
    var outerHasEnded = false

    mutating func handle(_ event: Event, in outlet: Outlet<Self>) {
        switch event {
        case .outer(let value): admit(value, in: outlet)
        case .inner(let value, let source): take(value, from: source, in: outlet)
        case .innerEnded(.finished, let source): leave(source, in: outlet)
        case .outerEnded(.finished): outerHasEnded = true
        case .outerEnded(let failure), .innerEnded(let failure, _): return outlet.complete(failure)
        }
        finishIfOver(outlet)
    }

    mutating func demandCame(_ demand: Subscribers.Demand, in outlet: Outlet<Self>) {
        while let next = ready.first, outlet.ledger.claim() {
            ready.removeFirst()
            outlet.deliver(next.value)
            outlet.ask(next.from, for: .max(1))
        }
        if outlet.ledger.outstanding == .unlimited {
            for source in active { outlet.ask(source, for: .unlimited) }
        }
        finishIfOver(outlet)
    }

    private func finishIfOver(_ outlet: Outlet<Self>) {
        if outerHasEnded, active.isEmpty, waiting.isEmpty, ready.isEmpty { outlet.complete(.finished) }
    }

    private mutating func admit(_ value: Outer, in outlet: Outlet<Self>) {
        if active.count < places {
            listen(to: value, in: outlet)
        } else if waiting.count < waitingRoom.limit {
            waiting.append(value)
        } else {
            waitingRoom.onDrop(value)
        }
    }

    private mutating func listen(to value: Outer, in outlet: Outlet<Self>) {
        let source = Lifeline()
        active.append(source)
        source.request(outlet.ledger.outstanding == .unlimited ? .unlimited : .max(1))
        let publisher = transform(value)
        let inlet = Inlet<Inner.Output, Inner.Failure, Self>(
            to: outlet, lifeline: source, onValue: { .inner($0, from: source) },
            onCompletion: { .innerEnded($0, from: source) })
        outlet.later { publisher.subscribe(inlet) }
    }

    private mutating func take(_ value: Inner.Output, from source: Lifeline, in outlet: Outlet<Self>) {
        guard ready.isEmpty, outlet.emit(value) else { return ready.append((source, value)) }
        if outlet.ledger.outstanding != .unlimited { outlet.ask(source, for: .max(1)) }
    }

    private mutating func leave(_ source: Lifeline, in outlet: Outlet<Self>) {
        outlet.lifelines.remove(source)
        guard let place = active.firstIndex(where: { $0 === source }) else { return }
        active.remove(at: place)
        if let next = waiting.popFirst() {
            listen(to: next, in: outlet)
        } else if places != .unlimited, !outerHasEnded {
            outlet.ask(outer, for: .max(1))
        }
    }
}
