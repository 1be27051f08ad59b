extension Publishers {
    public typealias Reduce<Upstream: Publisher, Output> = Reduction<Upstream, Output, Upstream.Failure>
    public typealias TryReduce<Upstream: Publisher, Output> = Reduction<Upstream, Output, any Error>
    public typealias Collect<Upstream: Publisher> = Reduction<Upstream, [Upstream.Output], Upstream.Failure>
    public typealias Count<Upstream: Publisher> = Reduction<Upstream, Int, Upstream.Failure>
    public typealias Comparison<Upstream: Publisher> = Reduction<Upstream, Upstream.Output, Upstream.Failure>
    public typealias TryComparison<Upstream: Publisher> = Reduction<Upstream, Upstream.Output, any Error>
    public typealias First<Upstream: Publisher> = Reduction<Upstream, Upstream.Output, Upstream.Failure>
    public typealias FirstWhere<Upstream: Publisher> = Reduction<Upstream, Upstream.Output, Upstream.Failure>
    public typealias TryFirstWhere<Upstream: Publisher> = Reduction<Upstream, Upstream.Output, any Error>
    public typealias Last<Upstream: Publisher> = Reduction<Upstream, Upstream.Output, Upstream.Failure>
    public typealias LastWhere<Upstream: Publisher> = Reduction<Upstream, Upstream.Output, Upstream.Failure>
    public typealias TryLastWhere<Upstream: Publisher> = Reduction<Upstream, Upstream.Output, any Error>
    public typealias IgnoreOutput<Upstream: Publisher> = Reduction<Upstream, Never, Upstream.Failure>
    public typealias Contains<Upstream: Publisher> = Reduction<Upstream, Bool, Upstream.Failure>
    public typealias ContainsWhere<Upstream: Publisher> = Reduction<Upstream, Bool, Upstream.Failure>
    public typealias TryContainsWhere<Upstream: Publisher> = Reduction<Upstream, Bool, any Error>
    public typealias AllSatisfy<Upstream: Publisher> = Reduction<Upstream, Bool, Upstream.Failure>
    public typealias TryAllSatisfy<Upstream: Publisher> = Reduction<Upstream, Bool, any Error>
}

extension Publisher {
    /// Emits `initialResult` combined with all values, when this publisher finishes.
    public func reduce<T>(
        _ initialResult: T, _ nextPartialResult: @escaping (T, Output) -> T
    ) -> Publishers.Reduce<Self, T> {
        reduction(
            of: initialResult, result: { $0 },
            step: {
                $0 = nextPartialResult($0, $1)
                return .drop
            })
    }

    /// As `reduce`; a thrown error fails the stream and cancels upstream.
    public func tryReduce<T>(
        _ initialResult: T, _ nextPartialResult: @escaping (T, Output) throws -> T
    ) -> Publishers.TryReduce<Self, T> {
        tryReduction(
            of: initialResult, result: { $0 },
            step: {
                $0 = try nextPartialResult($0, $1)
                return .drop
            })
    }

    /// Emits all values as one array, when this publisher finishes. Buffers every value until the end: for short streams.
    public func collect() -> Publishers.Collect<Self> {
        reduction(
            of: [], result: { $0 },
            step: {
                $0.append($1)
                return .drop
            })
    }

    /// Emits the number of values, when this publisher finishes.
    public func count() -> Publishers.Count<Self> { reduce(0) { count, _ in count + 1 } }

    /// Emits the least value, when this publisher finishes; the first among equals.
    public func min(by areInIncreasingOrder: @escaping (Output, Output) -> Bool) -> Publishers.Comparison<Self> {
        max { areInIncreasingOrder($1, $0) }
    }

    /// Emits the greatest value, when this publisher finishes; the first among equals.
    public func max(by areInIncreasingOrder: @escaping (Output, Output) -> Bool) -> Publishers.Comparison<Self> {
        reduction(
            of: Output?.none, result: { $0 },
            step: { best, value in
                if best.map({ areInIncreasingOrder($0, value) }) ?? true { best = value }
                return .drop
            })
    }

