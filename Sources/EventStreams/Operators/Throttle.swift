extension Publishers {
    /// Emits at most one value in each interval.
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
            upstream.subscribe(Gate(self, to: subscriber))
        }
    }
}

extension Publishers.Throttle {
    private final class Gate<Downstream: Subscriber>: ScheduledStage<Output, Failure, Downstream, Context>
    where Downstream.Input == Output, Downstream.Failure == Failure {
        private let throttle: Publishers.Throttle<Upstream, Context>
        private var held: Output?
        /// Whether a value was emitted less than an interval ago.
        private var isShut = false

        init(_ throttle: Publishers.Throttle<Upstream, Context>, to downstream: Downstream) {
            self.throttle = throttle
            super.init(to: downstream, on: throttle.scheduler, options: nil)
        }

        override func started() {
            lifeline.request(.unlimited)
        }

        override func handle(_ signal: Signal<Output, Failure>) {
            switch signal {
            case .value(let value):
                if throttle.latest || held == nil { held = value }
                demandCame()
            case .tick:
                isShut = false
                demandCame()
            case .completion(.finished):
                guard let value = held else { return complete(.finished) }
                held = nil
                emitLast(value)
            case .completion(let failure): complete(failure)
            }
        }

        override func demandCame() {
            guard !isShut, let value = held, emit(value) else { return }
            held = nil
            isShut = true
            tick(at: scheduler.now.advanced(by: throttle.interval))
        }
    }
}

extension Publisher {
    /// Emits the first value at once, then at the end of each interval the latest of it, or the first if not `latest`, on
    /// the scheduler. What is held back when upstream finishes is emitted before the end.
    public func throttle<S: Scheduler>(
        for interval: S.SchedulerTimeType.Stride, scheduler: S, latest: Bool
    ) -> Publishers.Throttle<Self, S> {
        Publishers.Throttle(upstream: self, interval: interval, scheduler: scheduler, latest: latest)
    }
}
