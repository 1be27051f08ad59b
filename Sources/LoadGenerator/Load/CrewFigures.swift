import Measuring

/// Counts of the bots of one loop.
struct CrewFigures: Sendable {
    var connected = 0
    var actions = 0
    var hands = 0
    var net = 0
    var sessions = 0
    var disconnects = 0
    var waitedForBot = 0
    /// Times that a bot left input unread.
    var rests = 0
    var errors: [String: Int] = [:]
    var latency = LatencyBook()
    var join = LatencyBook()
    /// Corrected latencies since the last look.
    var recent = Histogram()

    /// Distinct error texts that are counted; further ones are counted together.
    private static let kinds = 64

    mutating func fail(_ reason: String) {
        let key = errors[reason] != nil || errors.count < Self.kinds ? reason : "other"
        errors[key, default: 0] += 1
    }

    mutating func merge(_ other: CrewFigures) {
        connected += other.connected
        actions += other.actions
        hands += other.hands
        net += other.net
        sessions += other.sessions
        disconnects += other.disconnects
        waitedForBot += other.waitedForBot
        rests += other.rests
        errors.merge(other.errors, uniquingKeysWith: +)
        latency.merge(other.latency)
        join.merge(other.join)
        recent.merge(other.recent)
    }
}
