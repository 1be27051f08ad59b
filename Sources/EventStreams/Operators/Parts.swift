// MARK: - Prefix and Output

extension Publishers {
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
            upstream.subscribe(
                Stage(to: subscriber, ahead: .max(range.lowerBound)) { [range] value in
                    number += 1
                    if number < range.lowerBound { return .drop }
                    if number + 1 < range.upperBound { return .pass(value) }
                    return number < range.upperBound ? .last(value) : .finish
                })
        }
    }

    /// Emits values while a predicate holds.
    public struct PrefixWhile<Upstream: Publisher>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure

        public let upstream: Upstream
        public let predicate: (Output) -> Bool

        public init(upstream: Upstream, predicate: @escaping (Output) -> Bool) {
            self.upstream = upstream
            self.predicate = predicate
        }

        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            upstream.subscribe(Stage(to: subscriber) { [predicate] in predicate($0) ? .pass($0) : .finish })
        }
    }

    /// As `PrefixWhile`, with a throwing predicate.
    public struct TryPrefixWhile<Upstream: Publisher>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = any Error

        public let upstream: Upstream
        public let predicate: (Output) throws -> Bool

        public init(upstream: Upstream, predicate: @escaping (Output) throws -> Bool) {
            self.upstream = upstream
            self.predicate = predicate
        }

        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            upstream.subscribe(Stage(to: subscriber, throwing: { [predicate] in try predicate($0) ? .pass($0) : .finish }))
        }
    }
}

extension Publishers.Output: Equatable where Upstream: Equatable {}

extension Publisher {
    /// Emits at most the first `maxLength` values.
    public func prefix(_ maxLength: Int) -> Publishers.Output<Self> {
        Publishers.Output(upstream: self, range: 0..<maxLength)
    }

    /// Finishes before the first value that fails the predicate.
    public func prefix(while predicate: @escaping (Output) -> Bool) -> Publishers.PrefixWhile<Self> {
        Publishers.PrefixWhile(upstream: self, predicate: predicate)
    }

    /// As `prefix(while:)`; a thrown error fails the stream and cancels upstream.
    public func tryPrefix(while predicate: @escaping (Output) throws -> Bool) -> Publishers.TryPrefixWhile<Self> {
        Publishers.TryPrefixWhile(upstream: self, predicate: predicate)
    }

    /// Emits only the value at this zero-based position.
    public func output(at index: Int) -> Publishers.Output<Self> {
        output(in: index..<index.addingSaturated(1))
    }

    /// Emits the values at the zero-based positions of the range.
    public func output<R: RangeExpression<Int>>(in range: R) -> Publishers.Output<Self> {
        Publishers.Output(upstream: self, range: range.relative(to: 0..<Int.max))
    }
}

// MARK: - Drop

extension Publishers {
    /// Skips the first values, with demand of its own for them.
    public struct Drop<Upstream: Publisher>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure

        public let upstream: Upstream
        public let count: Int

        public init(upstream: Upstream, count: Int) {
            precondition(count >= 0, "a count is never negative")
            self.upstream = upstream
            self.count = count
        }

        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            var left = count
            upstream.subscribe(
                Stage(to: subscriber, ahead: .max(count)) {
                    guard left > 0 else { return .pass($0) }
                    left -= 1
                    return .drop
                })
        }
    }

    /// Skips values while a predicate holds.
    public struct DropWhile<Upstream: Publisher>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure

        public let upstream: Upstream
        public let predicate: (Output) -> Bool

        public init(upstream: Upstream, predicate: @escaping (Output) -> Bool) {
            self.upstream = upstream
            self.predicate = predicate
        }

        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            var isDropping = true
            upstream.subscribe(
                Stage(to: subscriber) { [predicate] in
                    isDropping = isDropping && predicate($0)
                    return isDropping ? .skip : .pass($0)
                })
        }
    }

    /// As `DropWhile`, with a throwing predicate.
    public struct TryDropWhile<Upstream: Publisher>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = any Error

        public let upstream: Upstream
        public let predicate: (Output) throws -> Bool

        public init(upstream: Upstream, predicate: @escaping (Output) throws -> Bool) {
            self.upstream = upstream
            self.predicate = predicate
        }

        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            var isDropping = true
            upstream.subscribe(
                Stage(
                    to: subscriber,
                    throwing: { [predicate] in
                        isDropping = try isDropping && predicate($0)
                        return isDropping ? .skip : .pass($0)
                    }))
        }
    }
}

extension Publishers.Drop: Equatable where Upstream: Equatable {}

extension Publishers.Drop {
    /// Fuses with the previous operator: the counts add up.
    public func dropFirst(_ count: Int = 1) -> Publishers.Drop<Upstream> {
        Publishers.Drop(upstream: upstream, count: self.count.addingSaturated(count))
    }
}

extension Publisher {
    public func dropFirst(_ count: Int = 1) -> Publishers.Drop<Self> {
        Publishers.Drop(upstream: self, count: count)
    }

    public func drop(while predicate: @escaping (Output) -> Bool) -> Publishers.DropWhile<Self> {
        Publishers.DropWhile(upstream: self, predicate: predicate)
    }

    /// As `drop(while:)`; a thrown error fails the stream and cancels upstream.
    public func tryDrop(while predicate: @escaping (Output) throws -> Bool) -> Publishers.TryDropWhile<Self> {
        Publishers.TryDropWhile(upstream: self, predicate: predicate)
    }
}

// MARK: - First

extension Publishers {
    /// Emits the first value and finishes.
    public struct First<Upstream: Publisher>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure

        public let upstream: Upstream

        public init(upstream: Upstream) {
            self.upstream = upstream
        }

        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            upstream.subscribe(Reducer(to: subscriber) { .last($0) })
        }
    }

    /// Emits the first value that satisfies a predicate and finishes.
    public struct FirstWhere<Upstream: Publisher>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure

        public let upstream: Upstream
        public let predicate: (Output) -> Bool

        public init(upstream: Upstream, predicate: @escaping (Output) -> Bool) {
            self.upstream = upstream
            self.predicate = predicate
        }

        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            upstream.subscribe(Reducer(to: subscriber) { [predicate] in predicate($0) ? .last($0) : .drop })
        }
    }

    /// As `FirstWhere`, with a throwing predicate.
    public struct TryFirstWhere<Upstream: Publisher>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = any Error

        public let upstream: Upstream
        public let predicate: (Output) throws -> Bool

        public init(upstream: Upstream, predicate: @escaping (Output) throws -> Bool) {
            self.upstream = upstream
            self.predicate = predicate
        }

        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            upstream.subscribe(Reducer(to: subscriber, throwing: { [predicate] in try predicate($0) ? .last($0) : .drop }))
        }
    }
}

extension Publishers.First: Equatable where Upstream: Equatable {}

extension Publisher {
    public func first() -> Publishers.First<Self> {
        Publishers.First(upstream: self)
    }

    public func first(where predicate: @escaping (Output) -> Bool) -> Publishers.FirstWhere<Self> {
        Publishers.FirstWhere(upstream: self, predicate: predicate)
    }

    /// As `first(where:)`; a thrown error fails the stream and cancels upstream.
    public func tryFirst(where predicate: @escaping (Output) throws -> Bool) -> Publishers.TryFirstWhere<Self> {
        Publishers.TryFirstWhere(upstream: self, predicate: predicate)
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
