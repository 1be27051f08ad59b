extension Publisher {
    /// Emits `initialResult` combined with all values, when this publisher finishes.
    public func reduce<T>(
        _ initialResult: T, _ nextPartialResult: @escaping (T, Output) -> T
    ) -> AnyPublisher<T, Failure> {
        reduction(
            of: initialResult, result: { $0 },
            step: {
                $0 = nextPartialResult($0, $1)
                return .drop
            })
    }

    /// Emits all values as one array, when this publisher finishes. Buffers every value until the end: for short streams.
    public func collect() -> AnyPublisher<[Output], Failure> {
        reduction(
            of: [], result: { $0 },
            step: {
                $0.append($1)
                return .drop
            })
    }

    /// Emits the number of values, when this publisher finishes.
    public func count() -> AnyPublisher<Int, Failure> { reduce(0) { count, _ in count + 1 } }

    /// Emits the least value, when this publisher finishes; the first among equals.
    public func min(by areInIncreasingOrder: @escaping (Output, Output) -> Bool) -> AnyPublisher<Output, Failure> {
        max { areInIncreasingOrder($1, $0) }
    }

    /// Emits the greatest value, when this publisher finishes; the first among equals.
    public func max(by areInIncreasingOrder: @escaping (Output, Output) -> Bool) -> AnyPublisher<Output, Failure> {
        reduction(
            of: Output?.none, result: { $0 },
            step: { best, value in
                if best.map({ areInIncreasingOrder($0, value) }) ?? true { best = value }
                return .drop
            })
    }

    /// Requests all values and emits the completion only.
    public func ignoreOutput() -> AnyPublisher<Never, Failure> {
        reduction(of: (), result: { _ in nil }, step: { _, _ in .drop })
    }
}

extension Publisher where Output: Comparable {
    /// Emits the least value, when this publisher finishes.
    public func min() -> AnyPublisher<Output, Failure> { min(by: <) }

    /// Emits the greatest value, when this publisher finishes.
    public func max() -> AnyPublisher<Output, Failure> { max(by: <) }
}

// MARK: - First and last

extension Publisher {
    /// Emits the first value and finishes.
    public func first() -> AnyPublisher<Output, Failure> { first { _ in true } }

    /// Emits the first value that satisfies the predicate, and finishes.
    public func first(where predicate: @escaping (Output) -> Bool) -> AnyPublisher<Output, Failure> {
        reduction(of: (), result: { _ in nil }, step: { predicate($1) ? .last($1) : .drop })
    }

    /// Emits the last value, when this publisher finishes.
    public func last() -> AnyPublisher<Output, Failure> { last { _ in true } }

    /// Emits the last value that satisfies the predicate, when this publisher finishes.
    public func last(where predicate: @escaping (Output) -> Bool) -> AnyPublisher<Output, Failure> {
        reduction(
            of: Output?.none, result: { $0 },
            step: {
                if predicate($1) { $0 = $1 }
                return .drop
            })
    }
}

// MARK: - Contains and AllSatisfy

extension Publisher where Output: Equatable {
    /// Emits whether this publisher emits the value.
    public func contains(_ output: Output) -> AnyPublisher<Bool, Failure> { contains { $0 == output } }
}

extension Publisher {
    /// Emits true once a value satisfies the predicate, or false when this publisher finishes.
    public func contains(where predicate: @escaping (Output) -> Bool) -> AnyPublisher<Bool, Failure> {
        reduction(of: (), result: { _ in false }, step: { predicate($1) ? .last(true) : .drop })
    }

    /// Emits false once a value fails the predicate, or true when this publisher finishes.
    public func allSatisfy(_ predicate: @escaping (Output) -> Bool) -> AnyPublisher<Bool, Failure> {
        reduction(of: (), result: { _ in true }, step: { predicate($1) ? .drop : .last(false) })
    }
}
