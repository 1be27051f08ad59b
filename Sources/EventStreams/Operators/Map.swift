extension Publisher {
    /// Emits transformed values.
    @inlinable
    public func map<T>(_ transform: @escaping (Output) -> T) -> Publishers.Stepwise<Self, T, Failure> {
        steps { .pass(transform($0)) }
    }

    /// As `map`; a thrown error fails the stream and cancels upstream.
    @inlinable
    public func tryMap<T>(_ transform: @escaping (Output) throws -> T) -> Publishers.Stepwise<Self, T, any Error> {
        trySteps { .pass(try transform($0)) }
    }

    /// Replaces nil by a value.
    public func replaceNil<T>(with output: T) -> Publishers.Stepwise<Self, T, Failure> where Output == T? { map { $0 ?? output } }

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
    ) -> Publishers.Stepwise<Self, Item, any Error> where Output == Coder.Input {
        tryMap { try decoder.decode(Item.self, from: $0) }
    }
}

extension Publisher where Output: Encodable {
    /// Encodes each value; an encoding error fails the stream.
    public func encode<Coder: TopLevelEncoder>(encoder: Coder) -> Publishers.Stepwise<Self, Coder.Output, any Error> {
        tryMap { try encoder.encode($0) }
    }
}
