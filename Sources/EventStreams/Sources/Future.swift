/// One result that will be known some time, for everybody who subscribes before or after.
public final class Future<Output, Failure: Error>: Publisher {
    /// Gives the result. The first call counts. It may come from any thread.
    public typealias Promise = @Sendable (Result<Output, Failure>) -> Void

    private enum State {
        case pending([CombineIdentifier: (Result<Output, Failure>) -> Void])
        case resolved(Result<Output, Failure>)
    }

    private let state = Guarded(State.pending([:]))

    /// Runs the closure at once, not when somebody subscribes; `Deferred` is for that.
    public init(_ attemptToFulfill: @escaping (@escaping Promise) -> Void) {
        let promise = Carried(self)
        attemptToFulfill { promise.value.resolve($0) }
    }

    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
        let source = Single(to: subscriber) { [self] in leave($0.combineIdentifier) }
        subscriber.receive(subscription: source)
        let result: Result<Output, Failure>? = state.withLock { state in
            switch state {
            case .resolved(let result): return result
            case .pending(var waiting):
                // Weak, so that a subscriber who cancels in this very moment is not kept.
                waiting[source.combineIdentifier] = { [weak source] in source?.post($0) }
                state = .pending(waiting)
                return nil
            }
        }
        if let result { source.post(result) }
    }

    private func resolve(_ result: Result<Output, Failure>) {
        let waiting: [CombineIdentifier: (Result<Output, Failure>) -> Void] = state.withLock { state in
            guard case .pending(let waiting) = state else { return [:] }
            state = .resolved(result)
            return waiting
        }
        for pass in waiting.values { pass(result) }
    }

    private func leave(_ source: CombineIdentifier) {
        state.withLock { state in
            guard case .pending(var waiting) = state else { return }
            waiting[source] = nil
            state = .pending(waiting)
        }
    }
}

// Sendable: its state is behind a lock.
extension Future: @unchecked Sendable where Output: Sendable {}
