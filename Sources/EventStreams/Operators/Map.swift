extension Publisher {
    /// Emits transformed values.
    @inlinable
    public func map<T>(_ transform: @escaping (Output) -> T) -> Publishers.Stepwise<Self, T, Failure> {
        steps { .pass(transform($0)) }
    }

    /// Emits `initialResult` combined with the first value, that result with the second, and so on.
    @inlinable
    public func scan<T>(_ initialResult: T, _ nextPartialResult: @escaping (T, Output) -> T)
        -> Publishers.Stepwise<Self, T, Failure>
    {
        steps(each: {
            var result = initialResult
            return {
                result = nextPartialResult(result, $0)
                return .pass(result)
            }
        })
    }
}

// MARK: - Failures

extension Publisher {
    /// Transforms the failure.
    public func mapError<E: Error>(_ transform: @escaping (Failure) -> E) -> Publishers.Stepwise<Self, Output, E> {
        endings { $0.mapError(transform) }
    }
}

extension Publisher where Failure == Never {
    /// Gives a publisher that cannot fail a failure type.
    public func setFailureType<E: Error>(to failureType: E.Type) -> Publishers.Stepwise<Self, Output, E> {
        endings { _ in .finished }
    }
}
