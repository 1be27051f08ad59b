extension Publishers {
    /// Emits on a scheduler.
    public struct ReceiveOn<Upstream: Publisher, Context: Scheduler>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure

        public let upstream: Upstream
        public let scheduler: Context
        public let options: Context.SchedulerOptions?

        public init(upstream: Upstream, scheduler: Context, options: Context.SchedulerOptions?) {
            self.upstream = upstream
            self.scheduler = scheduler
            self.options = options
        }

        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            upstream.subscribe(Handover<Output, Failure, S, Context>(to: subscriber, on: scheduler, options: options))
        }
    }
}

private final class Handover<Input, Failure, Downstream: Subscriber, Context: Scheduler>:
    ScheduledStage<Input, Failure, Downstream, Context>
where Downstream.Input == Input, Downstream.Failure == Failure {
    override var acceptsOverflow: Bool { downstream.keepsOverflow }

    override func passUp(_ demand: Subscribers.Demand) {
        lifeline.request(demand)
    }

    override func handle(_ signal: Signal<Input, Failure>) {
        switch signal {
        case .value(let value): forward(value)
        case .completion(let completion): complete(completion)
        case .tick: break
        }
    }
}

extension Publisher {
    /// Delivers values and the completion on the scheduler, in order and one at a time, on a concurrent queue too.
    public func receive<S: Scheduler>(on scheduler: S, options: S.SchedulerOptions? = nil) -> Publishers.ReceiveOn<Self, S> {
        Publishers.ReceiveOn(upstream: self, scheduler: scheduler, options: options)
    }
}
