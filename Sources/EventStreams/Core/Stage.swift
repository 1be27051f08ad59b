/// The result of one input in a stateless stage.
@usableFromInline
enum Step<Output> {
    case pass(Output)
    /// Drops the input and requests one more from upstream.
    case skip
    /// Delivers the value, cancels upstream and finishes.
    case last(Output)
}

/// The link between upstream and downstream of an operator that maps each input by itself. It enforces the contract, so that an operator is
/// one closure, whose captured variables need no lock: upstream delivers serially. Upstream retains the stage, and downstream the subscription.
@usableFromInline
final class Stage<Input, Failure: Error, Downstream: Subscriber>: Subscriber {
    @usableFromInline typealias Completion = Subscribers.Completion<Failure>
    @usableFromInline typealias End = Subscribers.Completion<Downstream.Failure>

    @usableFromInline let downstream: Downstream
    @usableFromInline let step: (Input) -> Step<Downstream.Input>
    @usableFromInline let ending: (Completion) -> End
    @usableFromInline let upstream = UpstreamSubscription()

    @inlinable
    init(
        to downstream: Downstream, ending: @escaping (Completion) -> End,
        step: @escaping (Input) -> Step<Downstream.Input>
    ) {
        self.downstream = downstream
        self.ending = ending
        self.step = step
    }

    @usableFromInline
    func receive(subscription: any Subscription) {
        if upstream.attach(subscription) { downstream.receive(subscription: upstream) }
    }

    @inlinable
    func receive(_ input: Input) -> Subscribers.Demand {
        guard upstream.isLive else { return .none }
        switch step(input) {
        case .pass(let output): return downstream.receive(output)
        case .skip: return .max(1)
        case .last(let output):
            _ = downstream.receive(output)
            return stop()
        }
    }

    @usableFromInline
    func receive(completion: Completion) {
        if upstream.end() { downstream.receive(completion: ending(completion)) }
    }

    /// Ends both directions, unless downstream has cancelled.
    @usableFromInline
    func stop() -> Subscribers.Demand {
        if upstream.cancelIfLive() { downstream.receive(completion: .finished) }
        return .none
    }
}

// MARK: - Publisher

extension Publishers {
    /// An operator that handles each value by itself.
    public struct Stepwise<Upstream: Publisher, Output, Failure: Error>: Publisher {
        public let upstream: Upstream
        @usableFromInline let ending: (Subscribers.Completion<Upstream.Failure>) -> Subscribers.Completion<Failure>
        /// Makes the function of one subscription, whose captured variables are its state.
        @usableFromInline let makeStep: () -> (Upstream.Output) -> Step<Output>

        @inlinable
        init(
            upstream: Upstream,
            ending: @escaping (Subscribers.Completion<Upstream.Failure>) -> Subscribers.Completion<Failure>,
            makeStep: @escaping () -> (Upstream.Output) -> Step<Output>
        ) {
            self.upstream = upstream
            self.ending = ending
            self.makeStep = makeStep
        }

        @inlinable @inline(__always)
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            upstream.subscribe(Stage(to: subscriber, ending: ending, step: makeStep()))
        }
    }
}

extension Publisher {
    /// Maps each value to a step.
    @inlinable
    func steps<T>(_ step: @escaping (Output) -> Step<T>) -> Publishers.Stepwise<Self, T, Failure> {
        steps(each: { step })
    }

    /// - Parameter makeStep: makes the function of one subscription.
    @inlinable
    func steps<T>(
        each makeStep: @escaping () -> (Output) -> Step<T>
    ) -> Publishers.Stepwise<Self, T, Failure> {
        Publishers.Stepwise(upstream: self, ending: { $0 }, makeStep: makeStep)
    }

    /// Passes all values on, with another completion.
    func endings<E: Error>(
        _ ending: @escaping (Subscribers.Completion<Failure>) -> Subscribers.Completion<E>
    ) -> Publishers.Stepwise<Self, Output, E> {
        Publishers.Stepwise(upstream: self, ending: ending, makeStep: { { .pass($0) } })
    }
}
