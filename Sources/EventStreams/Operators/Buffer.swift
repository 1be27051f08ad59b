extension Publishers {
    /// How a buffer requests values.
    public enum PrefetchStrategy: Equatable, Hashable, Sendable {
        /// Requests as many values as fit.
        case keepFull
        /// Requests everything.
        case byRequest
    }

    /// The policy for a value that does not fit.
    public enum BufferingStrategy<Failure: Error> {
        case dropNewest
        case dropOldest
        /// Fails after delivering the buffered values.
        case customError(() -> Failure)
    }
}

private struct BufferLogic<Downstream: Subscriber>: OutletLogic {
    typealias Value = Downstream.Input
    typealias Completion = Subscribers.Completion<Downstream.Failure>

    enum Event {
        case value(Value)
        case completion(Completion)
    }

    let size: Int
    let prefetch: Publishers.PrefetchStrategy
    let whenFull: Publishers.BufferingStrategy<Downstream.Failure>
    let source: Lifeline
    var kept = Queue<Value>()
    var completion: Completion?

    mutating func handle(_ event: Event, in outlet: Outlet<Self>) {
        guard completion == nil else { return }
        switch event {
        case .value(let value): take(value, in: outlet)
        // Buffered values were not requested, and a failure does not wait for demand.
        case .completion(.failure(let error)): outlet.complete(.failure(error))
        case .completion(.finished): end(.finished, in: outlet)
        }
    }

    mutating func demandCame(_ demand: Subscribers.Demand, in outlet: Outlet<Self>) {
        if size == 0, prefetch == .keepFull { outlet.ask(source, for: demand) }
        while outlet.isOpen, let value = kept.first, outlet.ledger.claim() {
            kept.removeFirst()
            deliver(value, in: outlet)
        }
        if kept.isEmpty, let completion { outlet.complete(completion) }
    }

    private mutating func take(_ value: Value, in outlet: Outlet<Self>) {
        if kept.isEmpty, outlet.ledger.claim() { return deliver(value, in: outlet) }
        guard kept.count >= size else { return kept.append(value) }
        switch whenFull {
        case .dropNewest: break
        case .dropOldest:
            kept.append(value)
            _ = kept.popFirst()
        case .customError(let error):
            source.cancel()
            end(.failure(error()), in: outlet)
        }
    }

    private func deliver(_ value: Value, in outlet: Outlet<Self>) {
        let more = outlet.deliver(value)
        guard prefetch == .keepFull else { return }
        outlet.ask(source, for: size == 0 ? more : .max(1))
    }

    private mutating func end(_ completion: Completion, in outlet: Outlet<Self>) {
        self.completion = completion
        if kept.isEmpty { outlet.complete(completion) }
    }
}

extension Publisher {
    /// Buffers at most `size` values until downstream requests them. With size 0 it passes on values already requested.
    public func buffer(
        size: Int, prefetch: Publishers.PrefetchStrategy, whenFull: Publishers.BufferingStrategy<Failure>
    ) -> AnyPublisher<Output, Failure> {
        precondition(size >= 0, "a size is never negative")
        return AnyPublisher { subscriber in
            let source = Lifeline()
            let logic = BufferLogic<AnySubscriber<Output, Failure>>(
                size: size, prefetch: prefetch, whenFull: whenFull, source: source)
            subscribe(
                Inlet(
                    to: Outlet("Buffer", logic, to: subscriber), lifeline: source,
                    start: prefetch == .keepFull ? .max(size) : .unlimited, acceptsOverflow: true,
                    onValue: { .value($0) }, onCompletion: { .completion($0) }))
        }
    }
}
