/// A publisher as an asynchronous sequence that throws its failure.
public struct AsyncPublisher<P: Publisher>: AsyncSequence {
    public typealias Element = P.Output

    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let reader: Reader<P.Output, P.Failure>
        fileprivate let cancellable: AnyCancellable

        public mutating func next() async throws(P.Failure) -> P.Output? {
            try await next(isolation: nil)
        }

        public mutating func next(isolation actor: isolated (any Actor)?) async throws(P.Failure) -> P.Output? {
            try await reader.next(isolation: actor)?.get()
        }
    }

    private let publisher: P

    public init(_ publisher: P) {
        self.publisher = publisher
    }

    public func makeAsyncIterator() -> Iterator {
        let reader = Reader(publisher)
        return Iterator(reader: reader, cancellable: AnyCancellable(reader.upstream))
    }
}

/// Requests one value at a time for an awaiting task.
private final class Reader<Input, Failure: Error>: Subscriber {
    typealias Item = Result<Input, Failure>?
    typealias Continuation = CheckedContinuation<Carried<Item>, Never>

    private struct State {
        /// Awaiting tasks in FIFO order: copies of an iterator share the values.
        var waiting = Queue<Continuation>()
        /// Events without an awaiting task: the failure, or a value from a source that ignores demand.
        var arrived = Queue<Result<Input, Failure>>()
        var isOver = false
    }

    let upstream = UpstreamSubscription()
    private let state = Guarded(State())

    init<P: Publisher>(_ publisher: P) where P.Output == Input, P.Failure == Failure {
        publisher.subscribe(self)
    }

    func next(isolation actor: isolated (any Actor)?) async -> Item {
        await withTaskCancellationHandler(
            operation: { await withCheckedContinuation(isolation: actor, wait).value },
            onCancel: { end() },
            isolation: actor)
    }

    private func wait(_ continuation: Continuation) {
        let answer: Carried<Item>? = state.withLock { state in
            if let item = state.arrived.popFirst() { return Carried(item) }
            if state.isOver { return Carried(nil) }
            state.waiting.append(continuation)
            return nil
        }
        if let answer { continuation.resume(returning: answer) } else { upstream.request(.max(1)) }
    }

    func receive(subscription: any Subscription) {
        _ = upstream.attach(subscription)
    }

    func receive(_ input: Input) -> Subscribers.Demand {
        if upstream.isLive { pass(.success(input)) }
        return .none
    }

    func receive(completion: Subscribers.Completion<Failure>) {
        guard upstream.end() else { return }
        if case .failure(let error) = completion { pass(.failure(error)) }
        end()
    }

    private func pass(_ item: Result<Input, Failure>) {
        let waiting: Continuation? = state.withLock { state in
            let first = state.waiting.popFirst()
            if first == nil { state.arrived.append(item) }
            return first
        }
        waiting?.resume(returning: Carried(item))
    }

    /// Ends the sequence, by completion or task cancellation.
    private func end() {
        upstream.cancel()
        var waiting: Queue<Continuation> = state.withLock { state in
            state.isOver = true
            defer { state.waiting = Queue() }
            return state.waiting
        }
        while let next = waiting.popFirst() { next.resume(returning: Carried(nil)) }
    }
}

extension Reader: Sendable {}

extension Publisher {
    /// Requests each value when the loop awaits it; throws the stream's failure. A subject drops values in between.
    public var values: AsyncPublisher<Self> {
        AsyncPublisher(self)
    }
}
