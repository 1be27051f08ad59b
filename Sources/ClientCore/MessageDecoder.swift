import EventStreams
import Wire

/// Decodes whole lines of the protocol: the decoder of the client's chain of operators.
public struct MessageDecoder: TopLevelDecoder {
    public init() {}

    /// - Parameter type: `ServerMessage`, the one thing that comes from a server.
    /// - Throws: `ProtocolError` for a line that is no message.
    public func decode<T: Decodable>(_ type: T.Type, from line: [UInt8]) throws -> T {
        let message = try line.withUnsafeBufferPointer { try ServerMessage(line: $0) }
        guard let result = message as? T else {
            throw DecodingError.typeMismatch(
                type, DecodingError.Context(codingPath: [], debugDescription: "a line from a server is a ServerMessage"))
        }
        return result
    }
}

extension ServerMessage: Decodable {
    /// Messages come as lines, through ``MessageDecoder``; no other decoder has what they are made of.
    public init(from decoder: any Decoder) throws {
        throw DecodingError.dataCorrupted(
            DecodingError.Context(codingPath: decoder.codingPath, debugDescription: "a message is decoded by MessageDecoder"))
    }
}
