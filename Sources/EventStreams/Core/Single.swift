/// A source of at most one value: delivers it once available and requested, or the completion alone.
///
/// Releases downstream at the end, so that a subscriber may keep the subscription.
final class Single<Downstream: Subscriber>: Subscription, CustomStringConvertible {
    typealias End = Subscribers.Completion<Downstream.Failure>

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
            phase = .delivering
            self.value = nil
            self.downstream = nil
            return (downstream, value)
        }
    }

    private let state: Guarded<State>
    private let onCancel: Guarded<(() -> Void)?>
    private let name: () -> String

    /// - Parameter onCancel: releases the value's producer. Called when downstream cancels before the value.
    init(_ name: @escaping @autoclosure () -> String, to downstream: Downstream, onCancel: (() -> Void)? = nil) {
        self.name = name
        state = Guarded(State(downstream: downstream))
        self.onCancel = Guarded(onCancel)
    }

    var description: String { name() }
    var isOver: Bool { state.withLock { $0.phase == .over } }

    /// Sets the value.
    func resolve(_ value: Downstream.Input) {
        deliver(
            state.withLock { state in
                guard state.phase == .open, state.value == nil else { return nil }
                state.value = value
                return state.takeDue()
            })
    }

    func resolve(_ result: Result<Downstream.Input, Downstream.Failure>) {
        switch result {
        case .success(let value): resolve(value)
        case .failure(let error): finish(.failure(error))
        }
    }

    /// Completes without a value.
    func finish(_ completion: End) {
        let last = close()
        last?.downstream?.receive(completion: completion)
    }

    func request(_ demand: Subscribers.Demand) {
        demand.requirePositive()
        deliver(
            state.withLock { state in
                state.isAsked = true
                return state.takeDue()
            })
    }

    func cancel() {
        let onCancel = takeOnCancel()
        if close() != nil { onCancel?() }
    }

    private func deliver(_ due: (downstream: Downstream, value: Downstream.Input)?) {
        guard let due else { return }
        _ = takeOnCancel()
        _ = due.downstream.receive(due.value)
        let isCancelled = state.withLock { state in
            defer { state.phase = .over }
            return state.phase == .over
        }
        if !isCancelled { due.downstream.receive(completion: .finished) }
    }

    /// Returns the previous state to the one call that ends it, so that it is released outside the lock.
    private func close() -> State? {
        let last: State? = state.withLock { state in
            guard state.phase != .over else { return nil }
            defer { state = State(phase: .over) }
            return state
        }
        if last != nil { _ = takeOnCancel() }
        return last
    }

    private func takeOnCancel() -> (() -> Void)? {
        onCancel.withLock { onCancel in
            defer { onCancel = nil }
            return onCancel
        }
    }
}

/// Reduces upstream to at most one value. Requests everything; the result waits for demand.
final class Reducer<Input, Downstream: Subscriber>: Subscriber {
    typealias Failure = Downstream.Failure

    private let downstream: Downstream
    private let single: Single<Downstream>
    private let lifeline: Lifeline
    private let step: (Input) -> Step<Downstream.Input, Failure>
    private let result: () -> Downstream.Input?

    /// - Parameters:
    ///   - result: the value at upstream's completion; nil for none.
    ///   - step: `.drop` continues, `.last` ends early with the result.
    init(
        to downstream: Downstream, result: @escaping () -> Downstream.Input?,
        step: @escaping (Input) -> Step<Downstream.Input, Failure>
    ) {
        let lifeline = Lifeline()
        self.lifeline = lifeline
        single = Single(lifeline.description, to: downstream) { lifeline.cancel() }
        self.downstream = downstream
        self.step = step
        self.result = result
    }

    func receive(subscription: any Subscription) {
        guard lifeline.attach(subscription) else { return }
        downstream.receive(subscription: single)
        lifeline.request(.unlimited)
    }

    func receive(_ input: Input) -> Subscribers.Demand {
        guard lifeline.isLive else { return .none }
        switch step(input) {
        case .pass, .skip, .drop: break
        case .last(let value): if lifeline.cancelIfLive() { single.resolve(value) }
        case .finish: if lifeline.cancelIfLive() { single.finish(.finished) }
        case .fail(let error): if lifeline.cancelIfLive() { single.finish(.failure(error)) }
        }
        return .none
    }

    func receive(completion: Subscribers.Completion<Failure>) {
        guard lifeline.end() else { return }
        switch completion {
        case .finished: if let value = result() { single.resolve(value) } else { single.finish(.finished) }
        case .failure(let error): single.finish(.failure(error))
        }
    }
}

// MARK: - Publisher

extension Publisher {
    /// Updates a state of each subscription with each value; the result is made of the last state, unless a step ends the stream before.
    func reduction<State, T>(
        of state: State, result: @escaping (State) -> T?, step: @escaping (inout State, Output) -> Step<T, Failure>
    ) -> AnyPublisher<T, Failure> {
        AnyPublisher { subscriber in
            var state = state
            subscribe(Reducer(to: subscriber, result: { result(state) }, step: { step(&state, $0) }))
        }
    }
}
