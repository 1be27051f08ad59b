import Bots
import CommandLineKit
import Referee

/// Everything that a load run found out: from this one value come the summary, the JSON and the page, so they can't disagree.
public struct LoadReport: Encodable, Sendable {
    /// A second (or a few) of the run.
    struct Point: Encodable, Sendable, Equatable {
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

    /// A condition of failure, and whether it was met.
    struct Verdict: Encodable, Sendable, Equatable {
        var condition: String
        var figure: String
        var failed: Bool
    }

    /// `HOST:PORT` as it was given.
    var target = ""
    /// The server's name and version, from `hello`.
    var server = ""
    /// When the run began, as ISO 8601.
    var started = ""
    var seed: UInt64 = 0
    /// The plan of the run, in words.
    var plan = ""
    /// Seconds from the first connection to the end.
    var seconds = 0.0
    /// Whether it was ended early.
    var isInterrupted = false
    /// Honest bots, hostile ones, and the most honest ones that were connected at the same time.
    var honestBots = 0
    var hostileBots = 0
    var peakConnected = 0
    /// Rounds that tables played while honest bots looked on. A table that stands still while others play is stuck.
    var roundsByTable: [String: Int] = [:] { didSet { rounds = roundsByTable.values.reduce(0, +) } }
    /// Hands of honest bots.
    var hands = 0
    /// Chips won (positive) or lost by honest bots.
    var net = 0
    /// Bets and decisions of honest bots whose effect was seen.
    var actions = 0
    /// Shoes that honest bots have judged by their proofs, each bot its own.
    var shoes = ShoeCounts()
    /// Lines that honest bots have read and judged.
    var lines = 0
    /// Connections of honest bots that the server ended, or that could not be made; and those that the run has cut.
    var disconnects = 0
    var cuts = 0
    /// Errors by text.
    var errors: [String: Int] = [:]
    /// The first violations; ``violationCount`` counts all.
    public var violations: [Violation] = []
    var violationCount = 0
    /// Latencies of bets and decisions.
    var latency = LatencyBook()
    /// Latencies of getting a seat: from the moment that a bot was meant to come until it saw its table.
    var join = LatencyBook()
    /// Actions of an open model that had to wait until a bot could act.
    var waitedForBot = 0
    /// Seconds of processor time that the generator has used, hostile bots included.
    var generatorSeconds = 0.0
    var timeline: [Point] = []
    var hostile: [HostileKind: HostileTally] = [:]
    var verdicts: [Verdict] = []
    /// Warnings for readers of the figures.
    var warnings: [String] = []
    /// Why the measurement is not to be trusted; nil when it may be.
    private(set) var invalid: String?
    private(set) var rounds = 0
    private(set) var roundsPerSecond = 0.0
    private(set) var actionsPerSecond = 0.0

    init() {}

    /// - Parameter options: of the run that begins.
    init(_ options: LoadRun.Options) {
        (target, started, seed) = ("\(options.host):\(options.port)", options.started, options.seed)
        (honestBots, hostileBots) = (options.bots, options.hostile.values.reduce(0, +))
        plan =
            "\(grouped(honestBots + hostileBots)) bots within \(plain(Double(options.ramp) / 1000)) s, for \(plain(Double(options.duration) / 1000)) s"
        if let rate = options.rate { plan += ", \(plain(rate)) actions per second" }
        if options.disconnects > 0 { plan += ", \(plain(options.disconnects)) disconnects per second" }
    }

    var errorCount: Int { errors.values.reduce(0, +) }
    /// Microseconds of the generator's processor time for each action; 0 when there was none.
    private var generatorPerAction: Double { actions > 0 ? generatorSeconds * 1_000_000 / Double(actions) : 0 }

    /// Judges the run.
    mutating func conclude(_ conditions: [FailureCondition]) {
        if seconds > 0 { (roundsPerSecond, actionsPerSecond) = (Double(rounds) / seconds, Double(actions) / seconds) }
        invalid = honestBots > 0 && latency.isUnanswered ? "no action of an honest bot got a reply" : latency.fault
        verdicts = conditions.map { $0.judge(self) }
    }

    /// A program's exit status: 3 for a violation, 4 for an invalid measurement, 99 where a condition of failure is met, else 0. Conditions
    /// say nothing of an invalid measurement.
    public var exitStatus: Int32 { violationCount > 0 ? 3 : invalid != nil ? 4 : verdicts.contains(where: \.failed) ? 99 : 0 }

    /// The report for programs. All latencies are microseconds.
    public var json: String { Console.json(self, isPretty: true) }

    // MARK: Figures

