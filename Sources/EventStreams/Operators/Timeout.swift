extension Publishers {
    /// Ends the stream when nothing has come for some time.
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
            upstream.subscribe(Watch(self, to: subscriber))
        }
    }
}

extension Publishers.Timeout {
    private final class Watch<Downstream: Subscriber>: ScheduledStage<Output, Failure, Downstream, Context>
    where Downstream.Input == Output, Downstream.Failure == Failure {
        private let timeout: Publishers.Timeout<Upstream, Context>
        private var deadline: Context.SchedulerTimeType

        init(_ timeout: Publishers.Timeout<Upstream, Context>, to downstream: Downstream) {
            self.timeout = timeout
            deadline = timeout.scheduler.now.advanced(by: timeout.interval)
            super.init(to: downstream, on: timeout.scheduler, options: timeout.options)
        }

        override var acceptsOverflow: Bool { downstream.keepsOverflow }

        override func started() {
            tick(at: deadline)
        }

        override func passUp(_ demand: Subscribers.Demand) {
            lifeline.request(demand)
        }

        override func handle(_ signal: Signal<Output, Failure>) {
            switch signal {
            case .value(let value):
                deadline = scheduler.now.advanced(by: timeout.interval)
                forward(value)
            case .completion(let completion): complete(completion)
            case .tick:
                // A value that came meanwhile has moved the deadline: one timer serves them all.
                guard scheduler.now >= deadline else { return tick(at: deadline) }
                complete(timeout.customError.map { .failure($0()) } ?? .finished)
            }
        }
    }
}

extension Publisher {
    /// Ends the stream, with the custom error or else by finishing, when `interval` passes without a value.
    public func timeout<S: Scheduler>(
        _ interval: S.SchedulerTimeType.Stride, scheduler: S, options: S.SchedulerOptions? = nil,
        customError: (() -> Failure)? = nil
    ) -> Publishers.Timeout<Self, S> {
        Publishers.Timeout(
            upstream: self, interval: interval, scheduler: scheduler, options: options, customError: customError)
    }
}
