import Sockets
import Synchronization

/// Serves operator pages over HTTP on a loop of its own: a scrape takes no time from a game, and a stuck game does not block a
/// scrape.
public final class MetricsEndpoint: Sendable {
    public let loop: Loop
    private let driver: LoopConfined<PagesDriver>

    /// - Parameters:
    ///   - timeout: request and idle timeout, in milliseconds.
    ///   - pageLifetime: cache lifetime of the metrics page, in milliseconds: a new one queries every loop.
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
    /// - Parameter descriptors: listening sockets to adopt instead of opening one.
    /// - Returns: the first socket's address with its actual port.
    public func start(host: String, port: Int, adopting descriptors: [Int32] = []) throws(SocketError) -> SocketAddress {
        let result = driver.performAndWait { driver -> Result<SocketAddress, SocketError> in
            Result { () throws(SocketError) in try driver.start(host: host, port: port, adopting: descriptors) }
        }
        return try result.get()
    }

    /// Closes all sockets without answering.
    public func stop() { driver.perform { $0.stop() } }
}
