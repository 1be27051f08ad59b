extension Publishers {
    /// Emits a value once no other has followed it for some time.
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
            upstream.subscribe(Settler(dueTime, to: subscriber, on: scheduler, options: options))
        }
    }
}

extension Publishers.Debounce {
    private final class Settler<Downstream: Subscriber>: ScheduledStage<Output, Failure, Downstream, Context>
    where Downstream.Input == Output, Downstream.Failure == Failure {
        private let dueTime: Context.SchedulerTimeType.Stride
        private var latest: Output?
        private var deadline: Context.SchedulerTimeType?
        private var isTimerSet = false

        init(
            _ dueTime: Context.SchedulerTimeType.Stride, to downstream: Downstream, on scheduler: Context,
            options: Context.SchedulerOptions?
        ) {
            self.dueTime = dueTime
            super.init(to: downstream, on: scheduler, options: options)
        }

        override func started() {
            lifeline.request(.unlimited)
        }

        override func handle(_ signal: Signal<Output, Failure>) {
            switch signal {
            case .value(let value):
                latest = value
                deadline = scheduler.now.advanced(by: dueTime)
                setTimer()
            case .tick:
                isTimerSet = false
                // A value that came meanwhile has moved the deadline: one timer serves them all.
                if let deadline, scheduler.now < deadline { setTimer() } else { deadline = nil }
                demandCame()
            case .completion(let completion): complete(completion)
            }
        }

        /// A value that is due when there is no demand waits for it, or for the next value to replace it.
        override func demandCame() {
            if deadline == nil, let value = latest, emit(value) { latest = nil }
        }

        private func setTimer() {
            guard !isTimerSet, let deadline else { return }
            isTimerSet = true
            tick(at: deadline)
        }
    }
}

extension Publisher {
    /// Emits a value when `dueTime` has passed without another, on the scheduler. What is still held back when upstream
    /// completes is not emitted, as in Combine.
    public func debounce<S: Scheduler>(
        for dueTime: S.SchedulerTimeType.Stride, scheduler: S, options: S.SchedulerOptions? = nil
    ) -> Publishers.Debounce<Self, S> {
        Publishers.Debounce(upstream: self, dueTime: dueTime, scheduler: scheduler, options: options)
    }
}
