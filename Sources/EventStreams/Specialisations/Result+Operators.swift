// Operators evaluated at once: another source instead of a stage, as Combine's overloads do.

extension Result.Publisher {
    public func map<T>(_ transform: (Output) -> T) -> Result<T, Failure>.Publisher { result.map(transform).publisher }

    public func tryMap<T>(_ transform: (Output) throws -> T) -> Result<T, any Error>.Publisher {
        Result<T, any Error> { try transform(result.get()) }.publisher
    }

    public func mapError<E: Error>(_ transform: (Failure) -> E) -> Result<Success, E>.Publisher {
        result.mapError(transform).publisher
    }

    public func scan<T>(_ initialResult: T, _ nextPartialResult: (T, Output) -> T) -> Result<T, Failure>.Publisher {
        map { nextPartialResult(initialResult, $0) }
    }

    public func tryScan<T>(
        _ initialResult: T, _ nextPartialResult: (T, Output) throws -> T
    ) -> Result<T, any Error>.Publisher {
        tryMap { try nextPartialResult(initialResult, $0) }
    }

    public func reduce<T>(_ initialResult: T, _ nextPartialResult: (T, Output) -> T) -> Result<T, Failure>.Publisher {
        scan(initialResult, nextPartialResult)
    }

    public func tryReduce<T>(
        _ initialResult: T, _ nextPartialResult: (T, Output) throws -> T
    ) -> Result<T, any Error>.Publisher {
        tryScan(initialResult, nextPartialResult)
    }

    public func removeDuplicates(by predicate: (Output, Output) -> Bool) -> Result<Success, Failure>.Publisher { self }

    public func tryRemoveDuplicates(
        by predicate: (Output, Output) throws -> Bool
    ) -> Result<Success, any Error>.Publisher {
        tryMap { $0 }
    }

    public func collect() -> Result<[Success], Failure>.Publisher { map { [$0] } }
    public func count() -> Result<Int, Failure>.Publisher { map { _ in 1 } }
    public func min(by areInIncreasingOrder: (Output, Output) -> Bool) -> Result<Success, Failure>.Publisher { self }
    public func max(by areInIncreasingOrder: (Output, Output) -> Bool) -> Result<Success, Failure>.Publisher { self }

    public func tryMin(
        by areInIncreasingOrder: (Output, Output) throws -> Bool
    ) -> Result<Success, any Error>.Publisher {
        tryMap { $0 }
    }

    public func tryMax(
        by areInIncreasingOrder: (Output, Output) throws -> Bool
    ) -> Result<Success, any Error>.Publisher {
        tryMap { $0 }
    }

    public func replaceEmpty(with output: Output) -> Result<Success, Failure>.Publisher { self }

    public func replaceError(with output: Output) -> Result<Success, Never>.Publisher {
        switch result {
        case .success(let value): Result<Success, Never>.Publisher(value)
        case .failure: Result<Success, Never>.Publisher(output)
        }
    }

    public func retry(_ times: Int) -> Result<Success, Failure>.Publisher { self }
    public func ignoreOutput() -> Empty<Output, Failure> { Empty() }
    public func first() -> Result<Success, Failure>.Publisher { self }
    public func last() -> Result<Success, Failure>.Publisher { self }
    public func allSatisfy(_ predicate: (Output) -> Bool) -> Result<Bool, Failure>.Publisher { map(predicate) }

    public func tryAllSatisfy(_ predicate: (Output) throws -> Bool) -> Result<Bool, any Error>.Publisher {
        tryMap(predicate)
    }

    public func contains(where predicate: (Output) -> Bool) -> Result<Bool, Failure>.Publisher { map(predicate) }

    public func tryContains(where predicate: (Output) throws -> Bool) -> Result<Bool, any Error>.Publisher {
        tryMap(predicate)
    }
}

extension Result.Publisher where Failure == Never {
    public func setFailureType<E: Error>(to failureType: E.Type) -> Result<Success, E>.Publisher {
        result.setFailureType(to: E.self).publisher
    }
}

extension Result where Failure == Never {
    fileprivate func setFailureType<E: Error>(to failureType: E.Type) -> Result<Success, E> {
        switch self {
        case .success(let value): .success(value)
        }
    }
}

extension Result.Publisher where Success: Equatable {
    public func contains(_ output: Output) -> Result<Bool, Failure>.Publisher { map { $0 == output } }
    public func removeDuplicates() -> Result<Success, Failure>.Publisher { self }
}

extension Result.Publisher where Success: Comparable {
    public func min() -> Result<Success, Failure>.Publisher { self }
    public func max() -> Result<Success, Failure>.Publisher { self }
}
