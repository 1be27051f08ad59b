extension Publisher {
    /// Merges the publishers created from the values, at most `maxPublishers` at a time. Values that a subject sends while no slot is free are
    /// buffered without limit; `buffer(size:prefetch:whenFull:)` before it sets one.
    public func flatMap<P: Publisher>(
        maxPublishers: Subscribers.Demand = .unlimited, _ transform: @escaping (Output) -> P
    ) -> AnyPublisher<P.Output, Failure> where P.Failure == Failure {
        flattened(maxPublishers, transform)
    }

    private func flattened<P: Publisher>(
        _ maxPublishers: Subscribers.Demand, _ transform: @escaping (Output) -> P
    ) -> AnyPublisher<P.Output, Failure> where P.Failure == Failure {
        maxPublishers.requirePositive()
        return AnyPublisher { subscriber in
            let outer = Lifeline()
            let logic = FlatMapLogic<Output, P, AnySubscriber<P.Output, Failure>>(
                outer: outer, places: maxPublishers, transform: transform)
            subscribe(
                Inlet(
                    to: Outlet("FlatMap", logic, to: subscriber), lifeline: outer, start: maxPublishers, acceptsOverflow: true,
                    onValue: { .outer($0) }, onCompletion: { .outerEnded($0) }))
        }
    }

    /// As above; only this publisher can fail.
    public func flatMap<P: Publisher>(
        maxPublishers: Subscribers.Demand = .unlimited, _ transform: @escaping (Output) -> P
    ) -> AnyPublisher<P.Output, Failure> where P.Failure == Never {
        flatMap(maxPublishers: maxPublishers) { transform($0).setFailureType(to: Failure.self) }
    }
}

extension Publisher where Failure == Never {
    /// As above; only the inner publishers can fail.
    public func flatMap<P: Publisher>(
        maxPublishers: Subscribers.Demand = .unlimited, _ transform: @escaping (Output) -> P
    ) -> AnyPublisher<P.Output, P.Failure> {
        setFailureType(to: P.Failure.self).flatMap(maxPublishers: maxPublishers, transform)
    }

    /// As above; neither side can fail.
    public func flatMap<P: Publisher>(
        maxPublishers: Subscribers.Demand = .unlimited, _ transform: @escaping (Output) -> P
    ) -> AnyPublisher<P.Output, Never> where P.Failure == Never {
        flattened(maxPublishers, transform)
    }
}

// MARK: - Logic of FlatMap

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
        } else {
            waiting.append(value)
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

// MARK: - SwitchToLatest

extension Publisher where Output: Publisher, Failure == Output.Failure {
    /// Switches to each new publisher and cancels the previous one.
    public func switchToLatest() -> AnyPublisher<Output.Output, Failure> { switched() }

    private func switched() -> AnyPublisher<Output.Output, Failure> {
        AnyPublisher { subscriber in
            let logic = SwitchLogic<Output, AnySubscriber<Output.Output, Failure>>()
            subscribe(
                Inlet(
                    to: Outlet("SwitchToLatest", logic, to: subscriber), lifeline: Lifeline(), start: .unlimited,
                    onValue: { .outer($0) }, onCompletion: { .outerEnded($0) }))
        }
    }
}

extension Publisher where Output: Publisher, Failure == Never {
    /// As above; only the inner publishers can fail.
    public func switchToLatest() -> AnyPublisher<Output.Output, Output.Failure> {
        setFailureType(to: Output.Failure.self).switchToLatest()
    }
}

extension Publisher where Output: Publisher, Output.Failure == Never {
    /// As above; only the outer publisher can fail.
    public func switchToLatest() -> AnyPublisher<Output.Output, Failure> {
        map { $0.setFailureType(to: Failure.self) }.switchToLatest()
    }
}

extension Publisher where Output: Publisher, Failure == Never, Output.Failure == Never {
    /// As above; neither can fail.
    public func switchToLatest() -> AnyPublisher<Output.Output, Never> {
        switched()
    }
}

// MARK: - Logic of SwitchToLatest

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
