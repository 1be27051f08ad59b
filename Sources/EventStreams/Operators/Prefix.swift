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
