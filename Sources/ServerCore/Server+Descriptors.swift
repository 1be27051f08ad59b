import Operations
import Sockets

/// Distribution of a process's descriptors: reserved ones, and the connections that fit beside them.
public struct DescriptorPlan: Equatable, Sendable {
    /// The process's limit.
    public let limit: Int
    /// For loops, listeners, log, admin connections, reloaded files and house bots.
    public let reserved: Int
    /// For refused connections that are not closed yet.
    public let lingering: Int
    /// For proxied connections without a PROXY header.
    public let proxyGuests: Int

    /// The number of connections that fit.
    public var connections: Int { max(0, limit - reserved - lingering - proxyGuests) }

    /// A server with fewer connections is refused.
    public static let fewestConnections = 16

    /// - Parameters:
    ///   - limit: the process's limit of descriptors.
    ///   - bots: house bots; each needs a descriptor for its client side.
    public init(limit: Int, loops: Int = 1, bots: Int = 0, takesProxies: Bool = false) {
        self.limit = limit
        reserved = 96 + 4 * loops + bots
        lingering = min(256, limit / 16)
        proxyGuests = takesProxies ? min(1024, limit / 8) : 0
    }

    /// The fewest descriptors with which a server can start.
    public static func fewest(loops: Int, bots: Int, takesProxies: Bool) -> Int {
        var limit = 64
        while Self(limit: limit, loops: loops, bots: bots, takesProxies: takesProxies).connections < fewestConnections {
            limit += 1
        }
        return limit
    }
}

/// Limits accept-failure log lines to one per interval.
struct LogThrottle {
    /// Milliseconds.
    private static let interval: Int64 = 10_000
    private var loggedAt: Int64?
    private var unlogged = 0

    /// - Returns: the occurrences since the last line, if another line is due.
    mutating func count(at now: Int64) -> Int? {
        unlogged += 1
        guard loggedAt.map({ now - $0 >= Self.interval }) ?? true else { return nil }
        defer { unlogged = 0 }
        loggedAt = now
        return unlogged
    }
}

extension Server {
    /// Refused connections per address that are not closed yet.
    static let lingeringPerAddress = 8

    /// Counts and logs a listener's problem. On the first loop.
    func note(_ problem: AcceptProblem) {
        if case .refused = problem { directory.metrics.acceptFailures.add() }
        guard let times = lifecycle.value.acceptFailureLog.count(at: now) else { return }
        switch problem {
        case .refused(let code):
            writeLog(
                "accept_failed",
                [LogField("reason", SocketError.reason(of: code)), LogField("times", times), LogField("paused_ms", 100)],
                level: .error)
        case .nearLimit(let descriptor):
            writeLog(
                "descriptors_near_limit",
                [LogField("used", Int(descriptor) + 1), LogField("limit", DescriptorLimit.now), LogField("times", times)],
                level: .warning)
        }
    }

    /// Clamps the bound on connections to the available descriptors.
    func fitted(_ configuration: ShardConfiguration) -> ShardConfiguration {
        guard let plan = options.descriptors, plan.connections < configuration.maximumConnections else { return configuration }
        var fitted = configuration
        fitted.maximumConnections = plan.connections
        return fitted
    }

    /// Logs the descriptor plan, as a warning if it lowers the bound on connections.
    public func logDescriptors(wanted: Int) {
        guard let plan = options.descriptors else { return }
        let fields = [
            LogField("limit", plan.limit), LogField("reserved", plan.limit - plan.connections),
            LogField("connections", min(wanted, plan.connections)),
        ]
        guard wanted > plan.connections else { return writeLog("descriptors", fields) }
        writeLog("descriptors_short", fields + [LogField("max_connections", wanted)], level: .warning)
    }
}
