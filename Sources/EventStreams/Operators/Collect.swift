extension Publishers {
    /// Emits all values as one array when upstream finishes.
    public struct Collect<Upstream: Publisher>: Publisher {
        public typealias Output = [Upstream.Output]
        public typealias Failure = Upstream.Failure

        public let upstream: Upstream

        public init(upstream: Upstream) {
            self.upstream = upstream
        }

        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            var collected: Output = []
            upstream.subscribe(
                Reducer(to: subscriber, result: { collected }) {
                    collected.append($0)
                    return .drop
                })
        }
    }

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
    private struct WayUp: Subscription {
        let combineIdentifier = CombineIdentifier()
        let lifeline: Lifeline
        let count: Int

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

extension Publishers.Collect: Equatable where Upstream: Equatable {}
extension Publishers.CollectByCount: Equatable where Upstream: Equatable {}

extension Publisher {
    /// Buffers every value until the end: for short streams.
    public func collect() -> Publishers.Collect<Self> {
        Publishers.Collect(upstream: self)
    }

    public func collect(_ count: Int) -> Publishers.CollectByCount<Self> {
        Publishers.CollectByCount(upstream: self, count: count)
    }
}
