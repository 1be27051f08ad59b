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
        let storage = OperatorStorage(FutureStateMachine(), to: subscriber)
        storage.start()
        let source = storage.makeHandle()
        let result: Result<Output, Failure>? = state.withLock { state in
            switch state {
            case .resolved(let result): return result
            case .pending(let waiting):
                // Drops the cancelled ones, which have released their subscribers.
                state = .pending(
                    waiting.filter { !$0.isOver() } + [({ source.storage == nil }, { source.storage?.post(.event($0)) })])
                return nil
            }
        }
        if let result { storage.post(.event(result)) }
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

/// Delivers the value once it is here and requested; its one event is the result.
private struct FutureStateMachine<Downstream: Subscriber>: OperatorStateMachine {
    private var value: Downstream.Input?

    mutating func handle(_ result: Result<Downstream.Input, Downstream.Failure>, in storage: OperatorStorage<Self>) {
        switch result {
        case .success(let value):
            self.value = value
            demandCame(.none, in: storage)
        case .failure(let error): storage.complete(.failure(error))
        }
    }

    mutating func demandCame(_: Subscribers.Demand, in storage: OperatorStorage<Self>) {
        guard let value, storage.emit(value) else { return }
        self.value = nil
        storage.complete(.finished)
    }
}
