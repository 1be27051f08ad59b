import Operations
import Sockets

/// How the descriptors of a process are shared out: what it needs itself, and how many connections fit beside that.
public struct DescriptorPlan: Equatable, Sendable {
    /// What the system allows the process.
    public let limit: Int
    /// For loops, listeners, the log, the operator's connections, files that are read again, house bots.
    public let reserved: Int
    /// For connections that were not let in and are not closed yet.
    public let lingering: Int
    /// For connections through proxies that have not said whom they speak for.
    public let proxyGuests: Int

    /// The most connections that fit.
    public var connections: Int { max(0, limit - reserved - lingering - proxyGuests) }

    /// Fewer connections are no server.
    public static let fewestConnections = 16

    /// - Parameters:
    ///   - limit: what the system allows the process.
    ///   - bots: house bots, each of which has a descriptor for its own end.
    public init(limit: Int, loops: Int = 1, bots: Int = 0, takesProxies: Bool = false) {
        self.limit = limit
        reserved = 96 + 4 * loops + bots
        lingering = min(256, limit / 16)
        proxyGuests = takesProxies ? min(1024, limit / 8) : 0
    }

    /// The fewest descriptors with which such a server can be started.
    public static func fewest(loops: Int, bots: Int, takesProxies: Bool) -> Int {
        var limit = 64
        while Self(limit: limit, loops: loops, bots: bots, takesProxies: takesProxies).connections < fewestConnections {
            limit += 1
        }
        return limit
    }
}

/// When troubles with accepting were last logged. Touched on the first loop alone.
final class AcceptTroubles: @unchecked Sendable {  // touched on the first loop's queue alone
    /// A line in so many milliseconds, whatever happens.
    private static let interval: Int64 = 10_000
    private var loggedAt: Int64?
    private var unlogged = 0

    /// - Returns: how many there were since the last line, if it is time for another one.
    func note(at now: Int64) -> Int? {
        unlogged += 1
        guard loggedAt.map({ now - $0 >= Self.interval }) ?? true else { return nil }
        defer { unlogged = 0 }
        loggedAt = now
        return unlogged
    }
}

extension Server {
    /// The most of one address among the connections that were not let in and are not closed yet.
    static let lingeringPerAddress = 8

    /// A listener has met a bound of the system.
    func note(_ trouble: ListenerTrouble) {
        if case .refused = trouble { directory.metrics.acceptFailures.add() }
        guard let times = troubles.note(at: now) else { return }
        switch trouble {
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

    /// Has other bounds fit the descriptors that there are. To be called where a configuration is taken over.
    func fitted(_ configuration: ShardConfiguration) -> ShardConfiguration {
        guard let plan = options.descriptors, plan.connections < configuration.maximumConnections else { return configuration }
        var fitted = configuration
        fitted.maximumConnections = plan.connections
        return fitted
    }

    /// Says in the log how the descriptors are shared out, and whether the bound on connections had to give way.
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
