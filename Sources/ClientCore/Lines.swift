import EventStreams
import Wire

/// Why a stream of bytes from a server can't be followed any further.
public enum LinkFailure: Error, Equatable, Sendable, CustomStringConvertible {
    /// No connection, or none any more; in the system's words.
    case connection(String)
    /// Nothing was heard for too long.
    case silence
    /// A line longer than any that the protocol has.
    case lineTooLong
    /// A line that is no message of the protocol.
    case malformed(ProtocolError)

    public var description: String {
        switch self {
        case .connection(let reason): reason
        case .silence: "the server is silent"
        case .lineTooLong: "the server sends lines that are too long"
        case .malformed(let error): "the server does not speak the protocol: \(error.message)"
        }
    }
}

extension Publisher where Output == [UInt8], Failure == LinkFailure {
    /// Cuts chunks of bytes into whole lines, each without its end.
    /// - Parameter limit: the longest line, in bytes; a longer one fails the stream.
    public func lines(limit: Int) -> some Publisher<[UInt8], LinkFailure> {
        // The cutter is a value, so that two subscribers may stand at different places of the stream.
        scan(LineCutter(limit: limit)) { $0.cutting($1) }
            .flatMap { cutter -> AnyPublisher<[UInt8], LinkFailure> in
                let lines = cutter.lines.publisher.setFailureType(to: LinkFailure.self).eraseToAnyPublisher()
                return cutter.isOverLimit && cutter.lines.isEmpty ? Fail(error: .lineTooLong).eraseToAnyPublisher() : lines
            }
    }

    /// Reads each line as a message of a server.
    public func messages() -> some Publisher<ServerMessage, LinkFailure> {
        tryMap { line in try line.withUnsafeBufferPointer { try ServerMessage(line: $0) } }
            .mapError { $0 as? LinkFailure ?? ($0 as? ProtocolError).map(LinkFailure.malformed) ?? .connection("\($0)") }
    }
}

/// A framer, and the lines that the last chunk completed.
private struct LineCutter {
    private var framer: LineFramer
    private(set) var lines: [[UInt8]] = []
    var isOverLimit: Bool { framer.isOverLimit }

    init(limit: Int) { framer = LineFramer(limit: limit) }

    func cutting(_ chunk: [UInt8]) -> LineCutter {
        var next = self
        next.lines = []
        _ = chunk.withUnsafeBytes { bytes in
            next.framer.append(bytes) {
                next.lines.append(Array($0))
                return true
            }
        }
        return next
    }
}
