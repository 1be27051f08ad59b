import Measuring

/// Shoes by the result of their proofs.
struct ShoeCounts: Equatable, Sendable {
    var verified = 0
    /// Not as committed to, or of a ceremony that was not honest.
    var failed = 0
    /// Without a proof.
    var unproven = 0

    mutating func merge(_ other: ShoeCounts) {
        verified += other.verified
        failed += other.failed
        unproven += other.unproven
    }
}

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
    /// Shoes that bots have judged, each bot its own.
    var shoes = ShoeCounts()
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
        shoes.merge(other.shoes)
        errors.merge(other.errors, uniquingKeysWith: +)
        latency.merge(other.latency)
        join.merge(other.join)
        recent.merge(other.recent)
    }
}
