// Operators evaluated at once: another source instead of a stage, as Combine's overloads do.

extension Just {
    public func map<T>(_ transform: (Output) -> T) -> Just<T> { Just<T>(transform(output)) }

    public func tryMap<T>(_ transform: (Output) throws -> T) -> Result<T, any Error>.Publisher {
        Result { try transform(output) }.publisher
    }

    public func compactMap<T>(_ transform: (Output) -> T?) -> T?.Publisher { transform(output).publisher }

    public func filter(_ isIncluded: (Output) -> Bool) -> Output?.Publisher { optional.filter(isIncluded) }

    public func ignoreOutput() -> Empty<Output, Never> { Empty() }

    public func scan<T>(_ initialResult: T, _ nextPartialResult: (T, Output) -> T) -> Result<T, Never>.Publisher {
        Result<T, Never>.Publisher(nextPartialResult(initialResult, output))
    }

    public func tryScan<T>(
        _ initialResult: T, _ nextPartialResult: (T, Output) throws -> T
    ) -> Result<T, any Error>.Publisher {
        Result { try nextPartialResult(initialResult, output) }.publisher
    }

    public func reduce<T>(_ initialResult: T, _ nextPartialResult: (T, Output) -> T) -> Result<T, Never>.Publisher {
        scan(initialResult, nextPartialResult)
    }

    public func tryReduce<T>(
        _ initialResult: T, _ nextPartialResult: (T, Output) throws -> T
    ) -> Result<T, any Error>.Publisher {
        tryScan(initialResult, nextPartialResult)
    }

    public func removeDuplicates(by predicate: (Output, Output) -> Bool) -> Just<Output> { self }

    public func tryRemoveDuplicates(
        by predicate: (Output, Output) throws -> Bool
    ) -> Result<Output, any Error>.Publisher {
        Result<Output, any Error>.Publisher(output)
    }

    public func collect() -> Just<[Output]> { Just<[Output]>([output]) }
    public func count() -> Just<Int> { Just<Int>(1) }
    public func min(by areInIncreasingOrder: (Output, Output) -> Bool) -> Just<Output> { self }
    public func max(by areInIncreasingOrder: (Output, Output) -> Bool) -> Just<Output> { self }
    public func replaceEmpty(with output: Output) -> Just<Output> { self }
    public func replaceError(with output: Output) -> Just<Output> { self }
    public func retry(_ times: Int) -> Just<Output> { self }

    public func mapError<E: Error>(_ transform: (Never) -> E) -> Result<Output, E>.Publisher {
        Result<Output, E>.Publisher(output)
    }

    public func setFailureType<E: Error>(to failureType: E.Type) -> Result<Output, E>.Publisher {
        Result<Output, E>.Publisher(output)
    }
}

// MARK: - Parts

extension Just {
    private var optional: Output?.Publisher { Optional(output).publisher }

    public func first() -> Just<Output> { self }
    public func last() -> Just<Output> { self }
    public func first(where predicate: (Output) -> Bool) -> Output?.Publisher { optional.filter(predicate) }
    public func last(where predicate: (Output) -> Bool) -> Output?.Publisher { optional.filter(predicate) }
    public func dropFirst(_ count: Int = 1) -> Output?.Publisher { optional.dropFirst(count) }
    public func drop(while predicate: (Output) -> Bool) -> Output?.Publisher { optional.drop(while: predicate) }
    public func prefix(_ maxLength: Int) -> Output?.Publisher { optional.prefix(maxLength) }
    public func prefix(while predicate: (Output) -> Bool) -> Output?.Publisher { optional.filter(predicate) }
    public func output(at index: Int) -> Output?.Publisher { optional.output(at: index) }

    public func output<R: RangeExpression<Int>>(in range: R) -> Output?.Publisher { optional.output(in: range) }

    public func prepend(_ elements: Output...) -> Publishers.Sequence<[Output], Never> { prepend(elements) }

    public func prepend<S: Sequence<Output>>(_ elements: S) -> Publishers.Sequence<[Output], Never> {
        Publishers.Sequence(sequence: elements + [output])
    }

    public func append(_ elements: Output...) -> Publishers.Sequence<[Output], Never> { append(elements) }

    public func append<S: Sequence<Output>>(_ elements: S) -> Publishers.Sequence<[Output], Never> {
        Publishers.Sequence(sequence: [output] + elements)
    }
}

// MARK: - Questions

extension Just {
    public func allSatisfy(_ predicate: (Output) -> Bool) -> Just<Bool> { Just<Bool>(predicate(output)) }

    public func tryAllSatisfy(_ predicate: (Output) throws -> Bool) -> Result<Bool, any Error>.Publisher {
        tryMap(predicate)
    }

    public func contains(where predicate: (Output) -> Bool) -> Just<Bool> { Just<Bool>(predicate(output)) }

    public func tryContains(where predicate: (Output) throws -> Bool) -> Result<Bool, any Error>.Publisher {
        tryMap(predicate)
    }
}

extension Just where Output: Equatable {
    public func contains(_ output: Output) -> Just<Bool> { Just<Bool>(self.output == output) }
    public func removeDuplicates() -> Just<Output> { self }
}

extension Just where Output: Comparable {
    public func min() -> Just<Output> { self }
    public func max() -> Just<Output> { self }
}
