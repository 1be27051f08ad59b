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
