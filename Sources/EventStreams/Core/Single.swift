/// A source of at most one value: delivers it once available and requested, or the completion alone.
///
/// Releases downstream at the end, so that a subscriber may keep the subscription.
final class Single<Downstream: Subscriber>: Subscription {
    private enum Phase {
        case open
        /// The value is being delivered; the completion follows unless downstream cancels.
        case delivering
        case over
    }

    private struct State {
        var phase = Phase.open
        var downstream: Downstream?
        var isAsked = false
        var value: Downstream.Input?

        /// The value and its subscriber, if deliverable.
        mutating func takeDue() -> (Downstream, Downstream.Input)? {
            guard phase == .open, isAsked, let value, let downstream else { return nil }
            self = State(phase: .delivering)
            return (downstream, value)
        }
    }

    private let state: Guarded<State>

    init(to downstream: Downstream) {
        state = Guarded(State(downstream: downstream))
    }

    /// A source whose subscriber has its subscription.
    static func start(_ downstream: Downstream) -> Single {
        let source = Single(to: downstream)
        downstream.receive(subscription: source)
        return source
    }

    var isOver: Bool { state.withLock { $0.phase == .over } }

    /// Sets the value, or completes without one.
    func resolve(_ result: Result<Downstream.Input, Downstream.Failure>) {
        switch result {
        case .failure(let error): finish(.failure(error))
        case .success(let value):
            deliver(
                state.withLock { state in
                    guard state.phase == .open, state.value == nil else { return nil }
                    state.value = value
                    return state.takeDue()
                })
        }
    }

    /// Completes without a value.
    func finish(_ completion: Subscribers.Completion<Downstream.Failure>) {
        close().downstream?.receive(completion: completion)
    }

    func request(_ demand: Subscribers.Demand) {
        demand.requirePositive()
        deliver(
            state.withLock { state in
                state.isAsked = true
                return state.takeDue()
            })
    }

    func cancel() { _ = close() }

    private func deliver(_ due: (downstream: Downstream, value: Downstream.Input)?) {
        guard let due else { return }
        _ = due.downstream.receive(due.value)
        if close().phase != .over { due.downstream.receive(completion: .finished) }
    }

    /// Returns the previous state, so that it is released outside the lock.
    private func close() -> State {
        state.withLock { state in
            defer { state = State(phase: .over) }
            return state
        }
    }
}
