/// Decodes whole messages. Foundation's `JSONDecoder` has this shape already: `extension JSONDecoder: TopLevelDecoder {}`
/// makes it one.
public protocol TopLevelDecoder {
    associatedtype Input

    func decode<T: Decodable>(_ type: T.Type, from: Input) throws -> T
}

/// Encodes whole messages. Foundation's `JSONEncoder` has this shape already.
public protocol TopLevelEncoder {
    associatedtype Output

    func encode<T: Encodable>(_ value: T) throws -> Output
}
