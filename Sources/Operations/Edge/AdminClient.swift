import Sockets

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Asks a running server on its Unix-domain socket.
public enum AdminClient {
    /// The most bytes of an answer: thousands of players fit.
    private static let answerLimit = 16 << 20

    /// Asks, and waits for the answer.
    /// - Parameter timeout: for each wait, in seconds.
    public static func ask(_ request: AdminRequest, path: String, timeout: Int = 10) throws(SocketError) -> AdminReply {
        guard let address = UnixAddress(path) else {
            throw SocketError(operation: "connect to", subject: path, reason: "a path has 1 to 107 bytes")
        }
        let descriptor = UnixSocket.make(.stream)
        defer { if descriptor >= 0 { close(descriptor) } }
        UnixSocket.setTimeout(descriptor, seconds: timeout)
        guard descriptor >= 0, address.withPointer({ connect(descriptor, $0, $1) }) == 0 else {
            throw failure("connect to", path)
        }
        guard UnixSocket.sendAll(descriptor, request.line) else { throw failure("send to", path) }
        var answer: [UInt8] = []
        while true {
            guard let bytes = UnixSocket.receive(descriptor) else { throw failure("hear from", path) }
            answer += bytes
            if let end = answer.firstIndex(of: UInt8(ascii: "\n")) { return try reply(Array(answer[..<end]), path) }
            guard !bytes.isEmpty, answer.count <= answerLimit else {
                throw SocketError(operation: "hear from", subject: path, reason: "the answer has no end")
            }
        }
    }

    private static func reply(_ line: [UInt8], _ path: String) throws(SocketError) -> AdminReply {
        do throws(AdminCodingError) {
            return try AdminReply(line: line)
        } catch {
            throw SocketError(operation: "understand", subject: path, reason: error.description)
        }
    }

    private static func failure(_ operation: String, _ path: String) -> SocketError {
        let code = errno
        return SocketError(operation: operation, subject: path, reason: String(cString: strerror(code)), code: code)
    }
}
