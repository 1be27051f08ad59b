import Dispatch
import Sockets

/// Answers operators on a Unix-domain socket that only the server's own user can open.
///
/// Runs on its own loop, with a deadline per request. Requests run off that loop, since some wait for game loops.
public final class AdminListener: Sendable {
    private let driver: LoopConfined<AdminDriver>
    private let inProgress = DispatchGroup()
    /// Seconds per request.
    private let timeout: Int

    /// Listens. Replaces a stale socket of a killed server at the path; nothing else.
    /// - Parameters:
    ///   - path: of at most 107 bytes.
    ///   - timeout: seconds per request and per answer.
    ///   - respond: called on any thread, concurrently.
    public convenience init(
        path: String, timeout: Int = 2, respond: @escaping @Sendable (AdminRequest) -> AdminReply
    ) throws(SocketError) {
        try self.init(timeout, respond) { loop, limits, accepted throws(SocketError) in
            try Listener(unixPath: path, loop: loop, limits: limits, accepted: accepted)
        }
    }

    /// Adopts a listening Unix-domain socket, such as one of ``ActivatedSockets``.
    public convenience init(
        adopting descriptor: Int32, timeout: Int = 2, respond: @escaping @Sendable (AdminRequest) -> AdminReply
    ) throws(SocketError) {
        // Access to this socket can stop the server, so a TCP port is refused.
        guard ActivatedSockets.isUnixListener(descriptor) else {
            throw SocketError(
                operation: "adopt", subject: "descriptor \(descriptor)",
                reason: "an admin socket is a Unix-domain stream socket that listens")
        }
        try self.init(timeout, respond) { loop, limits, accepted throws(SocketError) in
            try Listener(adopting: descriptor, loop: loop, limits: limits, accepted: accepted)
        }
    }

    private typealias Listen =
        @Sendable (Loop, ConnectionLimits, @escaping (Connection) -> Void) throws(SocketError) -> Listener

    private init(
        _ seconds: Int, _ respond: @escaping @Sendable (AdminRequest) -> AdminReply, _ listen: Listen
    ) throws(SocketError) {
        let loop = Loop(label: "bj.admin")
        timeout = seconds
        driver = LoopConfined(
            sending: AdminDriver(loop, timeout: Int64(seconds) * 1000, inProgress: inProgress, respond: respond), on: loop)
        let result = driver.performAndWait { driver -> Result<Void, SocketError> in
            Result { () throws(SocketError) in
                try driver.start { limits, accepted throws(SocketError) in try listen(loop, limits, accepted) }
            }
        }
        do throws(SocketError) {
            try result.get()
        } catch {
            loop.stop()
            throw error
        }
    }

    /// Removes the socket's file, waits for requests in progress until their deadline, sends their answers, then stops: an exit right
    /// after loses none. Must not be called by a request.
    public func stop() {
        driver.performAndWait { $0.close() }
        _ = inProgress.wait(timeout: .now() + .seconds(timeout))
        // Answers were posted before.
        driver.performAndWait { _ in }
        driver.loop.stop()
    }
}
