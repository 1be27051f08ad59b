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

extension Publisher {
    /// Emits arrays of `count` values; the last may be shorter.
    public func collect(_ count: Int) -> AnyPublisher<[Output], Failure> {
        precondition(count > 0, "an array of nothing would never be full")
        return AnyPublisher { subscribe(Collector(to: $0, count: count)) }
    }
}
