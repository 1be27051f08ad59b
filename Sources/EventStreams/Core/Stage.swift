/// What one input comes to in an operator that answers each by itself.
@usableFromInline
enum Step<Output, Failure: Error> {
    case pass(Output)
    /// Nothing goes down; upstream is asked for one more instead.
    case skip
    /// Nothing goes down, and nothing is asked for: the value was none of those that downstream has asked for.
    case drop
    /// The value goes down, upstream is cancelled, and the stream finishes.
    case last(Output)
    case finish
    case fail(Failure)
}

/// The downstream-forwarding core: one link between upstream and downstream, where an operator is a closure.
///
/// It sees to the contract (one subscription, nothing before it, one completion, nothing after, the end drops the way
/// up), so that an operator states only what becomes of a value. What the closure captures is the subscription's state;
/// upstream delivers serially, so it needs no lock. Upstream owns it, and downstream gets only its lifeline.
@usableFromInline
final class Stage<Input, Failure: Error, Downstream: Subscriber>: Subscriber {
    @usableFromInline typealias Completion = Subscribers.Completion<Failure>
    @usableFromInline typealias End = Subscribers.Completion<Downstream.Failure>

    @usableFromInline let downstream: Downstream
    @usableFromInline let step: (Input) -> Step<Downstream.Input, Downstream.Failure>
    @usableFromInline let ending: (Completion) -> End
    @usableFromInline let lifeline = Lifeline()
    /// Demand of the operator's own, besides downstream's, as soon as that has the subscription.
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

    /// Ends both ways, unless downstream has cancelled meanwhile.
    @usableFromInline
    func stop(_ completion: End) -> Subscribers.Demand {
        if lifeline.cancelIfLive() { downstream.receive(completion: completion) }
        return .none
    }
}

extension Stage where Failure == Downstream.Failure {
    /// For operators that leave the completion as it is.
    @inlinable
    convenience init(
        to downstream: Downstream, ahead: Subscribers.Demand = .none,
        step: @escaping (Input) -> Step<Downstream.Input, Failure>
    ) {
        self.init(to: downstream, ahead: ahead, ending: { $0 }, step: step)
    }
}

extension Stage where Downstream.Failure == any Error {
    /// For operators whose closures may throw.
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
