extension Publishers {
    /// Emits a value after a pause without another.
    public struct Debounce<Upstream: Publisher, Context: Scheduler>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure

        public let upstream: Upstream
        public let dueTime: Context.SchedulerTimeType.Stride
        public let scheduler: Context
        public let options: Context.SchedulerOptions?

        public init(
            upstream: Upstream, dueTime: Context.SchedulerTimeType.Stride, scheduler: Context,
            options: Context.SchedulerOptions?
        ) {
            self.upstream = upstream
            self.dueTime = dueTime
            self.scheduler = scheduler
            self.options = options
        }

        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            let timing = Timing(scheduler, options: options)
            let logic = DebounceLogic<S, Context>(dueTime: dueTime, timing: timing)
            upstream.subscribe(timed: logic, to: subscriber, timing, start: .unlimited)
        }
    }
}

private struct DebounceLogic<Downstream: Subscriber, Context: Scheduler>: OutletLogic {
    typealias Event = Signal<Downstream.Input, Downstream.Failure, Context.SchedulerTimeType>

    let dueTime: Context.SchedulerTimeType.Stride
    let timing: Timing<Context>
    var latest: Downstream.Input?
    /// Due time of the latest value; nil once due.
    var deadline: Context.SchedulerTimeType?
    var isTimerSet = false

    mutating func handle(_ event: Event, in outlet: Outlet<Self>) {
        switch event {
        case .value(let value, let time):
            latest = value
            deadline = time.advanced(by: dueTime)
            setTimer(in: outlet)
        case .tick:
            isTimerSet = false
            // A later value moved the deadline: the one timer is set again.
            if let deadline, timing.now < deadline { setTimer(in: outlet) } else { deadline = nil }
            emitIfDue(in: outlet)
        case .completion(let completion, _): outlet.complete(completion)
        }
    }

    mutating func demandCame(_ demand: Subscribers.Demand, in outlet: Outlet<Self>) {
        emitIfDue(in: outlet)
    }

    /// A due value without demand waits, until demand or a newer value.
    private mutating func emitIfDue(in outlet: Outlet<Self>) {
        if deadline == nil, let value = latest, outlet.emit(value) { latest = nil }
    }

    private mutating func setTimer(in outlet: Outlet<Self>) {
        guard !isTimerSet, let deadline else { return }
        isTimerSet = true
        timing.tick(.tick, in: outlet, at: deadline)
    }
}

extension Publisher {
    /// Emits a value on the scheduler when `dueTime` has passed without another. As in Combine, a pending value is dropped when
    /// upstream completes.
    public func debounce<S: Scheduler>(
        for dueTime: S.SchedulerTimeType.Stride, scheduler: S, options: S.SchedulerOptions? = nil
    ) -> Publishers.Debounce<Self, S> {
        Publishers.Debounce(upstream: self, dueTime: dueTime, scheduler: scheduler, options: options)
    }
}
