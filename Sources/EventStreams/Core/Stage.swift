/// The result of one input in a stateless stage.
@usableFromInline
enum Step<Output, Failure: Error> {
    case pass(Output)
    /// Drops the input and requests one more from upstream.
    case skip
    /// Drops the input without a request: it was not part of downstream's demand.
    case drop
    /// Delivers the value, cancels upstream and finishes.
    case last(Output)
    case finish
    case fail(Failure)
}

/// The link between upstream and downstream of an operator that maps each input by itself. It enforces the contract, so that an operator is
/// one closure, whose captured variables need no lock: upstream delivers serially. Upstream retains it, downstream its lifeline.
@usableFromInline
final class Stage<Input, Failure: Error, Downstream: Subscriber>: Subscriber {
    @usableFromInline typealias Completion = Subscribers.Completion<Failure>
    @usableFromInline typealias End = Subscribers.Completion<Downstream.Failure>

    @usableFromInline let downstream: Downstream
    @usableFromInline let step: (Input) -> Step<Downstream.Input, Downstream.Failure>
    @usableFromInline let ending: (Completion) -> End
    @usableFromInline let lifeline = Lifeline()
    /// The operator's own demand besides downstream's, requested once downstream has its subscription.
    @usableFromInline let ahead: Subscribers.Demand

    @inlinable
    init(
        to downstream: Downstream, ahead: Subscribers.Demand = .none, ending: @escaping (Completion) -> End,
        step: @escaping (Input) -> Step<Downstream.Input, Downstream.Failure>
    ) {
        self.downstream = downstream
        self.ahead = ahead
        self.ending = ending
        self.step = step
    }

    @usableFromInline
    func receive(subscription: any Subscription) {
        guard lifeline.attach(subscription) else { return }
        downstream.receive(subscription: lifeline)
        if ahead > .none { lifeline.request(ahead) }
    }

    @inlinable
    func receive(_ input: Input) -> Subscribers.Demand {
        guard lifeline.isLive else { return .none }
        switch step(input) {
        case .pass(let output): return downstream.receive(output)
        case .skip: return .max(1)
        case .drop: return .none
        case .last(let output):
            _ = downstream.receive(output)
            return stop(.finished)
        case .finish: return stop(.finished)
        case .fail(let error): return stop(.failure(error))
        }
    }

    @usableFromInline
    func receive(completion: Completion) {
        if lifeline.end() { downstream.receive(completion: ending(completion)) }
    }

    /// Ends both directions, unless downstream has cancelled.
    @usableFromInline
    func stop(_ completion: End) -> Subscribers.Demand {
        if lifeline.cancelIfLive() { downstream.receive(completion: completion) }
        return .none
    }
}

extension Stage where Failure == Downstream.Failure {
    /// For operators that do not transform the completion.
    @inlinable
    convenience init(
        to downstream: Downstream, ahead: Subscribers.Demand = .none,
        step: @escaping (Input) -> Step<Downstream.Input, Failure>
    ) {
        self.init(to: downstream, ahead: ahead, ending: { $0 }, step: step)
    }
}

extension Stage where Downstream.Failure == any Error {
    /// For throwing closures.
    @inlinable
    convenience init(
        to downstream: Downstream, throwing step: @escaping (Input) throws -> Step<Downstream.Input, any Error>
    ) {
        let guarded: (Input) -> Step<Downstream.Input, any Error> = { input in
            do { return try step(input) } catch { return .fail(error) }
        }
        self.init(to: downstream, ending: { $0.mapError { $0 } }, step: guarded)
    }
}

extension Stage: OverflowAccepting {
    var acceptsOverflow: Bool { downstream.keepsOverflow }
}
