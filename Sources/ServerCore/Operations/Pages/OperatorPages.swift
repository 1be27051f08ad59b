import Dispatch
import Sockets
import Synchronization

/// The operator's pages: metrics, liveness, readiness.
public struct OperatorPages: Sendable {
    /// Renders the metrics page.
    public let metrics: @Sendable () -> String
    /// nil when ready for players, else the reason in a word: `draining`.
    public let unreadiness: @Sendable () -> String?

    public init(metrics: @escaping @Sendable () -> String, unreadiness: @escaping @Sendable () -> String?) {
        self.metrics = metrics
        self.unreadiness = unreadiness
    }

    /// Maximum bytes of a request.
    static let requestLimit = 8192

    /// The answer to a request's bytes so far, after which the connection closes; nil while its head is incomplete. One request per connection,
    /// judged by its first line: the part of HTTP/1.1 (RFC 9112) that scrapes and probes need.
    func answer(to bytes: [UInt8]) -> [UInt8]? {
        guard bytes.count <= Self.requestLimit else { return Self.answer("431 Request Header Fields Too Large") }
        let head = bytes.filter { $0 != 0x0D }
        guard zip(head, head.dropFirst()).contains(where: { $0 == 0x0A && $1 == 0x0A }) else { return nil }
        let words = String(decoding: head.prefix { $0 != 0x0A }, as: UTF8.self).split(
            separator: " ", omittingEmptySubsequences: false)
        guard words.count == 3, words[2].hasPrefix("HTTP/1.") else { return Self.answer("400 Bad Request") }
        guard words[0] == "GET" else { return Self.answer("405 Method Not Allowed", "only GET\n", field: "Allow: GET") }
        // A proxy asks for `http://host:port/metrics` (§3.2.2).
        let scheme = words[1].hasPrefix("/") ? nil : words[1].firstRange(of: "://")
        let target = scheme.map { words[1][$0.upperBound...].drop { $0 != "/" } } ?? words[1]
        switch target.prefix(while: { $0 != "?" }) {
        case "/metrics": return Self.answer("200 OK", metrics(), type: "text/plain; version=0.0.4")
        case "/livez": return Self.answer("200 OK", "ok\n")
        case "/readyz":
            guard let reason = unreadiness() else { return Self.answer("200 OK", "ok\n") }
            return Self.answer("503 Service Unavailable", "\(reason)\n")
        default: return Self.answer("404 Not Found")
        }
    }

    private static func answer(
        _ status: String, _ body: String? = nil, type: String = "text/plain", field: String = "Cache-Control: no-store"
    ) -> [UInt8] {
        let body = body ?? "\(status)\n"
        return Array(
            """
            HTTP/1.1 \(status)\r
            Content-Type: \(type); charset=utf-8\r
            Content-Length: \(body.utf8.count)\r
            Connection: close\r
            \(field)\r
            \r
            \(body)
            """.utf8)
    }
}

/// The operator pages' connections. Confined to the loop of a ``MetricsEndpoint``.
final class PagesDriver {
    private final class PendingRequest {
        let connection: Connection
        var bytes: [UInt8] = []
        var timer: LoopTimer?

        init(_ connection: Connection) { self.connection = connection }
    }

    /// Maximum simultaneous connections. A further one replaces the oldest.
    static let connectionLimit = 32

    private let loop: Loop
    /// Time for a request, in milliseconds.
    private let timeout: Int64
    private let pages: OperatorPages
    private var listener: Listener?
    private var requests: [UInt64: PendingRequest] = [:]

    init(_ loop: Loop, pages: OperatorPages, timeout: Int64) {
        self.loop = loop
        self.pages = pages
        self.timeout = timeout
    }

    func start(host: String, port: Int) throws(SocketError) -> SocketAddress {
        let limits = ConnectionLimits(outboundBytes: 4 << 20, outboundStall: timeout, linger: 1_000)
        let listener = try Listener(host: host, port: port, loop: loop, limits: limits) { [weak self] in self?.accepted($0) }
        self.listener = listener
        return listener.address
    }

    func stop() {
        listener?.close()
        loop.stop()
    }

    private func accepted(_ connection: Connection) {
        let pending = PendingRequest(connection)
        // Ids grow.
        if requests.count >= Self.connectionLimit, let oldest = requests.keys.min(),
            let former = requests.removeValue(forKey: oldest)
        {
            former.timer?.disarm()
            former.connection.abort()
        }
        connection.handler = self
        requests[connection.id] = pending
        pending.timer = loop.makeTimer { [weak connection] in connection?.close() }
        pending.timer?.arm(at: loop.now + timeout)
    }
}

