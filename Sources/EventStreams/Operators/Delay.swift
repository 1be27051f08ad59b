extension Publishers {
    /// Emits everything some time later.
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
            upstream.subscribe(Lag(self, to: subscriber))
        }
    }
}

extension Publishers.Delay {
    private final class Lag<Downstream: Subscriber>: ScheduledStage<Output, Failure, Downstream, Context>
    where Downstream.Input == Output, Downstream.Failure == Failure {
        private let delay: Publishers.Delay<Upstream, Context>
        private var underway = Queue<(due: Context.SchedulerTimeType, signal: Signal<Output, Failure>)>()

        init(_ delay: Publishers.Delay<Upstream, Context>, to downstream: Downstream) {
            self.delay = delay
            super.init(to: downstream, on: delay.scheduler, options: delay.options)
        }

        override var acceptsOverflow: Bool { downstream.keepsOverflow }

        override func passUp(_ demand: Subscribers.Demand) {
            lifeline.request(demand)
        }

        override func handle(_ signal: Signal<Output, Failure>) {
            if case .tick = signal { return arrive() }
            let due = scheduler.now.advanced(by: delay.interval)
            underway.append((due, signal))
            // One timer at a time, for whichever is next: they are due in order.
            if underway.count == 1 { tick(at: due, tolerance: delay.tolerance) }
        }

        private func arrive() {
            while let next = underway.first {
                guard scheduler.now >= next.due else { return tick(at: next.due, tolerance: delay.tolerance) }
                underway.removeFirst()
                switch next.signal {
                case .value(let value): forward(value)
                case .completion(let completion): complete(completion)
                case .tick: break
                }
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
