extension Publishers {
    /// Subscribes, requests and cancels on a scheduler.
    public struct SubscribeOn<Upstream: Publisher, Context: Scheduler>: Publisher {
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
            let detour = Detour(stage: Stage(to: subscriber) { .pass($0) }, scheduler: scheduler, options: options)
            scheduler.schedule(options: options) { [upstream] in upstream.subscribe(detour) }
        }
    }
}

extension Publishers.SubscribeOn {
    /// Wraps the stage's subscription so that its calls run on the scheduler.
    private struct Detour<Downstream: Subscriber>: Subscriber, OverflowAccepting
    where Downstream.Input == Output, Downstream.Failure == Failure {
        let stage: Stage<Output, Failure, Downstream>
        let scheduler: Context
        let options: Context.SchedulerOptions?

        var combineIdentifier: CombineIdentifier { stage.combineIdentifier }
        var acceptsOverflow: Bool { stage.acceptsOverflow }

        func receive(subscription: any Subscription) {
            stage.receive(subscription: Rescheduled(subscription: subscription, scheduler: scheduler, options: options))
        }

        func receive(_ input: Output) -> Subscribers.Demand {
            stage.receive(input)
        }

        func receive(completion: Subscribers.Completion<Failure>) {
            stage.receive(completion: completion)
        }
    }

    private struct Rescheduled: Subscription {
        let subscription: any Subscription
        let scheduler: Context
        let options: Context.SchedulerOptions?

        var combineIdentifier: CombineIdentifier { subscription.combineIdentifier }

        func request(_ demand: Subscribers.Demand) {
            demand.requirePositive()
            scheduler.schedule(options: options) { [subscription] in subscription.request(demand) }
        }

        func cancel() {
            scheduler.schedule(options: options) { [subscription] in subscription.cancel() }
        }
    }
}

extension Publisher {
    /// Subscribes, requests and cancels on the scheduler. Values arrive on upstream's thread.
    public func subscribe<S: Scheduler>(
        on scheduler: S, options: S.SchedulerOptions? = nil
    ) -> Publishers.SubscribeOn<Self, S> {
        Publishers.SubscribeOn(upstream: self, scheduler: scheduler, options: options)
    }
}