extension PagesDriver: ConnectionHandler {
    func connection(_ connection: Connection, received bytes: UnsafeRawBufferPointer) {
        guard let pending = requests[connection.id] else { return }
        pending.bytes += bytes.prefix(OperatorPages.requestLimit + 1 - pending.bytes.count)
        guard let answer = pages.answer(to: pending.bytes) else { return }
        connection.send(answer)
        connection.close()
    }

    func connection(_ connection: Connection, endedBy reason: EndReason) {
        requests.removeValue(forKey: connection.id)?.timer?.disarm()
    }
}

/// Serves operator pages over HTTP on a loop of its own: a scrape takes no time from a game, and a stuck game does not block a
/// scrape.
public final class MetricsEndpoint: Sendable {
    public let loop: Loop
    private let driver: LoopConfined<PagesDriver>

    /// - Parameters:
    ///   - timeout: time for a request, in milliseconds.
    ///   - pageLifetime: cache lifetime of the metrics page, in milliseconds: a new one queries the loop.
    public init(pages: OperatorPages, timeout: Int64 = 2_000, pageLifetime: Int64 = 250) {
        let loop = Loop(label: "bj.operator")
        let latest = Mutex<(text: String, made: Int64)?>(nil)
        let pages = OperatorPages(
            metrics: {
                let now = loop.now
                if let page = latest.withLock({ $0 }), now - page.made < pageLifetime { return page.text }
                let text = pages.metrics()
                latest.withLock { $0 = (text, now) }
                return text
            }, unreadiness: pages.unreadiness)
        self.loop = loop
        driver = LoopConfined(sending: PagesDriver(loop, pages: pages, timeout: timeout), on: loop)
    }

    /// Listens.
    /// - Returns: the address with its actual port.
    public func start(host: String, port: Int) throws(SocketError) -> SocketAddress {
        try driver.performAndWait { driver throws(SocketError) in try driver.start(host: host, port: port) }
    }

    /// Closes all sockets without answering.
    public func stop() { driver.perform { $0.stop() } }
}

/// Queries a server's readiness, as a container's health check does.
public enum HealthCheck {
    /// Requests `/readyz` and blocks until the answer. Must not run on a loop.
    /// - Parameter timeout: for all steps together, in milliseconds.
    /// - Returns: why the server is not ready, in a few words; nil if it is.
    public static func run(host: String, port: Int, timeout: Int = 5_000) -> String? {
        Inquiry("no answer in time" as String?).ask(timeout: timeout) { answer in
            // Looking up a name has no deadline. The others are behind the one of the wait.
            DispatchQueue(label: "bj.health").async { answer(unreadiness(of: host, port, by: .after(timeout + 1000))) }
        }.latest
    }

    private static func unreadiness(of host: String, _ port: Int, by deadline: Deadline) -> String? {
        // A wildcard address is reachable on loopback.
        let host = host.isEmpty || host == "0.0.0.0" ? "127.0.0.1" : host == "::" ? "::1" : host
        var answer: [UInt8] = []
        do throws(SocketError) {
            let socket = try BlockingSocket.connect(host: host, port: port, by: deadline)
            try socket.send(Array("GET /readyz HTTP/1.1\r\nHost: \(host)\r\n\r\n".utf8), by: deadline)
            while answer.count < 65_536, try socket.receive(by: deadline, { answer += $0 }) > 0 {}
        } catch {
            if answer.isEmpty { return error.description }
        }
        let text = String(decoding: answer, as: UTF8.self)
        let words = text.prefix { $0 != "\r\n" && $0 != "\n" }.split(separator: " ", maxSplits: 2)
        guard words.count >= 2, words[0].hasPrefix("HTTP/1.") else { return "not an HTTP response" }
        guard words[1] != "200" else { return nil }
        let lines = text.split(omittingEmptySubsequences: false) { $0 == "\r\n" || $0 == "\n" }
        let body = lines.drop { !$0.isEmpty }.dropFirst().first ?? ""
        // The answer may come from another program.
        let shown = body.printable(upTo: 80)
        return "status \(words[1].prefix(3))" + (shown.isEmpty ? "" : ": \(shown)")
    }
}
