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
        guard let connection = socket.accept() else {
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
            try? connection.send(line, by: .after(1000))
            return
        }
        // On a Dispatch queue, not a new thread: if the system has no thread left, the request waits and the server keeps running.
        DispatchQueue(label: "bj.admin.request").async { [self] in
            serve(connection)
            state.withLock { $0.connections -= 1 }
        }
    }

    private func serve(_ connection: BlockingSocket) {
        let line = try? connection.receiveLine(limit: Self.lineLimit, by: .after(timeout * 1000))
        guard let line else { return }
        inProgress.enter()
        defer { inProgress.leave() }
        guard state.withLock({ $0.stop != nil }) else { return }
        let words = try? JSONDecoder().decode([String].self, from: Data(line))
        let reply = words.map(respond) ?? .refused(code: "bad_request", message: "The line is not a JSON array of words.")
        try? connection.send(reply.line, by: .after(timeout * 1000))
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
        let deadline = Deadline.after(milliseconds)
        let line: [UInt8]
        do throws(SocketError) {
            let socket = try BlockingSocket(to: SocketAddress(unixPath: path), path, by: deadline)
            do throws(SocketError) { try socket.send(encoded(words), by: deadline) } catch {
                // A busy server replies and closes without reading.
                guard error.code == EPIPE || error.code == ECONNRESET else { throw error }
            }
            line = try socket.receiveLine(limit: answerLimit, by: deadline)
        } catch {
            guard error.code == ETIMEDOUT else { throw error }
            let reason = "no reply from the server within \(milliseconds) ms"
            throw SocketError(operation: "read from", subject: path, reason: reason, code: ETIMEDOUT)
        }
        guard let reply = AdminReply(line: line) else {
            throw SocketError(operation: "read the reply from", subject: path, reason: "the server has another version")
        }
        return reply
    }

    /// Whether a server listens at a path.
    /// - Returns: 0 if one does, otherwise the error number of `connect`; `ETIMEDOUT` if its queue is full.
    public static func probe(_ path: String) -> Int32 {
        do throws(SocketError) {
            _ = try BlockingSocket(to: SocketAddress(unixPath: path), path, by: .after(1000))
            return 0
        } catch { return error.code }
    }
}

extension BlockingSocket {
    /// Receives a line, without its newline.
    fileprivate func receiveLine(limit: Int, by deadline: Deadline) throws(SocketError) -> [UInt8] {
        var line: [UInt8] = []
        var isWhole = false
        while true {
            let count = try receive(by: deadline) { bytes in
                let end = bytes.firstIndex(of: UInt8(ascii: "\n"))
                line += bytes[..<(end ?? bytes.endIndex)]
                isWhole = end != nil
            }
            if isWhole { return line }
            guard count > 0, line.count <= limit else {
                throw SocketError(operation: "read from", subject: subject, reason: "the line is incomplete")
            }
        }
    }
}
