extension Publishers {
    /// Emits on a scheduler.
    public struct ReceiveOn<Upstream: Publisher, Context: Scheduler>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure

        public let upstream: Upstream
        public let scheduler: Context

        @inlinable
        public init(upstream: Upstream, scheduler: Context) {
            self.upstream = upstream
            self.scheduler = scheduler
        }

        @inlinable
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            let source = UpstreamSubscription()
            let storage = OperatorStorage(
                ReceiveOnStateMachine(upstream: source), to: subscriber, demandsOf: source,
                elsewhere: { [scheduler] in scheduler.schedule($0) })
            upstream.subscribe(
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

extension Publisher {
    /// Delivers values and completion on the scheduler: in order and one at a time, even on a concurrent queue.
    @inlinable
    public func receive<S: Scheduler>(on scheduler: S) -> Publishers.ReceiveOn<Self, S> {
        Publishers.ReceiveOn(upstream: self, scheduler: scheduler)
    }
}
