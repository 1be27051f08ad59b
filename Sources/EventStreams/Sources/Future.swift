/// A result available later, to subscribers that attach before or after.
public final class Future<Output, Failure: Error>: Publisher {
    /// Sets the result; later calls have no effect. Callable from any thread.
    public typealias Promise = @Sendable (Result<Output, Failure>) -> Void

    private enum State {
        /// Subscribers in the order of attachment, retained until the result or their cancel.
        case pending([(id: CombineIdentifier, pass: (Result<Output, Failure>) -> Void)])
        case resolved(Result<Output, Failure>)
    }

    private let state = Guarded(State.pending([]))

    /// Runs the closure immediately, not per subscriber; wrap in `Deferred` for that.
    public init(_ attemptToFulfill: @escaping (@escaping Promise) -> Void) {
        let promise = Carried(self)
        attemptToFulfill { promise.value.resolve($0) }
    }

    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
        let id = CombineIdentifier()
        let source = Single("Future", to: subscriber) { [self] in leave(id) }
        subscriber.receive(subscription: source)
        let result: Result<Output, Failure>? = state.withLock { state in
            switch state {
            case .resolved(let result): return result
            case .pending(var waiting):
                waiting.append((id, { source.resolve($0) }))
                state = .pending(waiting)
                return nil
            }
        }
        if let result { source.resolve(result) } else if source.isOver { leave(id) }
    }

    private func resolve(_ result: Result<Output, Failure>) {
        let waiting: [(id: CombineIdentifier, pass: (Result<Output, Failure>) -> Void)] = state.withLock { state in
            guard case .pending(let waiting) = state else { return [] }
            state = .resolved(result)
            return waiting
        }
        for subscriber in waiting { subscriber.pass(result) }
    }

    private func leave(_ id: CombineIdentifier) {
        // Returned from the closure, so that no subscriber is released under the lock.
        _ = state.withLock { state in
            guard case .pending(let waiting) = state else { return State.pending([]) }
            defer { state = .pending(waiting.filter { $0.id != id }) }
            return state
        }
    }
}

extension Future: Sendable where Output: Sendable {}

extension Future {
    /// Awaits the result; throws the failure.
    public var value: Output {
        get async throws(Failure) { try await result().value.get() }
    }

    private func result() async -> Carried<Result<Output, Failure>> {
        await withCheckedContinuation { continuation in
            let resume: (Result<Output, Failure>) -> Void = { continuation.resume(returning: Carried($0)) }
            subscribe(
                AnySubscriber(
                    receiveSubscription: { $0.request(.max(1)) },
                    receiveValue: {
                        resume(.success($0))
                        return .none
                    },
                    receiveCompletion: { if case .failure(let error) = $0 { resume(.failure(error)) } }))
        }
    }
}
