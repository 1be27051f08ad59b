import Dispatch
import Foundation
import Sockets
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Answers operators on a Unix-domain socket that only the server's user can open. A connection has one request, a line of JSON with its
/// words (`["kick","ann"]`), and one reply.
///
/// Each connection blocks a queue of its own, since a request waits for the loop; at most eight at once. Request and reply have one deadline
/// each.
public final class AdminListener: Sendable {
    /// Simultaneous connections; further ones are refused as busy.
    static let connectionLimit = 8
    /// Maximum bytes of a request: the longest list of bans.
    static let lineLimit = 1 << 20

    private let socket: ListeningSocket
    private let queue = DispatchQueue(label: "bj.admin")
    private let timeout: Int
    private let respond: @Sendable ([String]) -> AdminReply
    private let state = Mutex<(connections: Int, stop: (@Sendable () -> Void)?)>((0, nil))
    private let inProgress = DispatchGroup()

    /// Listens. Replaces only a stale socket of a killed server at the path.
    /// - Parameters:
    ///   - path: of at most 107 bytes.
    ///   - timeout: seconds per request and per answer.
    ///   - respond: called on any thread, concurrently.
    public init(
        path: String, timeout: Int = 10, respond: @escaping @Sendable ([String]) -> AdminReply
    ) throws(SocketError) {
        let socket = try ListeningSocket(unixPath: path)
        (self.socket, self.timeout, self.respond) = (socket, timeout, respond)
        let source = DispatchSource.makeReadSource(fileDescriptor: socket.descriptor, queue: queue)
        let closed = DispatchSemaphore(value: 0)
        source.setEventHandler { [weak self] in self?.accept() }
        source.setCancelHandler {
            socket.close()
            closed.signal()
        }
        source.resume()
        nonisolated(unsafe) let owned = source  // Dispatch lets any thread cancel a source.
        state.withLock {
            $0.stop = {
                owned.cancel()
                closed.wait()
            }
        }
    }

    private func accept() {
        let descriptor = socket.acceptBlocking()
        guard descriptor >= 0 else {
            // Out of descriptors: the source would call again at once.
            _ = DispatchSemaphore(value: 0).wait(timeout: .now() + .milliseconds(100))
            return
        }
        let isBusy = state.withLock { state in
            if state.connections < Self.connectionLimit { state.connections += 1 } else { return true }
            return false
        }
        guard !isBusy else {
            let busy = "The server is busy: \(Self.connectionLimit) requests are open."
            // A new socket's buffer takes a line at once; the deadline is for a thread that is not scheduled.
            let line = AdminReply.refused(code: "busy", message: busy).line
            try? AdminStream(descriptor, socket.subject, milliseconds: 1000).send(line)
            close(descriptor)
            return
        }
        // On a Dispatch queue, not a new thread: if the system has no thread left, the request waits and the server keeps running.
        DispatchQueue(label: "bj.admin.request").async { [self] in
            serve(descriptor)
            close(descriptor)
            state.withLock { $0.connections -= 1 }
        }
    }

    private func serve(_ descriptor: Int32) {
        func stream() -> AdminStream { AdminStream(descriptor, socket.subject, milliseconds: timeout * 1000) }
        guard let line = try? stream().receiveLine(limit: Self.lineLimit) else { return }
        inProgress.enter()
        defer { inProgress.leave() }
        guard state.withLock({ $0.stop != nil }) else { return }
        let words = try? JSONDecoder().decode([String].self, from: Data(line))
        let reply = words.map(respond) ?? .refused(code: "bad_request", message: "The line is not a JSON array of words.")
        try? stream().send(reply.line)
    }

    /// Removes the socket's file and waits up to two seconds for requests in progress, so that an exit right afterwards loses no reply. Must
    /// not be called by a request.
    public func stop() {
        state.withLock { state in
            defer { state.stop = nil }
            return state.stop
        }?()
        _ = inProgress.wait(timeout: .now() + .seconds(2))
    }
}

/// Sends requests to a running server over its Unix-domain socket.
public enum AdminClient {
    /// Bytes per answer: enough for thousands of players.
    private static let answerLimit = 16 << 20

    /// Sends a request and blocks until the answer.
    /// - Parameter milliseconds: for all steps together.
    /// - Throws: an error with the code `ETIMEDOUT` when the answer is incomplete in time.
    public static func ask(_ words: [String], path: String, milliseconds: Int = 10_000) throws(SocketError) -> AdminReply {
        let address = try SocketAddress(unixPath: path)
        let descriptor = UnixSocket.make(.stream)
        defer { if descriptor >= 0 { close(descriptor) } }
        let stream = AdminStream(descriptor, path, milliseconds: milliseconds)
        guard descriptor >= 0 else { throw stream.failure("open a socket for") }
        try stream.arm()
        guard address.withPointer({ connect(descriptor, $0, $1) }) == 0 else { throw stream.failure("connect to") }
        do throws(SocketError) { try stream.send(encoded(words)) } catch {
            // A busy server replies and closes without reading.
            guard error.code == EPIPE || error.code == ECONNRESET else { throw error }
        }
        guard let reply = AdminReply(line: try stream.receiveLine(limit: answerLimit)) else {
            throw SocketError(operation: "read the reply from", subject: path, reason: "the server has another version")
        }
        return reply
    }

