extension Publishers {
    /// Emits the values whose number, from zero, is in a range, and finishes with the last of them.
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
                Stage(to: subscriber) { [range] value in
                    number += 1
                    if number < range.lowerBound { return .skip }
                    if number + 1 < range.upperBound { return .pass(value) }
                    return number < range.upperBound ? .last(value) : .finish
                })
        }
    }

    /// Emits values as long as they fulfil a condition.
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
}

extension Publisher {
    /// Emits at most the first `maxLength` values.
    public func prefix(_ maxLength: Int) -> Publishers.Output<Self> {
        Publishers.Output(upstream: self, range: 0..<maxLength)
    }

    /// Finishes before the first value that does not fulfil the condition.
    public func prefix(while predicate: @escaping (Output) -> Bool) -> Publishers.PrefixWhile<Self> {
        Publishers.PrefixWhile(upstream: self, predicate: predicate)
    }
}
