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

        @inlinable @inline(__always)
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            let lifeline = Lifeline()
            let timing = Timing(scheduler, options: options)
            let outlet = Outlet(HandoverLogic<S>(), to: subscriber, demandsOf: lifeline, elsewhere: timing.run)
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
