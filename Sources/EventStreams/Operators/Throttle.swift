extension Publishers {
    /// Emits at most one value per interval.
    public struct Throttle<Upstream: Publisher, Context: Scheduler>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure

        public let upstream: Upstream
        public let interval: Context.SchedulerTimeType.Stride
        public let scheduler: Context
        public let latest: Bool

        public init(upstream: Upstream, interval: Context.SchedulerTimeType.Stride, scheduler: Context, latest: Bool) {
            self.upstream = upstream
            self.interval = interval
            self.scheduler = scheduler
            self.latest = latest
        }

        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            let timing = Timing(scheduler, options: nil)
            let logic = ThrottleLogic<S, Context>(interval: interval, latest: latest, timing: timing)
            upstream.subscribe(timed: logic, to: subscriber, timing, start: .unlimited)
        }
    }
}

private struct ThrottleLogic<Downstream: Subscriber, Context: Scheduler>: OutletLogic {
    typealias Event = Signal<Downstream.Input, Downstream.Failure, Context.SchedulerTimeType>

    let interval: Context.SchedulerTimeType.Stride
    let latest: Bool
    let timing: Timing<Context>
    var held: Downstream.Input?
    /// True within an interval after an emitted value.
    var isShut = false

    mutating func handle(_ event: Event, in outlet: Outlet<Self>) {
        switch event {
        case .value(let value, _):
            if latest || held == nil { held = value }
            emitIfOpen(in: outlet)
        case .tick:
            isShut = false
            emitIfOpen(in: outlet)
        case .completion(.finished, _):
            guard let value = held else { return outlet.complete(.finished) }
            held = nil
            outlet.emitLast(value)
        case .completion(let failure, _): outlet.complete(failure)
        }
    }

    mutating func demandCame(_ demand: Subscribers.Demand, in outlet: Outlet<Self>) {
        emitIfOpen(in: outlet)
    }

    private mutating func emitIfOpen(in outlet: Outlet<Self>) {
        guard !isShut, let value = held, outlet.emit(value) else { return }
        held = nil
        isShut = true
        timing.tick(.tick, in: outlet, at: timing.now.advanced(by: interval))
    }
}

extension Publisher {
    /// Emits the first value at once, then at the end of each interval its latest value (or its first), on the scheduler. A
    /// pending value is emitted when upstream finishes.
    public func throttle<S: Scheduler>(
        for interval: S.SchedulerTimeType.Stride, scheduler: S, latest: Bool
    ) -> Publishers.Throttle<Self, S> {
        Publishers.Throttle(upstream: self, interval: interval, scheduler: scheduler, latest: latest)
    }
}
