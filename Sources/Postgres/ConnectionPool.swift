import Sockets
import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Connections to a database for calls on any thread. A call that loses its connection is retried on another one until its deadline.
final class ConnectionPool: Sendable {
    private let url: DatabaseURL
    /// Milliseconds for a call, with all its attempts.
    let timeout: Int
    /// Milliseconds for the first attempt; each later one has twice as many.
    private let firstTimeout: Int
    /// Connections that are not in use.
    private let idle = Mutex<[DatabaseConnection]>([])

    /// Milliseconds between two attempts.
    private static let pause: Int32 = 50

    init(_ url: DatabaseURL, timeout: Int, firstTimeout: Int) {
        (self.url, self.timeout, self.firstTimeout) = (url, timeout, firstTimeout)
    }

    /// Runs `body` with a connection, and retries it with another one after a lost connection.
    /// - Parameter check: called with each new connection.
    func run<Value>(
        checking check: (DatabaseConnection, Deadline) throws(DatabaseError) -> Void = { _, _ in },
        _ body: (DatabaseConnection, Deadline) throws(DatabaseError) -> Value
    ) throws(DatabaseError) -> Value {
        let deadline = Deadline.after(timeout)
        var attempt = firstTimeout
        while true {
            do throws(DatabaseError) {
                let connection: DatabaseConnection
                if let open = idle.withLock({ $0.popLast() }) {
                    connection = open
                } else {
                    connection = try DatabaseConnection.open(url, by: deadline)
                    try check(connection, deadline)
                }
                do throws(DatabaseError) {
                    let value = try body(connection, deadline.sooner(attempt))
                    idle.withLock { $0.append(connection) }
                    return value
                } catch {
                    switch error {
                    case .refused, .damaged: idle.withLock { $0.append(connection) }
                    case .away, .unusable: break
                    }
                    throw error
                }
            } catch {
                // The other connections end with the server, too, and a standby that was promoted is elsewhere.
                guard case .away = error else { throw error }
                idle.withLock { $0.removeAll() }
                attempt = min(2 * attempt, timeout)
                guard deadline.rest > Self.pause else { throw error }
                poll(nil, 0, Self.pause)
            }
        }
    }
}
