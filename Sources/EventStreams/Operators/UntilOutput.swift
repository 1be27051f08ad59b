extension Publishers {
    /// Emits what upstream emits until another publisher emits something.
    public struct PrefixUntilOutput<Upstream: Publisher, Other: Publisher>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure

        public let upstream: Upstream
        public let other: Other

        public init(upstream: Upstream, other: Other) {
            self.upstream = upstream
            self.other = other
        }

        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            UntilOutputLogic<S>.start(upstream, until: other, isPassing: true, to: subscriber)
        }
    }

    /// Emits what upstream emits once another publisher has emitted something.
    public struct DropUntilOutput<Upstream: Publisher, Other: Publisher>: Publisher
    where Upstream.Failure == Other.Failure {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure

        public let upstream: Upstream
        public let other: Other

        public init(upstream: Upstream, other: Other) {
            self.upstream = upstream
            self.other = other
        }

        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            UntilOutputLogic<S>.start(upstream, until: other, isPassing: false, to: subscriber) { $0 }
        }
    }
}

/// Two publishers, one of which says when: it opens the way for the other one's values, or ends it.
private struct UntilOutputLogic<Downstream: Subscriber>: OutletLogic {
    enum Event {
        case value(Downstream.Input)
        case completion(Subscribers.Completion<Downstream.Failure>)
        case trigger
        case triggerEnded(Subscribers.Completion<Downstream.Failure>)
    }

    let source: Lifeline
    let trigger: Lifeline
    var isPassing: Bool

    /// - Parameter failure: what a failure of `other` comes to; without it, the end of `other` means nothing.
    static func start<P: Publisher, Q: Publisher>(
        _ upstream: P, until other: Q, isPassing: Bool, to downstream: Downstream,
        failure: ((Q.Failure) -> Downstream.Failure)? = nil
    ) where P.Output == Downstream.Input, P.Failure == Downstream.Failure {
        let (source, trigger) = (Lifeline(), Lifeline())
        let logic = UntilOutputLogic(source: source, trigger: trigger, isPassing: isPassing)
        let outlet = Outlet(logic, to: downstream)
        outlet.start()
        trigger.request(.max(1))
        other.subscribe(
            Inlet<Q.Output, Q.Failure, Self>(
                to: outlet, lifeline: trigger, onValue: { _ in .trigger },
                onCompletion: { completion in
                    guard let failure else { return .triggerEnded(.finished) }
                    return .triggerEnded(completion.mapError(failure))
                }))
        upstream.subscribe(
            Inlet(to: outlet, lifeline: source, onValue: { .value($0) }, onCompletion: { .completion($0) }))
    }

    mutating func handle(_ event: Event, in outlet: Outlet<Self>) {
        switch event {
        case .value(let value):
            // The dropped value was asked for: one more takes its place.
            guard isPassing else { return outlet.ask(source, for: .max(1)) }
            if outlet.ledger.claim() { outlet.ask(source, for: outlet.deliver(value)) }
        case .completion(let completion): outlet.complete(completion)
        case .trigger where isPassing: outlet.complete(.finished)
        case .trigger:
            isPassing = true
            trigger.cancel()
        case .triggerEnded(.failure(let error)) where !isPassing: outlet.complete(.failure(error))
        case .triggerEnded: break
        }
    }

    mutating func demandCame(_ demand: Subscribers.Demand, in outlet: Outlet<Self>) {
        outlet.ask(source, for: demand)
    }
}

extension Publishers.PrefixUntilOutput: Equatable where Upstream: Equatable, Other: Equatable {}
extension Publishers.DropUntilOutput: Equatable where Upstream: Equatable, Other: Equatable {}

extension Publisher {
    /// Finishes when `publisher` emits its first value.
    public func prefix<P: Publisher>(untilOutputFrom publisher: P) -> Publishers.PrefixUntilOutput<Self, P> {
        Publishers.PrefixUntilOutput(upstream: self, other: publisher)
    }

    /// Leaves out values until `publisher` emits its first one. Fails when `publisher` fails before that.
    public func drop<P: Publisher>(untilOutputFrom publisher: P) -> Publishers.DropUntilOutput<Self, P>
    where P.Failure == Failure {
        Publishers.DropUntilOutput(upstream: self, other: publisher)
    }
}