    /// Whether a server listens at a path.
    /// - Returns: 0 if one does, otherwise the error number of `connect`.
    public static func probe(_ path: String) -> Int32 {
        guard let address = try? SocketAddress(unixPath: path) else { return ENAMETOOLONG }
        let descriptor = UnixSocket.make(.stream)
        guard descriptor >= 0 else { return errno }
        defer { close(descriptor) }
        UnixSocket.setTimeout(descriptor, milliseconds: 1000)
        return address.withPointer { connect(descriptor, $0, $1) } == 0 ? 0 : errno
    }
}

/// One end of an admin connection: blocking calls with one deadline.
private struct AdminStream {
    private let descriptor: Int32
    private let path: String
    private let milliseconds: Int
    private let start = DispatchTime.now().uptimeNanoseconds

    init(_ descriptor: Int32, _ path: String, milliseconds: Int) {
        (self.descriptor, self.path, self.milliseconds) = (descriptor, path, milliseconds)
    }

    /// Limits the next call to the remaining time.
    func arm() throws(SocketError) {
        let left = milliseconds - Int((DispatchTime.now().uptimeNanoseconds - start) / 1_000_000)
        guard left > 0 else { throw isOver }
        UnixSocket.setTimeout(descriptor, milliseconds: left)
    }

    func send(_ bytes: [UInt8]) throws(SocketError) {
        var sent = 0
        while sent < bytes.count {
            try arm()
            let count = UnixSocket.send(descriptor, bytes[sent...])
            guard count > 0 else { throw failure("send to") }
            sent += count
        }
    }

    /// Receives a line, without its newline.
    func receiveLine(limit: Int) throws(SocketError) -> [UInt8] {
        var line: [UInt8] = []
        while true {
            try arm()
            guard let bytes = UnixSocket.receive(descriptor) else { throw failure("read from") }
            let end = bytes.firstIndex(of: UInt8(ascii: "\n"))
            line += bytes[..<(end ?? bytes.count)]
            if end != nil { return line }
            guard !bytes.isEmpty, line.count <= limit else {
                throw SocketError(operation: "read from", subject: path, reason: "the line is incomplete")
            }
        }
    }

    func failure(_ operation: String) -> SocketError {
        let code = errno
        guard code != EAGAIN, code != EWOULDBLOCK else { return isOver }
        return SocketError(operation: operation, subject: path, reason: String(cString: strerror(code)), code: code)
    }

    private var isOver: SocketError {
        SocketError(
            operation: "read from", subject: path, reason: "no reply from the server within \(milliseconds) ms", code: ETIMEDOUT)
    }
}

/// Calls on Unix-domain sockets, with the types of Linux and Darwin.
enum UnixSocket {
    enum Kind { case stream, datagram }

    /// A close-on-exec socket; -1 with errno set on failure.
    static func make(_ kind: Kind) -> Int32 {
        #if canImport(Glibc)
            let type = Int32((kind == .stream ? SOCK_STREAM : SOCK_DGRAM).rawValue)
            return socket(AF_UNIX, type | Int32(SOCK_CLOEXEC.rawValue), 0)
        #else
            let descriptor = socket(AF_UNIX, kind == .stream ? SOCK_STREAM : SOCK_DGRAM, 0)
            if descriptor >= 0 {
                _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
                var on: Int32 = 1
                setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &on, socklen_t(MemoryLayout<Int32>.size))
            }
            return descriptor
        #endif
    }

    /// Sets the timeout of each call.
    /// - Parameter milliseconds: at least 1.
    static func setTimeout(_ descriptor: Int32, milliseconds: Int) {
        var time = timeval(tv_sec: milliseconds / 1000, tv_usec: .init(milliseconds % 1000 * 1000))
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
    }

    /// - Returns: the number of bytes sent; -1 on failure or timeout, with errno set.
    static func send(_ descriptor: Int32, _ bytes: ArraySlice<UInt8>) -> Int {
        #if canImport(Glibc)
            let quiet = Int32(MSG_NOSIGNAL)
        #else
            let quiet: Int32 = 0
        #endif
        while true {
            #if canImport(Glibc)
                let count = bytes.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, quiet) }
            #else
                let count = bytes.withUnsafeBytes { Darwin.send(descriptor, $0.baseAddress, $0.count, quiet) }
            #endif
            if count >= 0 || errno != EINTR { return count }
        }
    }

    /// Available bytes, at most 64 KiB; empty at end of stream; nil on failure or timeout.
    static func receive(_ descriptor: Int32) -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = buffer.withUnsafeMutableBytes { recv(descriptor, $0.baseAddress, $0.count, 0) }
            if count < 0 && errno == EINTR { continue }
            return count < 0 ? nil : Array(buffer[..<count])
        }
    }
}
