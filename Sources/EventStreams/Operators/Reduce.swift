extension Publishers {
    /// Combines all values into one, emitted when upstream finishes.
    public struct Reduce<Upstream: Publisher, Output>: Publisher {
        public typealias Failure = Upstream.Failure

        public let upstream: Upstream
        public let initial: Output
        public let nextPartialResult: (Output, Upstream.Output) -> Output

        public init(
            upstream: Upstream, initial: Output, nextPartialResult: @escaping (Output, Upstream.Output) -> Output
        ) {
            self.upstream = upstream
            self.initial = initial
            self.nextPartialResult = nextPartialResult
        }

        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            var result = initial
            upstream.subscribe(
                Reducer(to: subscriber, result: { result }) { [nextPartialResult] in
                    result = nextPartialResult(result, $0)
                    return .drop
                })
        }
    }

    /// As `Reduce`, with a throwing closure.
    public struct TryReduce<Upstream: Publisher, Output>: Publisher {
        public typealias Failure = any Error

        public let upstream: Upstream
        public let initial: Output
        public let nextPartialResult: (Output, Upstream.Output) throws -> Output

        public init(
            upstream: Upstream, initial: Output, nextPartialResult: @escaping (Output, Upstream.Output) throws -> Output
        ) {
            self.upstream = upstream
            self.initial = initial
            self.nextPartialResult = nextPartialResult
        }

        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            var result = initial
            upstream.subscribe(
                Reducer(
                    to: subscriber, result: { result },
                    throwing: { [nextPartialResult] in
                        result = try nextPartialResult(result, $0)
                        return .drop
                    }))
        }
    }

    /// Emits the number of values when upstream finishes.
    public struct Count<Upstream: Publisher>: Publisher {
        public typealias Output = Int
        public typealias Failure = Upstream.Failure

        public let upstream: Upstream

        public init(upstream: Upstream) {
            self.upstream = upstream
        }

        public func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == Failure {
            upstream.reduce(0) { count, _ in count + 1 }.subscribe(subscriber)
        }
    }

    /// Emits the greatest value when upstream finishes; the first among equals.
    public struct Comparison<Upstream: Publisher>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = Upstream.Failure

        public let upstream: Upstream
        public let areInIncreasingOrder: (Output, Output) -> Bool
        public init(upstream: Upstream, areInIncreasingOrder: @escaping (Output, Output) -> Bool) {
            self.upstream = upstream
            self.areInIncreasingOrder = areInIncreasingOrder
        }

        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            var best: Output?
            upstream.subscribe(
                Reducer(to: subscriber, result: { best }) { [areInIncreasingOrder] value in
                    if best.map({ areInIncreasingOrder($0, value) }) ?? true { best = value }
                    return .drop
                })
        }
    }

    /// As `Comparison`, with a throwing closure.
    public struct TryComparison<Upstream: Publisher>: Publisher {
        public typealias Output = Upstream.Output
        public typealias Failure = any Error

        public let upstream: Upstream
        public let areInIncreasingOrder: (Output, Output) throws -> Bool
        public init(upstream: Upstream, areInIncreasingOrder: @escaping (Output, Output) throws -> Bool) {
            self.upstream = upstream
            self.areInIncreasingOrder = areInIncreasingOrder
        }

        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            var best: Output?
            upstream.subscribe(
                Reducer(
                    to: subscriber, result: { best },
                    throwing: { [areInIncreasingOrder] value in
                        if try best.map({ try areInIncreasingOrder($0, value) }) ?? true { best = value }
                        return .drop
                    }))
        }
    }
}

extension Publishers.Count: Equatable where Upstream: Equatable {}

extension Publisher {
    /// Emits `initialResult` combined with all values, when this publisher finishes.
    public func reduce<T>(
        _ initialResult: T, _ nextPartialResult: @escaping (T, Output) -> T
    ) -> Publishers.Reduce<Self, T> {
        Publishers.Reduce(upstream: self, initial: initialResult, nextPartialResult: nextPartialResult)
    }

    /// As `reduce`; a thrown error fails the stream and cancels upstream.
    public func tryReduce<T>(
        _ initialResult: T, _ nextPartialResult: @escaping (T, Output) throws -> T
    ) -> Publishers.TryReduce<Self, T> {
        Publishers.TryReduce(upstream: self, initial: initialResult, nextPartialResult: nextPartialResult)
    }

    /// Emits the number of values, when this publisher finishes.
    public func count() -> Publishers.Count<Self> {
        Publishers.Count(upstream: self)
    }

    /// Emits the least value, when this publisher finishes.
    public func min(by areInIncreasingOrder: @escaping (Output, Output) -> Bool) -> Publishers.Comparison<Self> {
        Publishers.Comparison(upstream: self) { areInIncreasingOrder($1, $0) }
    }

    /// Emits the greatest value, when this publisher finishes.
    public func max(by areInIncreasingOrder: @escaping (Output, Output) -> Bool) -> Publishers.Comparison<Self> {
        Publishers.Comparison(upstream: self, areInIncreasingOrder: areInIncreasingOrder)
    }

    /// As `min(by:)`; a thrown error fails the stream and cancels upstream.
    public func tryMin(by areInIncreasingOrder: @escaping (Output, Output) throws -> Bool) -> Publishers.TryComparison<Self> {
        Publishers.TryComparison(upstream: self) { try areInIncreasingOrder($1, $0) }
    }

    /// As `max(by:)`; a thrown error fails the stream and cancels upstream.
    public func tryMax(by areInIncreasingOrder: @escaping (Output, Output) throws -> Bool) -> Publishers.TryComparison<Self> {
        Publishers.TryComparison(upstream: self, areInIncreasingOrder: areInIncreasingOrder)
    }
}

extension Publisher where Output: Comparable {
    /// Emits the least value, when this publisher finishes.
    public func min() -> Publishers.Comparison<Self> {
        min(by: <)
    }

    /// Emits the greatest value, when this publisher finishes.
    public func max() -> Publishers.Comparison<Self> {
        max(by: <)
    }
}
