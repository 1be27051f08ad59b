extension Publishers {
    public typealias Filter<Upstream: Publisher> = Stepwise<Upstream, Upstream.Output, Upstream.Failure>
    public typealias TryFilter<Upstream: Publisher> = Stepwise<Upstream, Upstream.Output, any Error>
    public typealias CompactMap<Upstream: Publisher, Output> = Stepwise<Upstream, Output, Upstream.Failure>
    public typealias TryCompactMap<Upstream: Publisher, Output> = Stepwise<Upstream, Output, any Error>
    public typealias RemoveDuplicates<Upstream: Publisher> = Filter<Upstream>
    public typealias TryRemoveDuplicates<Upstream: Publisher> = TryFilter<Upstream>
}

extension Publisher {
    /// Emits the values that satisfy the predicate.
    @inlinable
    public func filter(_ isIncluded: @escaping (Output) -> Bool) -> Publishers.Filter<Self> {
        steps { isIncluded($0) ? .pass($0) : .skip }
    }

    /// As `filter`; a thrown error fails the stream and cancels upstream.
    public func tryFilter(_ isIncluded: @escaping (Output) throws -> Bool) -> Publishers.TryFilter<Self> {
        trySteps { try isIncluded($0) ? .pass($0) : .skip }
    }

    /// Emits transformed values, except nil.
    @inlinable
    public func compactMap<T>(_ transform: @escaping (Output) -> T?) -> Publishers.CompactMap<Self, T> {
        steps { transform($0).map { .pass($0) } ?? .skip }
    }

    /// As `compactMap`; a thrown error fails the stream and cancels upstream.
    public func tryCompactMap<T>(_ transform: @escaping (Output) throws -> T?) -> Publishers.TryCompactMap<Self, T> {
        trySteps { try transform($0).map { .pass($0) } ?? .skip }
    }

    /// Drops each value for which `predicate(last, value)` holds.
    public func removeDuplicates(by predicate: @escaping (Output, Output) -> Bool) -> Publishers.RemoveDuplicates<Self> {
        steps(each: {
            var last: Output?
            return { value in
                if let last, predicate(last, value) { return .skip }
                last = value
                return .pass(value)
            }
        })
    }

    /// As `removeDuplicates(by:)`; a thrown error fails the stream and cancels upstream.
    public func tryRemoveDuplicates(
        by predicate: @escaping (Output, Output) throws -> Bool
    ) -> Publishers.TryRemoveDuplicates<Self> {
        trySteps(each: {
            var last: Output?
            return { value in
                if let last, try predicate(last, value) { return .skip }
                last = value
                return .pass(value)
            }
        })
    }
}

extension Publisher where Output: Equatable {
    /// Drops each value equal to the previous one.
    public func removeDuplicates() -> Publishers.RemoveDuplicates<Self> { removeDuplicates(by: ==) }
}
