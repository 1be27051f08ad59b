import EventStreams
import Foundation

/// JSON, each message a line of text. What it needs of Foundation stays in this file.
struct JSONLines: EventStreams.TopLevelEncoder, EventStreams.TopLevelDecoder {
    func encode<T: Encodable>(_ value: T) throws -> String {
        String(decoding: try JSONEncoder().encode(value), as: UTF8.self)
    }

    func decode<T: Decodable>(_ type: T.Type, from line: String) throws -> T {
        try JSONDecoder().decode(type, from: Data(line.utf8))
    }
}
