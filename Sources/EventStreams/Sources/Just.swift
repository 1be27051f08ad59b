/// Emits one value and finishes.
public struct Just<Output>: Publisher {
    public typealias Failure = Never

    public let output: Output

    public init(_ output: Output) {
        self.output = output
    }

    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Never {
        let source = Single("Just", to: subscriber)
        subscriber.receive(subscription: source)
        source.resolve(output)
    }
}

extension Just: Equatable where Output: Equatable {}

// MARK: - Optional and Result

extension Optional {
    /// Emits the value, if any, and finishes.
    public struct Publisher: EventStreams.Publisher {
        public typealias Output = Wrapped
        public typealias Failure = Never

        public let output: Wrapped?

        public init(_ output: Wrapped?) {
            self.output = output
        }

        public func receive<S: Subscriber>(subscriber: S) where S.Input == Wrapped, S.Failure == Never {
            let source = Single("Optional", to: subscriber)
            subscriber.receive(subscription: source)
            if let output { source.resolve(output) } else { source.finish(.finished) }
        }
    }

    public var publisher: Publisher { Publisher(self) }
}

extension Optional.Publisher: Equatable where Wrapped: Equatable {}

extension Result {
    /// Emits the value and finishes, or fails.
    public struct Publisher: EventStreams.Publisher {
        public typealias Output = Success

        public let result: Result<Success, Failure>

        public init(_ result: Result<Success, Failure>) {
            self.result = result
        }

        public init(_ output: Success) {
            self.init(.success(output))
        }

        public init(_ failure: Failure) {
            self.init(.failure(failure))
        }

        public func receive<S: Subscriber>(subscriber: S) where S.Input == Success, S.Failure == Failure {
            let source = Single("Result", to: subscriber)
            subscriber.receive(subscription: source)
            source.resolve(result)
        }
    }

    public var publisher: Publisher { Publisher(self) }
}

extension Result.Publisher: Equatable where Success: Equatable, Failure: Equatable {}

// MARK: - Empty and Fail

/// Finishes at once or never, without values.
public struct Empty<Output, Failure: Error>: Publisher, Equatable {
    public let completeImmediately: Bool

    public init(completeImmediately: Bool = true) {
        self.completeImmediately = completeImmediately
    }

    /// For calls without context for type inference.
    public init(completeImmediately: Bool = true, outputType: Output.Type, failureType: Failure.Type) {
        self.init(completeImmediately: completeImmediately)
    }

    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
        guard completeImmediately else { return subscriber.receive(subscription: Subscriptions.empty) }
        let source = Single("Empty", to: subscriber)
        subscriber.receive(subscription: source)
        source.finish(.finished)
    }
}

/// Fails at once.
public struct Fail<Output, Failure: Error>: Publisher {
    public let error: Failure

    public init(error: Failure) {
        self.error = error
    }

    /// For calls without context for type inference.
    public init(outputType: Output.Type, failure: Failure) {
        self.init(error: failure)
    }

    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
        let source = Single("Fail", to: subscriber)
        subscriber.receive(subscription: source)
        source.finish(.failure(error))
    }
}

extension Fail: Equatable where Failure: Equatable {}

// MARK: - Deferred

/// Makes a new publisher for each subscriber, on subscription.
public struct Deferred<DeferredPublisher: Publisher>: Publisher {
    public typealias Output = DeferredPublisher.Output
    public typealias Failure = DeferredPublisher.Failure

    public let createPublisher: () -> DeferredPublisher

    public init(createPublisher: @escaping () -> DeferredPublisher) {
        self.createPublisher = createPublisher
    }

    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
        createPublisher().subscribe(subscriber)
    }
}

// MARK: - Overloads of Just

// Operators evaluated at once: another source instead of a stage, as Combine's overloads do.

extension Just {
    public func map<T>(_ transform: (Output) -> T) -> Just<T> { Just<T>(transform(output)) }

    public func tryMap<T>(_ transform: (Output) throws -> T) -> Result<T, any Error>.Publisher {
        Result { try transform(output) }.publisher
    }

    public func compactMap<T>(_ transform: (Output) -> T?) -> T?.Publisher { transform(output).publisher }

    public func filter(_ isIncluded: (Output) -> Bool) -> Output?.Publisher { keep(if: isIncluded(output)) }

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
    private func keep(if isKept: Bool) -> Output?.Publisher { (isKept ? output : nil).publisher }

    public func first() -> Just<Output> { self }
    public func last() -> Just<Output> { self }
    public func first(where predicate: (Output) -> Bool) -> Output?.Publisher { keep(if: predicate(output)) }
    public func last(where predicate: (Output) -> Bool) -> Output?.Publisher { keep(if: predicate(output)) }

    public func dropFirst(_ count: Int = 1) -> Output?.Publisher {
        precondition(count >= 0, "a count is never negative")
        return keep(if: count == 0)
    }

    public func drop(while predicate: (Output) -> Bool) -> Output?.Publisher { keep(if: !predicate(output)) }
    public func prefix(while predicate: (Output) -> Bool) -> Output?.Publisher { keep(if: predicate(output)) }

    public func prefix(_ maxLength: Int) -> Output?.Publisher { output(in: 0..<maxLength) }
    public func output(at index: Int) -> Output?.Publisher { output(in: index..<index.addingSaturated(1)) }

    public func output<R: RangeExpression<Int>>(in range: R) -> Output?.Publisher {
        let range = range.relative(to: 0..<Int.max)
        precondition(range.lowerBound >= 0, "values are counted from zero")
        return keep(if: range.contains(0))
    }

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
