extension Publishers {
    /// Emits on a scheduler.
    public struct ReceiveOn<Upstream: Publisher, Context: Scheduler>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure

        public let upstream: Upstream
        public let scheduler: Context
        public let options: Context.SchedulerOptions?

        @inlinable
        public init(upstream: Upstream, scheduler: Context, options: Context.SchedulerOptions?) {
            self.upstream = upstream
            self.scheduler = scheduler
            self.options = options
        }

        @inlinable
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            let lifeline = Lifeline()
            let timing = Timing(scheduler, options: options)
            let outlet = Outlet("ReceiveOn", HandoverLogic<S>(), to: subscriber, demandsOf: lifeline, elsewhere: timing.run)
            upstream.subscribe(
                Inlet(
                    to: outlet, lifeline: lifeline, start: Subscribers.Demand.none, acceptsOverflow: outlet.isUnmetered,
                    onValue: { .value($0) }, onCompletion: { .completion($0) }))
        }
    }
}

@usableFromInline
struct HandoverLogic<Downstream: Subscriber>: OutletLogic {
    @usableFromInline
    enum Event {
        case value(Downstream.Input)
        case completion(Subscribers.Completion<Downstream.Failure>)
    }

    // Padding: the thread sanitizer reports an access to a zero-sized value as one to its object.
    @usableFromInline let size: UInt8 = 1

    @inlinable
    init() {}

    @inlinable
    mutating func handle(_ event: Event, in outlet: Outlet<Self>) {
        switch event {
        case .value(let value): outlet.forward(value)
        case .completion(let completion): outlet.complete(completion)
        }
    }
}

extension Publisher {
    /// Delivers values and completion on the scheduler: in order and one at a time, even on a concurrent queue.
    @inlinable
    public func receive<S: Scheduler>(on scheduler: S, options: S.SchedulerOptions? = nil) -> Publishers.ReceiveOn<Self, S> {
        Publishers.ReceiveOn(upstream: self, scheduler: scheduler, options: options)
    }
}

// MARK: - SubscribeOn

extension Publisher {
    /// Subscribes, requests and cancels on the scheduler. Values arrive on upstream's thread.
    public func subscribe<S: Scheduler>(on scheduler: S, options: S.SchedulerOptions? = nil) -> AnyPublisher<Output, Failure> {
        AnyPublisher { subscriber in
            let stage = Stage(to: subscriber) { (value: Output) in .pass(value) }
            let rescheduling = ReschedulingSubscriber(stage: stage, scheduler: scheduler, options: options)
            scheduler.schedule(options: options) { subscribe(rescheduling) }
        }
    }
}

/// Wraps the stage's subscription so that its calls run on the scheduler.
private struct ReschedulingSubscriber<Downstream: Subscriber, Context: Scheduler>: Subscriber, OverflowAccepting {
    let stage: Stage<Downstream.Input, Downstream.Failure, Downstream>
    let scheduler: Context
    let options: Context.SchedulerOptions?

    var combineIdentifier: CombineIdentifier { stage.combineIdentifier }
    var acceptsOverflow: Bool { stage.acceptsOverflow }

    func receive(subscription: any Subscription) {
        stage.receive(subscription: Rescheduled(subscription: subscription, scheduler: scheduler, options: options))
    }

    func receive(_ input: Downstream.Input) -> Subscribers.Demand {
        stage.receive(input)
    }

    func receive(completion: Subscribers.Completion<Downstream.Failure>) {
        stage.receive(completion: completion)
    }
}

private struct Rescheduled<Context: Scheduler>: Subscription, CustomStringConvertible {
    let subscription: any Subscription
    let scheduler: Context
    let options: Context.SchedulerOptions?

    var combineIdentifier: CombineIdentifier { subscription.combineIdentifier }
    var description: String { "\(subscription)" }

    func request(_ demand: Subscribers.Demand) {
        demand.requirePositive()
        scheduler.schedule(options: options) { [subscription] in subscription.request(demand) }
    }

    func cancel() {
        scheduler.schedule(options: options) { [subscription] in subscription.cancel() }
    }
}
