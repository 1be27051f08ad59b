extension Publishers {
    /// Emits upstream's values until another publisher emits.
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

    /// Emits upstream's values after another publisher has emitted.
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

/// Logic of `prefix` and `drop(untilOutputFrom:)`: the other publisher's first value ends or opens the stream.
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

    /// - Parameter failure: maps a failure of `other`; nil ignores the end of `other`.
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
            // Replaces the demand used by the dropped value.
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
    /// Finishes at `publisher`'s first value.
    public func prefix<P: Publisher>(untilOutputFrom publisher: P) -> Publishers.PrefixUntilOutput<Self, P> {
        Publishers.PrefixUntilOutput(upstream: self, other: publisher)
    }

    /// Drops values until `publisher`'s first one. Fails if `publisher` fails before it.
    public func drop<P: Publisher>(untilOutputFrom publisher: P) -> Publishers.DropUntilOutput<Self, P>
    where P.Failure == Failure {
        Publishers.DropUntilOutput(upstream: self, other: publisher)
    }
}
