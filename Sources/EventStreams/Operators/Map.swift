extension Publishers {
    public typealias Map<Upstream: Publisher, Output> = Stepwise<Upstream, Output, Upstream.Failure>
    public typealias TryMap<Upstream: Publisher, Output> = Stepwise<Upstream, Output, any Error>
    public typealias MapKeyPath<Upstream: Publisher, Output> = Map<Upstream, Output>
    public typealias MapKeyPath2<Upstream: Publisher, Output0, Output1> = Map<Upstream, (Output0, Output1)>
    public typealias MapKeyPath3<Upstream: Publisher, Output0, Output1, Output2> = Map<Upstream, (Output0, Output1, Output2)>
    public typealias Scan<Upstream: Publisher, Output> = Map<Upstream, Output>
    public typealias TryScan<Upstream: Publisher, Output> = TryMap<Upstream, Output>
    public typealias MapError<Upstream: Publisher, Failure: Error> = Stepwise<Upstream, Upstream.Output, Failure>
    public typealias SetFailureType<Upstream: Publisher, Failure: Error> = Stepwise<Upstream, Upstream.Output, Failure>
    public typealias AssertNoFailure<Upstream: Publisher> = Stepwise<Upstream, Upstream.Output, Never>
    public typealias Decode<Upstream: Publisher, Output: Decodable, Coder: TopLevelDecoder> = TryMap<Upstream, Output>
    public typealias Encode<Upstream: Publisher, Coder: TopLevelEncoder> = TryMap<Upstream, Coder.Output>
}

extension Publisher {
    /// Emits transformed values.
    @inlinable
    public func map<T>(_ transform: @escaping (Output) -> T) -> Publishers.Map<Self, T> {
        steps { .pass(transform($0)) }
    }

    /// As `map`; a thrown error fails the stream and cancels upstream.
    @inlinable
    public func tryMap<T>(_ transform: @escaping (Output) throws -> T) -> Publishers.TryMap<Self, T> {
        trySteps { .pass(try transform($0)) }
    }

    /// Replaces nil by a value.
    public func replaceNil<T>(with output: T) -> Publishers.Map<Self, T> where Output == T? { map { $0 ?? output } }

    /// Emits a property of each value.
    @inlinable
    public func map<T>(_ keyPath: KeyPath<Output, T>) -> Publishers.MapKeyPath<Self, T> { map { $0[keyPath: keyPath] } }

    /// Emits two properties of each value.
    public func map<T0, T1>(
        _ keyPath0: KeyPath<Output, T0>, _ keyPath1: KeyPath<Output, T1>
    ) -> Publishers.MapKeyPath2<Self, T0, T1> {
        map { ($0[keyPath: keyPath0], $0[keyPath: keyPath1]) }
    }

    /// Emits three properties of each value.
    public func map<T0, T1, T2>(
        _ keyPath0: KeyPath<Output, T0>, _ keyPath1: KeyPath<Output, T1>, _ keyPath2: KeyPath<Output, T2>
    ) -> Publishers.MapKeyPath3<Self, T0, T1, T2> {
        map { ($0[keyPath: keyPath0], $0[keyPath: keyPath1], $0[keyPath: keyPath2]) }
    }

    /// Emits `initialResult` combined with the first value, that result with the second, and so on.
    @inlinable
    public func scan<T>(_ initialResult: T, _ nextPartialResult: @escaping (T, Output) -> T) -> Publishers.Scan<Self, T> {
        steps(each: {
            var result = initialResult
            return {
                result = nextPartialResult(result, $0)
                return .pass(result)
            }
        })
    }

    /// As `scan`; a thrown error fails the stream and cancels upstream.
    public func tryScan<T>(
        _ initialResult: T, _ nextPartialResult: @escaping (T, Output) throws -> T
    ) -> Publishers.TryScan<Self, T> {
        trySteps(each: {
            var result = initialResult
            return {
                result = try nextPartialResult(result, $0)
                return .pass(result)
            }
        })
    }
}

// MARK: - Failures

extension Publisher {
    /// Transforms the failure.
    public func mapError<E: Error>(_ transform: @escaping (Failure) -> E) -> Publishers.MapError<Self, E> {
        endings { $0.mapError(transform) }
    }

    /// Traps on a failure; the result cannot fail.
    public func assertNoFailure(
        _ prefix: String = "", file: StaticString = #file, line: UInt = #line
    ) -> Publishers.AssertNoFailure<Self> {
        endings {
            if case .failure(let error) = $0 {
                fatalError(prefix.isEmpty ? "\(error)" : "\(prefix): \(error)", file: file, line: line)
            }
            return .finished
        }
    }
}

extension Publisher where Failure == Never {
    /// Gives a publisher that cannot fail a failure type.
    public func setFailureType<E: Error>(to failureType: E.Type) -> Publishers.SetFailureType<Self, E> {
        endings { _ in .finished }
    }
}

// MARK: - Coders

/// Decodes whole messages. Foundation's `JSONDecoder` has the required methods: `extension JSONDecoder: TopLevelDecoder {}`
/// suffices.
public protocol TopLevelDecoder {
    associatedtype Input

    func decode<T: Decodable>(_ type: T.Type, from: Input) throws -> T
}

/// Encodes whole messages. Foundation's `JSONEncoder` has the required methods.
public protocol TopLevelEncoder {
    associatedtype Output

    func encode<T: Encodable>(_ value: T) throws -> Output
}

extension Publisher {
    /// Decodes each message; a decoding error fails the stream.
    public func decode<Item: Decodable, Coder: TopLevelDecoder>(
        type: Item.Type, decoder: Coder
    ) -> Publishers.Decode<Self, Item, Coder> where Output == Coder.Input {
        tryMap { try decoder.decode(Item.self, from: $0) }
    }
}

extension Publisher where Output: Encodable {
    /// Encodes each value; an encoding error fails the stream.
    public func encode<Coder: TopLevelEncoder>(encoder: Coder) -> Publishers.Encode<Self, Coder> {
        tryMap { try encoder.encode($0) }
    }
}
