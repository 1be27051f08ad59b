extension Publisher {
    /// Emits the values that satisfy the predicate.
    @inlinable
    public func filter(_ isIncluded: @escaping (Output) -> Bool) -> Publishers.Stepwise<Self, Output, Failure> {
        steps { isIncluded($0) ? .pass($0) : .skip }
    }

    /// Emits transformed values, except nil.
    @inlinable
    public func compactMap<T>(_ transform: @escaping (Output) -> T?) -> Publishers.Stepwise<Self, T, Failure> {
        steps { transform($0).map { .pass($0) } ?? .skip }
    }

    /// Drops each value for which `predicate(last, value)` holds.
    public func removeDuplicates(
        by predicate: @escaping (Output, Output) -> Bool
    ) -> Publishers.Stepwise<Self, Output, Failure> {
        steps(each: {
            var last: Output?
            return { value in
                if let last, predicate(last, value) { return .skip }
                last = value
                return .pass(value)
            }
        })
    }
}

extension Publisher where Output: Equatable {
    /// Drops each value equal to the previous one.
    public func removeDuplicates() -> Publishers.Stepwise<Self, Output, Failure> { removeDuplicates(by: ==) }
}

// MARK: - Parts

extension Publisher {
    /// Emits at most the first `maxLength` values.
    public func prefix(_ maxLength: Int) -> AnyPublisher<Output, Failure> {
        precondition(maxLength >= 0, "a length is never negative")
        guard maxLength > 0 else { return Empty().eraseToAnyPublisher() }
        return steps(each: {
            var left = maxLength
            return {
                // Sent while the last one is delivered.
                guard left > 0 else { return .skip }
                left -= 1
                return left > 0 ? .pass($0) : .last($0)
            }
        }).eraseToAnyPublisher()
    }
}