    /// The figures besides latencies: the same in the summary and on the page.
    var figures: [(name: String, text: String)] {
        var figures: [(name: String, text: String)] = []
        func add(_ name: String, _ text: String) { figures.append((name, text)) }
        add("bots", "\(grouped(honestBots)) honest, \(grouped(hostileBots)) hostile, at most \(grouped(peakConnected)) connected")
        let rate = (fixed(roundsPerSecond, 1), fixed(actionsPerSecond, 1))
        add("played", "\(grouped(rounds)) rounds (\(rate.0)/s), \(grouped(hands)) hands, net \(grouped(net)) chips")
        if let (fewest, most) = roundsOfATable {
            add("tables", "\(grouped(roundsByTable.count)), with \(grouped(fewest)) to \(grouped(most)) rounds each")
        }
        let cost = spoken(microseconds: tenths(generatorPerAction))
        add("actions", "\(grouped(actions)) (\(rate.1)/s), \(cost) of generator time each")
        let (verified, failed, unproven) = (grouped(shoes.verified), grouped(shoes.failed), grouped(shoes.unproven))
        add("shoes", "\(verified) verified, \(failed) failed, \(unproven) unproven; each bot judges its own")
        add("judged", "\(grouped(lines)) lines, \(grouped(violationCount)) violations")
        let lost = "disconnects \(disconnects), unanswered \(latency.unanswered), cut by the run \(cuts)"
        add("errors", "\(grouped(errorCount)), \(lost)")
        return figures
    }

    /// The most frequent errors.
    var worstErrors: [(name: String, count: Int)] {
        errors.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(10).map { ($0.key, $0.value) }
    }

    /// The hostile bots in words, by kind.
    var hostileRows: [[String]] {
        hostile.sorted { $0.key.rawValue < $1.key.rawValue }.map { kind, tally in
            let answers = tally.answers.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(4)
            return [
                kind.rawValue, grouped(tally.bots), grouped(tally.connections), grouped(tally.sent), grouped(tally.cutOff),
                answers.isEmpty ? "none" : answers.map { "\($0.key) \(grouped($0.value))" }.joined(separator: ", "),
            ]
        }
    }

    /// The latencies in words: name, percentiles, maximum and mean.
    var latencyRows: [[String]] {
        [("corrected", latency.corrected), ("raw", latency.raw), ("generator lag", latency.lag), ("join", join.corrected)].map {
            name, histogram in
            guard !histogram.isEmpty else { return [name, "–"] }
            return [name] + Self.percentiles.map { spoken(microseconds: Double(histogram.value(at: $0))) }
                + [spoken(microseconds: Double(histogram.max)), spoken(microseconds: histogram.mean)]
        }
    }

    static let percentiles = [50, 75, 90, 99, 99.9, 99.99]
    static let latencyHeads = ["latency"] + percentiles.map { "p\(plain($0, 2))" } + ["max", "mean"]
    static let hostileHeads = ["kind", "bots", "connections", "sent", "cut off", "answers"]

    // MARK: Text

    /// The report for people, without a final line break.
    public var text: String {
        var rows = [
            "\(target) (\(server)), \(fixed(seconds, 1)) s, seed \(seed)" + (isInterrupted ? ", interrupted" : ""), "  \(plan)",
        ]
        rows += figures.map { $0.name + String(repeating: " ", count: 14 - $0.name.count) + $0.text }
        rows += worstErrors.map { "  \($0.count) × \($0.name)" }
        rows += [""] + ([Self.latencyHeads] + latencyRows).map { Self.row($0[0], Array($0.dropFirst())) }
        if !hostile.isEmpty {
            rows += [""] + ([Self.hostileHeads] + hostileRows).map { Self.row($0[0], Array($0[1...4]) + ["  " + $0[5]]) }
        }
        rows += violations.prefix(10).map { "violation: \($0)" }
        rows += verdicts.map { "\($0.failed ? "FAILED" : "held  ") \($0.condition) (\($0.figure))" }
        rows += warnings.map { "warning: \($0)" }
        if let invalid { rows.append("INVALID: \(invalid)" + (verdicts.isEmpty ? "" : "; ignore the conditions above")) }
        return rows.joined(separator: "\n")
    }

    /// Fewest and most rounds of a table; nil without tables.
    var roundsOfATable: (fewest: Int, most: Int)? {
        guard let fewest = roundsByTable.values.min(), let most = roundsByTable.values.max() else { return nil }
        return (fewest, most)
    }

    private static func row(_ head: String, _ cells: [String]) -> String {
        cells.reduce(head + String(repeating: " ", count: max(1, 16 - head.count))) { text, cell in
            text + String(repeating: " ", count: max(1, 10 - cell.count)) + cell
        }
    }
}

private func tenths(_ value: Double) -> Double { (value * 10).rounded() / 10 }

/// Text inside HTML, attributes included. Control characters become spaces.
func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
        switch scalar {
        case "&": result += "&amp;"
        case "<": result += "&lt;"
        case ">": result += "&gt;"
        case "\"": result += "&quot;"
        case "'": result += "&#39;"
        case "\n": result += "\n"
        case "\u{0}"..."\u{1F}", "\u{7F}", "\u{FFFE}", "\u{FFFF}": result += " "
        default: result.unicodeScalars.append(scalar)
        }
    }
    return result
}
