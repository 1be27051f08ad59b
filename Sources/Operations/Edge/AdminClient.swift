import Dispatch
import Sockets

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Sends requests to a running server over its Unix-domain socket.
public enum AdminClient {
    /// Bytes per answer: enough for thousands of players.
    private static let answerLimit = 16 << 20

    /// Sends a request and blocks until the answer.
    /// - Parameter timeout: in seconds, for all steps together, also against a server that drips bytes.
    /// - Throws: an error with the code `ETIMEDOUT` when the answer is incomplete in time.
    public static func ask(_ request: AdminRequest, path: String, timeout: Int = 10) throws(SocketError) -> AdminReply {
        try ask(request, path: path, milliseconds: timeout * 1000)
    }

    /// Sends a request and blocks until the answer.
    /// - Parameter milliseconds: timeout for all steps together.
    public static func ask(_ request: AdminRequest, path: String, milliseconds: Int) throws(SocketError) -> AdminReply {
        guard let address = UnixAddress(path) else {
            throw SocketError(operation: "connect to", subject: path, reason: "a path has 1 to 107 bytes")
        }
        let wait = Wait(path: path, milliseconds: milliseconds)
        let descriptor = UnixSocket.make(.stream)
        defer { if descriptor >= 0 { close(descriptor) } }
        guard descriptor >= 0 else { throw wait.failure("open a socket for") }
        try wait.arm(descriptor)
        guard address.withPointer({ connect(descriptor, $0, $1) }) == 0 else { throw wait.failure("connect to") }
        try wait.arm(descriptor)
        guard UnixSocket.sendAll(descriptor, request.line) else { throw wait.failure("send to") }
        var answer: [UInt8] = []
        while true {
            try wait.arm(descriptor)
            guard let bytes = UnixSocket.receive(descriptor) else { throw wait.failure("hear from") }
            let end = bytes.firstIndex(of: UInt8(ascii: "\n"))
            answer += bytes[..<(end ?? bytes.count)]
            if end != nil { return try reply(answer, path) }
            guard !bytes.isEmpty, answer.count <= answerLimit else {
                throw SocketError(operation: "hear from", subject: path, reason: "the reply is incomplete")
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

    /// The deadline for all calls together.
    private struct Wait {
        let path: String
        let milliseconds: Int
        private let start = DispatchTime.now().uptimeNanoseconds

        init(path: String, milliseconds: Int) {
            self.path = path
            self.milliseconds = milliseconds
        }

        /// Limits the next call to the remaining time.
        func arm(_ descriptor: Int32) throws(SocketError) {
            let left = milliseconds - Int((DispatchTime.now().uptimeNanoseconds - start) / 1_000_000)
            guard left > 0 else { throw isOver }
            UnixSocket.setTimeout(descriptor, milliseconds: left)
        }

        func failure(_ operation: String) -> SocketError {
            let code = errno
            guard code != EAGAIN, code != EWOULDBLOCK else { return isOver }
            return SocketError(operation: operation, subject: path, reason: String(cString: strerror(code)), code: code)
        }

        private var isOver: SocketError {
            SocketError(
                operation: "hear from", subject: path, reason: "no reply from the server within \(milliseconds) ms",
                code: ETIMEDOUT)
        }
    }
}
