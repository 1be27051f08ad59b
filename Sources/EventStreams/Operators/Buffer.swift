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

    /// Buffers values without downstream demand. With size 0 it passes on values already requested.
    public struct Buffer<Upstream: Publisher>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure

        public let upstream: Upstream
        public let size: Int
        public let prefetch: PrefetchStrategy
        public let whenFull: BufferingStrategy<Failure>
        let onDrop: (Output) -> Void

        public init(upstream: Upstream, size: Int, prefetch: PrefetchStrategy, whenFull: BufferingStrategy<Failure>) {
            self.init(upstream: upstream, size: size, prefetch: prefetch, whenFull: whenFull, onDrop: { _ in })
        }

        init(
            upstream: Upstream, size: Int, prefetch: PrefetchStrategy, whenFull: BufferingStrategy<Failure>,
            onDrop: @escaping (Output) -> Void
        ) {
            precondition(size >= 0, "a size is never negative")
            self.upstream = upstream
            self.size = size
            self.prefetch = prefetch
            self.whenFull = whenFull
            self.onDrop = onDrop
        }

        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            let source = Lifeline()
            let logic = BufferLogic<Upstream, S>(
                size: size, prefetch: prefetch, whenFull: whenFull, onDrop: onDrop, source: source)
            let outlet = Outlet("Buffer", logic, to: subscriber)
            upstream.subscribe(
                Inlet(
                    to: outlet, lifeline: source, start: prefetch == .keepFull ? .max(size) : .unlimited,
                    acceptsOverflow: true, onValue: { .value($0) }, onCompletion: { .completion($0) }))
        }
    }
}

private struct BufferLogic<Upstream: Publisher, Downstream: Subscriber>: OutletLogic
where Downstream.Input == Upstream.Output, Downstream.Failure == Upstream.Failure {
    enum Event {
        case value(Upstream.Output)
        case completion(Subscribers.Completion<Upstream.Failure>)
    }

    let size: Int
    let prefetch: Publishers.PrefetchStrategy
    let whenFull: Publishers.BufferingStrategy<Upstream.Failure>
    let onDrop: (Upstream.Output) -> Void
    let source: Lifeline
    var kept = Queue<Upstream.Output>()
    var completion: Subscribers.Completion<Upstream.Failure>?

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

    private mutating func take(_ value: Upstream.Output, in outlet: Outlet<Self>) {
        if kept.isEmpty, outlet.ledger.claim() { return deliver(value, in: outlet) }
        guard kept.count >= size else { return kept.append(value) }
        switch whenFull {
        case .dropNewest: onDrop(value)
        case .dropOldest:
            kept.append(value)
            if let oldest = kept.popFirst() { onDrop(oldest) }
        case .customError(let error):
            source.cancel()
            end(.failure(error()), in: outlet)
        }
    }

    private func deliver(_ value: Upstream.Output, in outlet: Outlet<Self>) {
        let more = outlet.deliver(value)
        guard prefetch == .keepFull else { return }
        outlet.ask(source, for: size == 0 ? more : .max(1))
    }

    private mutating func end(_ completion: Subscribers.Completion<Upstream.Failure>, in outlet: Outlet<Self>) {
        self.completion = completion
        if kept.isEmpty { outlet.complete(completion) }
    }
}

extension Publisher {
    /// Buffers at most `size` values until downstream requests them.
    public func buffer(
        size: Int, prefetch: Publishers.PrefetchStrategy, whenFull: Publishers.BufferingStrategy<Failure>
    ) -> Publishers.Buffer<Self> {
        Publishers.Buffer(upstream: self, size: size, prefetch: prefetch, whenFull: whenFull)
    }

    /// As `buffer(size:prefetch:whenFull:)`; reports each dropped value.
    public func buffer(
        size: Int, prefetch: Publishers.PrefetchStrategy, whenFull: Publishers.BufferingStrategy<Failure>,
        onDrop: @escaping (Output) -> Void
    ) -> Publishers.Buffer<Self> {
        Publishers.Buffer(upstream: self, size: size, prefetch: prefetch, whenFull: whenFull, onDrop: onDrop)
    }
}