    /// As `min(by:)`; a thrown error fails the stream and cancels upstream.
    public func tryMin(by areInIncreasingOrder: @escaping (Output, Output) throws -> Bool) -> Publishers.TryComparison<Self> {
        tryMax { try areInIncreasingOrder($1, $0) }
    }

    /// As `max(by:)`; a thrown error fails the stream and cancels upstream.
    public func tryMax(by areInIncreasingOrder: @escaping (Output, Output) throws -> Bool) -> Publishers.TryComparison<Self> {
        tryReduction(
            of: Output?.none, result: { $0 },
            step: { best, value in
                if try best.map({ try areInIncreasingOrder($0, value) }) ?? true { best = value }
                return .drop
            })
    }

    /// Requests all values and emits the completion only.
    public func ignoreOutput() -> Publishers.IgnoreOutput<Self> {
        reduction(of: (), result: { _ in nil }, step: { _, _ in .drop })
    }
}

extension Publisher where Output: Comparable {
    /// Emits the least value, when this publisher finishes.
    public func min() -> Publishers.Comparison<Self> { min(by: <) }

    /// Emits the greatest value, when this publisher finishes.
    public func max() -> Publishers.Comparison<Self> { max(by: <) }
}

// MARK: - First and last

extension Publisher {
    /// Emits the first value and finishes.
    public func first() -> Publishers.First<Self> { first { _ in true } }

    /// Emits the first value that satisfies the predicate, and finishes.
    public func first(where predicate: @escaping (Output) -> Bool) -> Publishers.FirstWhere<Self> {
        reduction(of: (), result: { _ in nil }, step: { predicate($1) ? .last($1) : .drop })
    }

    /// As `first(where:)`; a thrown error fails the stream and cancels upstream.
    public func tryFirst(where predicate: @escaping (Output) throws -> Bool) -> Publishers.TryFirstWhere<Self> {
        tryReduction(of: (), result: { _ in nil }, step: { try predicate($1) ? .last($1) : .drop })
    }

    /// Emits the last value, when this publisher finishes.
    public func last() -> Publishers.Last<Self> { last { _ in true } }

    /// Emits the last value that satisfies the predicate, when this publisher finishes.
    public func last(where predicate: @escaping (Output) -> Bool) -> Publishers.LastWhere<Self> {
        reduction(
            of: Output?.none, result: { $0 },
            step: {
                if predicate($1) { $0 = $1 }
                return .drop
            })
    }

    /// As `last(where:)`; a thrown error fails the stream and cancels upstream.
    public func tryLast(where predicate: @escaping (Output) throws -> Bool) -> Publishers.TryLastWhere<Self> {
        tryReduction(
            of: Output?.none, result: { $0 },
            step: {
                if try predicate($1) { $0 = $1 }
                return .drop
            })
    }
}

// MARK: - Contains and AllSatisfy

extension Publisher where Output: Equatable {
    /// Emits whether this publisher emits the value.
    public func contains(_ output: Output) -> Publishers.Contains<Self> { contains { $0 == output } }
}

extension Publisher {
    /// Emits true once a value satisfies the predicate, or false when this publisher finishes.
    public func contains(where predicate: @escaping (Output) -> Bool) -> Publishers.ContainsWhere<Self> {
        reduction(of: (), result: { _ in false }, step: { predicate($1) ? .last(true) : .drop })
    }

    /// As `contains(where:)`; a thrown error fails the stream and cancels upstream.
    public func tryContains(where predicate: @escaping (Output) throws -> Bool) -> Publishers.TryContainsWhere<Self> {
        tryReduction(of: (), result: { _ in false }, step: { try predicate($1) ? .last(true) : .drop })
    }

    /// Emits false once a value fails the predicate, or true when this publisher finishes.
    public func allSatisfy(_ predicate: @escaping (Output) -> Bool) -> Publishers.AllSatisfy<Self> {
        reduction(of: (), result: { _ in true }, step: { predicate($1) ? .drop : .last(false) })
    }

    /// As `allSatisfy`; a thrown error fails the stream and cancels upstream.
    public func tryAllSatisfy(_ predicate: @escaping (Output) throws -> Bool) -> Publishers.TryAllSatisfy<Self> {
        tryReduction(of: (), result: { _ in true }, step: { try predicate($1) ? .drop : .last(false) })
    }
}
