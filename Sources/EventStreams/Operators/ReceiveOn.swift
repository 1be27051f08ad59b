extension Publisher {
    /// Delivers values and completion on the scheduler: in order and one at a time, even on a concurrent queue.
    @inlinable
    public func receive<S: Scheduler>(on scheduler: S) -> AnyPublisher<Output, Failure> {
        AnyPublisher { subscriber in
            let source = UpstreamSubscription()
            let machine = ReceiveOnStateMachine<AnySubscriber<Output, Failure>>(upstream: source)
            let storage = OperatorStorage(
                machine, to: subscriber, demandsOf: source, elsewhere: { [scheduler] in scheduler.schedule($0) })
            subscribe(
                UpstreamSubscriber(
                    of: source, for: storage, start: Subscribers.Demand.none, onValue: { .value($0) },
                    onCompletion: { .completion($0) }))
        }
    }
}

@usableFromInline
struct ReceiveOnStateMachine<Downstream: Subscriber>: OperatorStateMachine {
    @usableFromInline typealias Event = UpstreamEvent<Downstream.Input, Downstream.Failure>

    @usableFromInline let upstream: UpstreamSubscription

    @inlinable
    init(upstream: UpstreamSubscription) {
        self.upstream = upstream
    }

    @inlinable
    mutating func handle(_ event: Event, in storage: OperatorStorage<Self>) {
        switch event {
        case .value(let value): if storage.ledger.claim() { storage.ask(upstream, for: storage.deliver(value)) }
        case .completion(let completion): storage.complete(completion)
        }
    }

    /// Downstream's demand has gone to upstream.
    @inlinable
    mutating func demandCame(_ demand: Subscribers.Demand, in storage: OperatorStorage<Self>) {}
}
