extension Publishers {
    /// Ends the stream after an interval without a value.
    public struct Timeout<Upstream: Publisher, Context: Scheduler>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure

        public let upstream: Upstream
        public let interval: Context.SchedulerTimeType.Stride
        public let scheduler: Context
        public let options: Context.SchedulerOptions?
        public let customError: (() -> Failure)?

        public init(
            upstream: Upstream, interval: Context.SchedulerTimeType.Stride, scheduler: Context,
            options: Context.SchedulerOptions?, customError: (() -> Failure)?
        ) {
            self.upstream = upstream
            self.interval = interval
            self.scheduler = scheduler
            self.options = options
            self.customError = customError
        }

        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            let timing = Timing(scheduler, options: options)
            let deadline = scheduler.now.advanced(by: interval)
            let logic = TimeoutLogic<S, Context>(
                interval: interval, customError: customError, timing: timing, deadline: deadline)
            upstream.subscribe(timed: logic, to: subscriber, timing) { timing.tick(.tick, in: $0, at: deadline) }
        }
    }
}

private struct TimeoutLogic<Downstream: Subscriber, Context: Scheduler>: OutletLogic {
    typealias Event = Signal<Downstream.Input, Downstream.Failure, Context.SchedulerTimeType>

    let interval: Context.SchedulerTimeType.Stride
    let customError: (() -> Downstream.Failure)?
    let timing: Timing<Context>
    var deadline: Context.SchedulerTimeType

    mutating func handle(_ event: Event, in outlet: Outlet<Self>) {
        switch event {
        case .value(let value, let time):
            deadline = time.advanced(by: interval)
            outlet.forward(value)
        case .completion(let completion, _): outlet.complete(completion)
        case .tick:
            // A later value moved the deadline: the one timer is set again.
            guard timing.now >= deadline else { return timing.tick(.tick, in: outlet, at: deadline) }
            outlet.complete(customError.map { .failure($0()) } ?? .finished)
        }
    }
}

extension Publisher {
    /// Fails with the custom error, or finishes, when `interval` passes without a value.
    public func timeout<S: Scheduler>(
        _ interval: S.SchedulerTimeType.Stride, scheduler: S, options: S.SchedulerOptions? = nil,
        customError: (() -> Failure)? = nil
    ) -> Publishers.Timeout<Self, S> {
        Publishers.Timeout(
            upstream: self, interval: interval, scheduler: scheduler, options: options, customError: customError)
    }
}
