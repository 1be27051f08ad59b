import Measuring
import Referee

/// Everything that a load run found out: from this one value come the summary, the JSON, the page, the percentile files and the JUnit file, so
/// they can't disagree.
public struct LoadReport: Sendable {
    /// A second (or a few) of the run.
    struct Point: Sendable, Equatable {
        /// Seconds since the start, of the point's end.
        var time: Double
        var connected: Int
        /// Table rounds a second.
        var rounds: Double
        /// Actions a second.
        var actions: Double
        /// Corrected latencies of the actions whose effect was seen in this time, in microseconds; 0 when there was none.
        var p50: Int64
        var p99: Int64
        var max: Int64
        var errors: Int
    }

    /// Whether a threshold held.
    struct Verdict: Sendable, Equatable {
        var threshold: Threshold
        /// Microseconds for a time; nil where nothing was measured, and then nothing holds.
        var value: Double?
        var holds: Bool
    }

    /// `HOST:PORT` as it was given.
    public var target = ""
    /// The server's name and version, from `hello`.
    public var server = ""
    /// When the run began, as ISO 8601.
    public var started = ""
    public var seed: UInt64 = 0
    /// The phases, in words.
    public var plan: [String] = []
    /// Seconds from the first connection to the end of the last phase.
    public var seconds = 0.0
    /// Whether honest bots were to play: then a run in which nothing of theirs was measured is invalid.
    var expectsActions = false
    /// Whether it was ended before the last phase was over.
    var isInterrupted = false

    var honestBots = 0
    var hostileBots = 0
    /// The most honest bots that were connected at the same time.
    var peakConnected = 0
    /// Rounds that tables played while honest bots looked on.
    public var rounds = 0
    /// The same table by table. One that stands still while others play is stuck.
    var roundsByTable: [String: Int] = [:]
    /// Hands of honest bots.
    public var hands = 0
    /// Chips won (positive) or lost by honest bots.
    public var net = 0
    /// Bets and decisions of honest bots whose effect was seen.
    public var actions = 0
    /// Shoes that honest bots have judged by their proofs, each bot its own.
    var shoes = ShoeCounts()
    /// Times that an honest bot has taken a seat.
    public var sessions = 0
    /// Lines that honest bots have read and judged.
    public var lines = 0
    /// Connections of honest bots that the server ended, or that could not be made.
    public var disconnects = 0
    /// Errors by text.
    public var errors: [String: Int] = [:]
    /// The first violations; ``violationCount`` counts all.
    public var violations: [Violation] = []
    public var violationCount = 0

    /// Latencies of bets and decisions.
    public var latency = LatencyBook()
    /// Latencies of getting a seat: from the moment that a bot was meant to come until it saw its table.
    public var join = LatencyBook()
    /// Actions of an open model that had to wait until a bot could act.
    var waitedForBot = 0
    /// Times that a bot left input unread.
    var rests = 0
    /// Seconds of processor time that the generator has used, hostile bots included.
    var generatorSeconds = 0.0
    /// Seconds of processor time that the server has used, as far as its metrics tell.
    var serverSeconds: Double?
    var timeline: [Point] = []
    public var hostile: [HostileKind: HostileTally] = [:]
    var verdicts: [Verdict] = []
    /// Warnings for readers of the figures.
    var warnings: [String] = []

    public init() {}

    public var errorCount: Int { errors.values.reduce(0, +) }
    var roundsPerSecond: Double { seconds > 0 ? Double(rounds) / seconds : 0 }
    var actionsPerSecond: Double { seconds > 0 ? Double(actions) / seconds : 0 }
    /// Microseconds of the generator's processor time for each action; 0 when there was none.
    var generatorPerAction: Double { actions > 0 ? generatorSeconds * 1_000_000 / Double(actions) : 0 }
    /// Microseconds of the server's processor time for each action; nil where it is not known.
    var serverPerAction: Double? { actions > 0 ? serverSeconds.map { $0 * 1_000_000 / Double(actions) } : nil }
    /// Why the measurement is not to be trusted; nil when it may be.
    var invalid: String? {
        expectsActions && latency.corrected.isEmpty ? "no action of an honest bot was measured" : latency.fault
    }

    /// A program's exit status: 3 for a violation, 4 for an invalid measurement, 99 for a failed threshold, else 0. Thresholds
    /// of an invalid measurement say nothing.
    public var exitStatus: Int32 {
        violationCount > 0 ? 3 : invalid != nil ? 4 : verdicts.contains { !$0.holds } ? 99 : 0
    }
}

extension LoadReport {
    /// The figure that a threshold is about: microseconds for a time; nil for a time when nothing was measured.
    func value(of metric: Threshold.Metric) -> Double? {
        if let latency = metric.latency, histogram(latency).isEmpty { return nil }
        return switch metric {
        case .percentile(let latency, let percentile): Double(histogram(latency).value(at: percentile))
        case .mean(let latency): histogram(latency).mean
        case .maximum(let latency): Double(histogram(latency).max)
        case .count(.errors): Double(errorCount)
        case .count(.violations): Double(violationCount)
        case .count(.unanswered): Double(latency.unanswered)
        case .count(.disconnects): Double(disconnects)
        case .count(.rounds): Double(rounds)
        case .count(.actions): Double(actions)
        case .count(.sessions): Double(sessions)
        case .count(.roundsPerSecond): roundsPerSecond
        case .count(.actionsPerSecond): actionsPerSecond
        }
    }

    private func histogram(_ latency: Threshold.Metric.Latency) -> Histogram {
        switch latency {
        case .corrected: self.latency.corrected
        case .raw: self.latency.raw
        case .lag: self.latency.lag
        case .join: join.corrected
        }
    }

    /// Judges the run by thresholds.
    mutating func judge(by thresholds: [Threshold]) {
        verdicts = thresholds.map { threshold in
            let value = value(of: threshold.metric)
            return Verdict(threshold: threshold, value: value, holds: value.map(threshold.holds) ?? false)
        }
    }
}
