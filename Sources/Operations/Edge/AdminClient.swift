import Dispatch
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
    /// - Parameter timeout: for everything together, in seconds. A server that is stuck, or drips, does not hold up who asks for longer.
    /// - Throws: an error with the code `ETIMEDOUT` when there was no whole answer in time.
    public static func ask(_ request: AdminRequest, path: String, timeout: Int = 10) throws(SocketError) -> AdminReply {
        try ask(request, path: path, milliseconds: timeout * 1000)
    }

    /// Asks, and waits for the answer.
    /// - Parameter milliseconds: for everything together.
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

    /// How long all calls together may wait.
    private struct Wait {
        let path: String
        let milliseconds: Int
        private let start = DispatchTime.now().uptimeNanoseconds

        init(path: String, milliseconds: Int) {
            self.path = path
            self.milliseconds = milliseconds
        }

        /// Bounds the next call by what is left.
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
                operation: "hear from", subject: path, reason: "the server gave no answer within \(milliseconds) ms",
                code: ETIMEDOUT)
        }
    }
}
