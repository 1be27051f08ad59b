import ClientSession
import EventStreams
import Wire

extension Publisher where Output == [UInt8], Failure == LinkFailure {
    /// Cuts chunks of bytes into whole lines, each without its end.
    /// - Parameter limit: the longest line, in bytes; a longer one fails the stream with `lineTooLong`.
    public func lines(limit: Int) -> some Publisher<[UInt8], LinkFailure> {
        // The framer is part of a value, so that each subscriber has its own position in the stream.
        scan(LineCutter(limit: limit)) { $0.cutting($1) }
            .flatMap { cutter -> AnyPublisher<[UInt8], LinkFailure> in
                let lines = cutter.lines.publisher.setFailureType(to: LinkFailure.self).eraseToAnyPublisher()
                return cutter.isOverLimit && cutter.lines.isEmpty ? Fail(error: .lineTooLong).eraseToAnyPublisher() : lines
            }
    }

    /// Reads each line as a message of a server; a line that is none fails the stream with `malformed`.
    package func messages() -> some Publisher<ServerMessage, LinkFailure> {
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
