// MARK: Prefix and Output

extension Publishers {
    public typealias PrefixWhile<Upstream: Publisher> = Filter<Upstream>
    public typealias TryPrefixWhile<Upstream: Publisher> = TryFilter<Upstream>

    /// Emits the values in a range of zero-based positions, then finishes.
    public struct Output<Upstream: Publisher>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure

        public let upstream: Upstream
        public let range: CountableRange<Int>

        public init(upstream: Upstream, range: CountableRange<Int>) {
            precondition(range.lowerBound >= 0, "values are counted from zero")
            self.upstream = upstream
            self.range = range
        }

        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            guard !range.isEmpty else { return Empty().subscribe(subscriber) }
            var number = -1
            let step: (Output) -> Step<Output, Failure> = { [range] value in
                number += 1
                if number < range.lowerBound { return .drop }
                if number + 1 < range.upperBound { return .pass(value) }
                return number < range.upperBound ? .last(value) : .finish
            }
            upstream.subscribe(Stage(to: subscriber, ahead: .max(range.lowerBound), ending: { $0 }, step: step))
        }
    }
}

extension Publishers.Output: Equatable where Upstream: Equatable {}

extension Publisher {
    /// Emits at most the first `maxLength` values.
    public func prefix(_ maxLength: Int) -> Publishers.Output<Self> {
        Publishers.Output(upstream: self, range: 0..<maxLength)
    }

    /// Emits only the value at this zero-based position.
    public func output(at index: Int) -> Publishers.Output<Self> {
        output(in: index..<index.addingSaturated(1))
    }

    /// Emits the values at the zero-based positions of the range.
    public func output<R: RangeExpression<Int>>(in range: R) -> Publishers.Output<Self> {
        Publishers.Output(upstream: self, range: range.relative(to: 0..<Int.max))
    }

    /// Finishes before the first value that fails the predicate.
    public func prefix(while predicate: @escaping (Output) -> Bool) -> Publishers.PrefixWhile<Self> {
        steps { predicate($0) ? .pass($0) : .finish }
    }

    /// As `prefix(while:)`; a thrown error fails the stream and cancels upstream.
    public func tryPrefix(while predicate: @escaping (Output) throws -> Bool) -> Publishers.TryPrefixWhile<Self> {
        trySteps { try predicate($0) ? .pass($0) : .finish }
    }
}

// MARK: - Drop

extension Publishers {
    public typealias Drop<Upstream: Publisher> = Filter<Upstream>
    public typealias DropWhile<Upstream: Publisher> = Filter<Upstream>
    public typealias TryDropWhile<Upstream: Publisher> = TryFilter<Upstream>
}

extension Publisher {
    /// Skips the first values, with demand of its own for them.
    public func dropFirst(_ count: Int = 1) -> Publishers.Drop<Self> {
        precondition(count >= 0, "a count is never negative")
        return steps(ahead: .max(count)) {
            var left = count
            return {
                guard left > 0 else { return .pass($0) }
                left -= 1
                return .drop
            }
        }
    }

    /// Skips values while the predicate holds.
    public func drop(while predicate: @escaping (Output) -> Bool) -> Publishers.DropWhile<Self> {
        steps(each: {
            var isDropping = true
            return {
                isDropping = isDropping && predicate($0)
                return isDropping ? .skip : .pass($0)
            }
        })
    }

    /// As `drop(while:)`; a thrown error fails the stream and cancels upstream.
    public func tryDrop(while predicate: @escaping (Output) throws -> Bool) -> Publishers.TryDropWhile<Self> {
        trySteps(each: {
            var isDropping = true
            return {
                isDropping = try isDropping && predicate($0)
                return isDropping ? .skip : .pass($0)
            }
        })
    }
}

// MARK: - PrefixUntilOutput and DropUntilOutput

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
        let outlet = Outlet(isPassing ? "PrefixUntilOutput" : "DropUntilOutput", logic, to: downstream)
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
        // Without a trigger no value would ever pass.
        case .triggerEnded(let completion): if !isPassing { outlet.complete(completion) }
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

    /// Drops values until `publisher`'s first one. Ends as `publisher` does if that ends before its first value.
    public func drop<P: Publisher>(untilOutputFrom publisher: P) -> Publishers.DropUntilOutput<Self, P>
    where P.Failure == Failure {
        Publishers.DropUntilOutput(upstream: self, other: publisher)
    }
}
