extension Publishers {
    /// Delays all events.
    public struct Delay<Upstream: Publisher, Context: Scheduler>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure

        public let upstream: Upstream
        public let interval: Context.SchedulerTimeType.Stride
        public let tolerance: Context.SchedulerTimeType.Stride
        public let scheduler: Context
        public let options: Context.SchedulerOptions?

        public init(
            upstream: Upstream, interval: Context.SchedulerTimeType.Stride, tolerance: Context.SchedulerTimeType.Stride,
            scheduler: Context, options: Context.SchedulerOptions? = nil
        ) {
            self.upstream = upstream
            self.interval = interval
            self.tolerance = tolerance
            self.scheduler = scheduler
            self.options = options
        }

        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            let timing = Timing(scheduler, options: options)
            let logic = DelayLogic<S, Context>(interval: interval, tolerance: tolerance, timing: timing)
            upstream.subscribe(timed: logic, to: subscriber, timing)
        }
    }
}

/// Queues pending events, with one timer for the earliest.
private struct DelayLogic<Downstream: Subscriber, Context: Scheduler>: OutletLogic {
    typealias Event = Signal<Downstream.Input, Downstream.Failure, Context.SchedulerTimeType>

    let interval: Context.SchedulerTimeType.Stride
    let tolerance: Context.SchedulerTimeType.Stride
    let timing: Timing<Context>
    var underway = Queue<(due: Context.SchedulerTimeType, signal: Event)>()
    var isTimerSet = false

    mutating func handle(_ event: Event, in outlet: Outlet<Self>) {
        switch event {
        case .tick: isTimerSet = false
        case .value(_, let time), .completion(_, let time): underway.append((time.advanced(by: interval), event))
        }
        if !isTimerSet { arrive(in: outlet) }
    }

    private mutating func arrive(in outlet: Outlet<Self>) {
        while let next = underway.first {
            guard timing.now >= next.due else {
                isTimerSet = true
                return timing.tick(.tick, in: outlet, at: next.due, tolerance: tolerance)
            }
            underway.removeFirst()
            switch next.signal {
            case .value(let value, _): outlet.forward(value)
            case .completion(let completion, _): outlet.complete(completion)
            case .tick: break
            }
        }
    }
}

extension Publisher {
    /// Emits values and the completion `interval` later, in order, on the scheduler.
    public func delay<S: Scheduler>(
        for interval: S.SchedulerTimeType.Stride, tolerance: S.SchedulerTimeType.Stride? = nil, scheduler: S,
        options: S.SchedulerOptions? = nil
    ) -> Publishers.Delay<Self, S> {
        Publishers.Delay(
            upstream: self, interval: interval, tolerance: tolerance ?? scheduler.minimumTolerance, scheduler: scheduler,
            options: options)
    }
}
