extension Publisher {
    /// Emits the latest value of each publisher, once both have one, on every new value. Finishes when both have finished; fails with the
    /// first failure. Without demand keeps only the latest pair.
    public func combineLatest<P: Publisher>(
        _ other: P
    ) -> AnyPublisher<(Output, P.Output), Failure> where P.Failure == Failure {
        combineLatest(other) { ($0, $1) }
    }

    public func combineLatest<P: Publisher, T>(
        _ other: P, _ transform: @escaping (Output, P.Output) -> T
    ) -> AnyPublisher<T, Failure> where P.Failure == Failure {
        AnyPublisher { subscriber in
            let (a, b) = (UpstreamSubscription(), UpstreamSubscription())
            let machine = CombineLatestStateMachine<Output, P.Output, AnySubscriber<T, Failure>>(
                upstreams: (a, b), transform: transform)
            let storage = OperatorStorage(machine, to: subscriber)
            storage.start()
            subscribe(
                UpstreamSubscriber(of: a, for: storage, onValue: { .first($0) }, onCompletion: { .ended($0) }))
            other.subscribe(
                UpstreamSubscriber(of: b, for: storage, onValue: { .second($0) }, onCompletion: { .ended($0) }))
        }
    }

    public func combineLatest<P: Publisher, Q: Publisher>(
        _ publisher1: P, _ publisher2: Q
    ) -> AnyPublisher<(Output, P.Output, Q.Output), Failure> where P.Failure == Failure, Q.Failure == Failure {
        combineLatest(publisher1).combineLatest(publisher2) { ($0.0, $0.1, $1) }
    }
}

private struct CombineLatestStateMachine<A, B, Downstream: Subscriber>: OperatorStateMachine {
    enum Event {
        case first(A)
        case second(B)
        case ended(Subscribers.Completion<Downstream.Failure>)
    }

    let upstreams: (a: UpstreamSubscription, b: UpstreamSubscription)
    let transform: (A, B) -> Downstream.Input
    var running = 2
    var latest: (a: A?, b: B?)
    /// A value arrived since the last pair.
    var isNew = false

    mutating func handle(_ event: Event, in storage: OperatorStorage<Self>) {
        switch event {
        case .first(let value): (latest.a, isNew) = (value, true)
        case .second(let value): (latest.b, isNew) = (value, true)
        case .ended(.finished): running -= 1
        case .ended(let failure): return storage.complete(failure)
        }
        emit(in: storage)
    }

    mutating func demandCame(_ demand: Subscribers.Demand, in storage: OperatorStorage<Self>) {
        ask(for: demand, in: storage)
        emit(in: storage)
    }

    private func ask(for demand: Subscribers.Demand, in storage: OperatorStorage<Self>) {
        storage.ask(upstreams.a, for: demand)
        storage.ask(upstreams.b, for: demand)
    }

    private mutating func emit(in storage: OperatorStorage<Self>) {
        if isNew, let a = latest.a, let b = latest.b {
            guard storage.ledger.claim() else { return }
            isNew = false
            ask(for: storage.deliver(transform(a, b)), in: storage)
        }
        if running == 0 { storage.complete(.finished) }
    }
}
