extension Publishers {
    /// Emits arrays of `count` values; the last may be shorter.
    public struct CollectByCount<Upstream: Publisher>: Publisher {
        public typealias Output = [Upstream.Output]
        public typealias Failure = Upstream.Failure

        public let upstream: Upstream
        public let count: Int

        public init(upstream: Upstream, count: Int) {
            precondition(count > 0, "an array of nothing would never be full")
            self.upstream = upstream
            self.count = count
        }

        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            upstream.subscribe(Collector<Upstream.Output, Failure, S>(to: subscriber, count: count))
        }
    }
}

/// Collects arrays of fixed length. Retained by upstream; multiplies downstream's demand.
private final class Collector<Input, Failure, Downstream: Subscriber>: Subscriber
where Downstream.Input == [Input], Downstream.Failure == Failure {
    private struct WayUp: Subscription, CustomStringConvertible {
        let combineIdentifier = CombineIdentifier()
        let lifeline: Lifeline
        let count: Int

        var description: String { lifeline.description }

        func request(_ demand: Subscribers.Demand) { lifeline.request(demand * count) }
        func cancel() { lifeline.cancel() }
    }

    private let downstream: Downstream
    private let count: Int
    private let lifeline = Lifeline()
    private var collected: [Input] = []

    init(to downstream: Downstream, count: Int) {
        self.downstream = downstream
        self.count = count
    }

    func receive(subscription: any Subscription) {
        guard lifeline.attach(subscription) else { return }
        downstream.receive(subscription: WayUp(lifeline: lifeline, count: count))
    }

    func receive(_ input: Input) -> Subscribers.Demand {
        guard lifeline.isLive else { return .none }
        collected.append(input)
        guard collected.count == count else { return .none }
        let full = collected
        collected = []
        return downstream.receive(full) * count
    }

    func receive(completion: Subscribers.Completion<Failure>) {
        guard lifeline.isLive else { return }
        // Already requested: requests to upstream cover whole arrays.
        if case .finished = completion, !collected.isEmpty { _ = downstream.receive(collected) }
        if lifeline.end() { downstream.receive(completion: completion) }
    }
}

extension Publishers.CollectByCount: Equatable where Upstream: Equatable {}

extension Publisher {
    public func collect(_ count: Int) -> Publishers.CollectByCount<Self> {
        Publishers.CollectByCount(upstream: self, count: count)
    }
}

// MARK: - CollectByTime

extension Publishers {
    /// When collected values form an array.
    public enum TimeGroupingStrategy<Context: Scheduler> {
        /// At the end of each interval on the scheduler, counted from the subscription.
        case byTime(Context, Context.SchedulerTimeType.Stride)
        /// As `byTime`, or once the count is reached.
        case byTimeOrCount(Context, Context.SchedulerTimeType.Stride, Int)
    }

    /// Emits arrays of values by time.
    public struct CollectByTime<Upstream: Publisher, Context: Scheduler>: Publisher {
        public typealias Output = [Upstream.Output]
        public typealias Failure = Upstream.Failure

        public let upstream: Upstream
        public let strategy: TimeGroupingStrategy<Context>
        public let options: Context.SchedulerOptions?

        public init(upstream: Upstream, strategy: TimeGroupingStrategy<Context>, options: Context.SchedulerOptions?) {
            self.upstream = upstream
            self.strategy = strategy
            self.options = options
        }

        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            let (scheduler, interval, count) =
                switch strategy {
                case .byTime(let scheduler, let interval): (scheduler, interval, Int.max)
                case .byTimeOrCount(let scheduler, let interval, let count): (scheduler, interval, count)
                }
            let timing = Timing(scheduler, options: options)
            let logic = CollectByTimeLogic<Upstream.Output, S, Context>(
                interval: interval, count: count, timing: timing, boundary: timing.now)
            upstream.subscribe("CollectByTime", timed: logic, to: subscriber, timing, start: .unlimited)
        }
    }
}

private struct CollectByTimeLogic<Input, Downstream: Subscriber, Context: Scheduler>: OutletLogic
where Downstream.Input == [Input] {
    typealias Time = Context.SchedulerTimeType
    typealias Event = Signal<Input, Downstream.Failure, Time>

    let interval: Time.Stride
    let count: Int
    let timing: Timing<Context>
    /// Start of an interval: the subscription, or the end of a previous interval.
    var boundary: Time
    var collected: [Input] = []
    var isTimerSet = false
    /// Complete arrays awaiting demand.
    var ready = Queue<[Input]>()

    mutating func handle(_ event: Event, in outlet: Outlet<Self>) {
        switch event {
        case .value(let value, let time):
            collected.append(value)
            if collected.count >= count { close() }
            setTimer(after: time, in: outlet)
            emit(in: outlet)
        case .tick:
            isTimerSet = false
            close()
            emit(in: outlet)
        case .completion(.finished, _): finish(in: outlet)
        case .completion(let failure, _): outlet.complete(failure)
        }
    }

    mutating func demandCame(_ demand: Subscribers.Demand, in outlet: Outlet<Self>) {
        emit(in: outlet)
    }

    private mutating func close() {
        if !collected.isEmpty { ready.append(collected) }
        collected = []
    }

    private mutating func emit(in outlet: Outlet<Self>) {
        while let next = ready.first, outlet.emit(next) { ready.removeFirst() }
    }

    /// Emits the rest as a last array once there is demand.
    private mutating func finish(in outlet: Outlet<Self>) {
        var rest: [Input] = []
        while let next = ready.popFirst() { rest += next }
        rest += collected
        if rest.isEmpty { outlet.complete(.finished) } else { outlet.emitLast(rest) }
    }

    /// Only while values are held: an idle stream needs no timer.
    private mutating func setTimer(after time: Time, in outlet: Outlet<Self>) {
        guard !isTimerSet, !collected.isEmpty else { return }
        isTimerSet = true
        skipIntervals(before: time)
        boundary = boundary.advanced(by: interval)
        timing.tick(.tick, in: outlet, at: boundary)
    }

    /// Advances the boundary to the interval that contains `time`, in doubling steps.
    private mutating func skipIntervals(before time: Time) {
        var step = interval
        while interval > 0, boundary.advanced(by: interval) <= time {
            if boundary.advanced(by: step) <= time {
                boundary = boundary.advanced(by: step)
                step += step
            } else {
                step = interval
            }
        }
    }
}

extension Publisher {
    /// Emits arrays by time, or by time and count; the rest comes when this publisher finishes.
    public func collect<S: Scheduler>(
        _ strategy: Publishers.TimeGroupingStrategy<S>, options: S.SchedulerOptions? = nil
    ) -> Publishers.CollectByTime<Self, S> {
        Publishers.CollectByTime(upstream: self, strategy: strategy, options: options)
    }
}
