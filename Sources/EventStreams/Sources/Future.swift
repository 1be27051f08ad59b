/// A result available later, to subscribers that attach before or after.
public final class Future<Output, Failure: Error>: Publisher {
    /// Sets the result; later calls have no effect. Callable from any thread.
    public typealias Promise = @Sendable (Result<Output, Failure>) -> Void

    private enum State {
        /// Subscribers in the order of attachment, retained until the result or their cancel.
        case pending([(isOver: () -> Bool, resolve: (Result<Output, Failure>) -> Void)])
        case resolved(Result<Output, Failure>)
    }

    private let state = Guarded(State.pending([]))

    /// Runs the closure immediately, not per subscriber.
    public init(_ attemptToFulfill: @escaping (@escaping Promise) -> Void) {
        let promise = Carried(self)
        attemptToFulfill { promise.value.resolve($0) }
    }

    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
        let source = Single.start(subscriber)
        let result: Result<Output, Failure>? = state.withLock { state in
            switch state {
            case .resolved(let result): return result
            case .pending(let waiting):
                // Drops the cancelled ones, which have released their subscribers.
                state = .pending(waiting.filter { !$0.isOver() } + [({ source.isOver }, { source.resolve($0) })])
                return nil
            }
        }
        if let result { source.resolve(result) }
    }

    private func resolve(_ result: Result<Output, Failure>) {
        let last = state.withLock { state in
            let last = state
            if case .pending = last { state = .resolved(result) }
            return last
        }
        guard case .pending(let waiting) = last else { return }
        for subscriber in waiting { subscriber.resolve(result) }
    }
}

extension Future: Sendable where Output: Sendable {}
