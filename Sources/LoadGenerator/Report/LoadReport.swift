import CommandLineKit
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

    // MARK: Text

    /// The report for people, without a final line break.
    public var text: String {
        var rows: [String] = []
        rows.append("\(target) (\(server)), \(fixed(seconds, 1)) s, seed \(seed)" + (isInterrupted ? ", interrupted" : ""))
        for phase in plan { rows.append("  \(phase)") }
        rows.append(
            "bots          \(grouped(honestBots)) honest, \(grouped(hostileBots)) hostile, at most \(grouped(peakConnected)) connected"
        )
        rows.append(
            "played        \(grouped(rounds)) rounds (\(fixed(roundsPerSecond, 1))/s), \(grouped(hands)) hands, net \(grouped(net)) chips"
        )
        if let (fewest, most) = roundsOfATable {
            rows.append("tables        \(grouped(roundsByTable.count)), with \(grouped(fewest)) to \(grouped(most)) rounds each")
        }
        rows.append("actions       \(grouped(actions)) (\(fixed(actionsPerSecond, 1))/s), \(grouped(sessions)) sessions")
        rows.append(
            "shoes         \(grouped(shoes.verified)) verified, \(grouped(shoes.failed)) failed, \(grouped(shoes.unproven)) unproven; each bot judges its own"
        )
        rows.append("processor     \(processorWords)")
        rows.append("judged        \(grouped(lines)) lines, \(grouped(violationCount)) violations")
        rows.append("errors        \(grouped(errorCount)), disconnects \(disconnects), unanswered \(latency.unanswered)")
        for (error, count) in errors.sorted(by: { ($1.value, $0.key) < ($0.value, $1.key) }).prefix(10) {
            rows.append("  \(count) × \(error)")
        }
        rows.append("")
        rows.append(Self.row("latency", Self.percentiles.map(\.name) + ["max", "mean"]))
        rows.append(Self.row("  corrected", Self.cells(latency.corrected)))
        rows.append(Self.row("  raw", Self.cells(latency.raw)))
        rows.append(Self.row("  generator lag", Self.cells(latency.lag)))
        rows.append(Self.row("  join", Self.cells(join.corrected)))
        rows += hostileLines
        rows += violations.prefix(10).map { "violation: \($0)" }
        rows += verdicts.map { "\($0.holds ? "held  " : "FAILED") \($0.threshold.text) (\(Self.shown($0)))" }
        rows += warnings.map { "warning: \($0)" }
        if let invalid { rows.append("INVALID: \(invalid)" + (verdicts.isEmpty ? "" : "; what held or failed is worth nothing")) }
        return rows.joined(separator: "\n")
    }

    /// Fewest and most rounds of a table; nil without tables.
    var roundsOfATable: (fewest: Int, most: Int)? {
        guard let fewest = roundsByTable.values.min(), let most = roundsByTable.values.max() else { return nil }
        return (fewest, most)
    }

    /// How much the two sides have used, per action: whichever takes more is the bottleneck where each has a processor.
    private var processorWords: String {
        let own = "\(spoken(microseconds: tenths(generatorPerAction))) an action for the generator"
        guard let theirs = serverPerAction else { return own }
        let ratio = generatorPerAction > 0 ? ", \(fixed(theirs / generatorPerAction, 2)) times as much" : ""
        return own + ", \(spoken(microseconds: tenths(theirs))) for the server\(ratio)"
    }

    private var hostileLines: [String] {
        guard !hostile.isEmpty else { return [] }
        return [""]
            + HostileKind.allCases.compactMap { kind in
                hostile[kind].map { tally in
                    let answers = tally.answers.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(4)
                        .map { "\($0.key) \(grouped($0.value))" }
                    let name = kind.rawValue + String(repeating: " ", count: max(1, 18 - kind.rawValue.count))
                    return "\(name)\(tally.bots) bots, \(grouped(tally.connections)) connections, \(grouped(tally.sent)) sent, "
                        + "cut off \(grouped(tally.cutOff)); answers: \(answers.isEmpty ? "none" : answers.joined(separator: ", "))"
                }
            }
    }

    private static func cells(_ histogram: Histogram) -> [String] {
        guard !histogram.isEmpty else { return ["–"] }
        return percentiles.map { spoken(microseconds: Double(histogram.value(at: $0.percentile))) }
            + [spoken(microseconds: Double(histogram.max)), spoken(microseconds: histogram.mean)]
    }

    private static func row(_ head: String, _ cells: [String]) -> String {
        cells.reduce(head + String(repeating: " ", count: max(1, 16 - head.count))) { text, cell in
            text + String(repeating: " ", count: max(1, 10 - cell.count)) + cell
        }
    }

    /// A threshold's figure for people.
    static func shown(_ verdict: Verdict) -> String {
        guard let value = verdict.value else { return "nothing was measured" }
        return verdict.threshold.metric.isTime ? spoken(microseconds: value) : plain(value)
    }

    // MARK: JSON

    /// The form of ``json``, counted up whenever a program that reads it would have to change.
    public static let version = 1

    /// The report for programs; ``schema`` describes it. All latencies are microseconds.
    public var json: JSONTree {
        .object([
            .init("version", .integer(Self.version)), .init("target", .string(target)), .init("server", .string(server)),
            .init("started", .string(started)), .init("seed", .string(String(seed))),
            .init("plan", .array(plan.map { .string($0) })),
            .init("seconds", .number(rounded(seconds))), .init("interrupted", .bool(isInterrupted)),
            .init("invalid", invalid.map { .string($0) } ?? .null), .init("warnings", .array(warnings.map { .string($0) })),
            .init(
                "bots",
                ["honest": .integer(honestBots), "hostile": .integer(hostileBots), "peakConnected": .integer(peakConnected)]),
            .init("counts", counts), .init("rates", rates), .init("processor", processor), .init("tables", tables),
            .init("shoes", shoeTree),
            .init("latency", book(latency)), .init("join", book(join)), .init("errors", Self.sorted(errors)),
            .init("violations", .array(violations.map(Self.json))), .init("thresholds", .array(verdicts.map(Self.json))),
            .init("timeline", .array(timeline.map(Self.json))), .init("hostile", hostileTree),
        ])
    }

    private var counts: JSONTree {
        [
            "rounds": .integer(rounds), "hands": .integer(hands), "net": .integer(net), "actions": .integer(actions),
            "sessions": .integer(sessions), "lines": .integer(lines), "errors": .integer(errorCount),
            "violations": .integer(violationCount), "disconnects": .integer(disconnects), "waitedForBot": .integer(waitedForBot),
        ]
    }

    private var rates: JSONTree {
        ["rounds": .number(rounded(roundsPerSecond)), "actions": .number(rounded(actionsPerSecond))]
    }

    private var tables: JSONTree {
        [
            "count": .integer(roundsByTable.count), "fewestRounds": .integer(roundsOfATable?.fewest ?? 0),
            "mostRounds": .integer(roundsOfATable?.most ?? 0),
        ]
    }

    private var shoeTree: JSONTree {
        [
            "verified": .integer(shoes.verified), "failed": .integer(shoes.failed), "unproven": .integer(shoes.unproven),
        ]
    }

    private var processor: JSONTree {
        [
            "generatorSeconds": .number(rounded(generatorSeconds)), "generatorPerAction": .number(rounded(generatorPerAction)),
            "serverSeconds": serverSeconds.map { .number(rounded($0)) } ?? .null,
            "serverPerAction": serverPerAction.map { .number(rounded($0)) } ?? .null,
        ]
    }

    private func book(_ book: LatencyBook) -> JSONTree {
        [
            "unanswered": .integer(book.unanswered), "corrected": Self.json(book.corrected), "raw": Self.json(book.raw),
            "lag": Self.json(book.lag),
        ]
    }

    /// Reported percentiles with their keys.
    static let percentiles: [(key: String, name: String, percentile: Double)] = [
        ("p50", "p50", 50), ("p75", "p75", 75), ("p90", "p90", 90), ("p99", "p99", 99), ("p999", "p99.9", 99.9),
        ("p9999", "p99.99", 99.99),
    ]

    private static func json(_ histogram: Histogram) -> JSONTree {
        var members: [JSONTree.Member] = [
            .init("count", .integer(histogram.count)), .init("mean", .number(rounded(histogram.mean))),
            .init("deviation", .number(rounded(histogram.standardDeviation))), .init("min", .integer(histogram.min)),
            .init("max", .integer(histogram.max)),
        ]
        members += percentiles.map { .init($0.key, .integer(histogram.value(at: $0.percentile))) }
        let curve = histogram.percentilePoints().map { point in
            JSONTree.array([.number(point.percentile), .integer(point.value), .integer(point.count)])
        }
        members.append(.init("curve", .array(curve)))
        return .object(members)
    }

    private static func json(_ violation: Violation) -> JSONTree {
        [
            "law": .string(violation.law.rawValue), "table": .string(violation.table), "round": .integer(violation.round),
            "line": .integer(violation.line), "detail": .string(violation.detail), "bot": .string(violation.bot),
            "transcript": .string(violation.transcript),
        ]
    }

    private static func json(_ verdict: Verdict) -> JSONTree {
        [
            "threshold": .string(verdict.threshold.text), "value": verdict.value.map { .number(rounded($0)) } ?? .null,
            "holds": .bool(verdict.holds),
        ]
    }

    private static func json(_ point: Point) -> JSONTree {
        [
            "time": .number(rounded(point.time)), "connected": .integer(point.connected),
            "rounds": .number(rounded(point.rounds)),
            "actions": .number(rounded(point.actions)), "p50": .integer(point.p50), "p99": .integer(point.p99),
            "max": .integer(point.max), "errors": .integer(point.errors),
        ]
    }

    private var hostileTree: JSONTree {
        .object(
            HostileKind.allCases.compactMap { kind in
                hostile[kind].map { tally in
                    .init(
                        kind.rawValue,
                        [
                            "bots": .integer(tally.bots), "connections": .integer(tally.connections),
                            "refusedConnections": .integer(tally.refusedConnections), "sent": .integer(tally.sent),
                            "bytesSent": .integer(tally.bytesSent), "bytesRead": .integer(tally.bytesRead),
                            "cutOff": .integer(tally.cutOff), "answers": Self.sorted(tally.answers),
                        ])
                }
            })
    }

    private static func sorted(_ counts: [String: Int]) -> JSONTree {
        .object(counts.sorted { $0.key < $1.key }.map { .init($0.key, .integer($0.value)) })
    }

    // MARK: Schema

    /// The JSON Schema (draft 2020-12) of ``json``.
    public static var schema: JSONTree {
        .object([
            .init("$schema", "https://json-schema.org/draft/2020-12/schema"), .init("title", "bjbots load report"),
            .init("description", "What a load run of bjbots found out. All latencies are microseconds."),
            .init("type", "object"), .init("additionalProperties", false), .init("required", required(root)),
            .init("properties", .object(root)),
            .init("$defs", ["histogram": object(histogram), "book": object(book)]),
        ])
    }

    private static var root: [JSONTree.Member] {
        [
            .init("version", ["const": .integer(version)]), .init("target", text("HOST:PORT as it was given")),
            .init("server", text("what the server calls itself")), .init("started", text("when the run began, ISO 8601")),
            .init("seed", ["type": "string", "pattern": "^[0-9]+$"]),
            .init("plan", ["type": "array", "items": ["type": "string"]]),
            .init("seconds", number), .init("interrupted", ["type": "boolean"]),
            .init(
                "invalid",
                ["type": ["string", "null"], "description": "why the latencies are not to be trusted; null when they may be"]),
            .init("warnings", ["type": "array", "items": ["type": "string"]]),
            .init("bots", object(["honest", "hostile", "peakConnected"].map { .init($0, count) })),
            .init("counts", object(counts)),
            .init("rates", object([.init("rounds", number), .init("actions", number)])),
            .init("processor", object(processor)),
            .init("tables", object(["count", "fewestRounds", "mostRounds"].map { .init($0, count) })),
            .init("shoes", object(["verified", "failed", "unproven"].map { .init($0, count) })),
            .init("latency", ["$ref": "#/$defs/book"]),
            .init("join", ["$ref": "#/$defs/book"]), .init("errors", tally), .init("violations", list(violation)),
            .init(
                "thresholds",
                list([
                    .init("threshold", ["type": "string"]),
                    .init("value", ["type": ["number", "null"], "description": "null when nothing was measured"]),
                    .init("holds", ["type": "boolean"]),
                ])),
            .init("timeline", list(point)),
            .init("hostile", ["type": "object", "additionalProperties": object(hostileKind)]),
        ]
    }

    private static var counts: [JSONTree.Member] {
        ["rounds", "hands"].map { .init($0, count) } + [.init("net", ["type": "integer", "description": "chips"])]
            + ["actions", "sessions", "lines", "errors", "violations", "disconnects", "waitedForBot"].map { .init($0, count) }
    }

    /// Processor time: seconds, and microseconds for each action.
    private static var processor: [JSONTree.Member] {
        let known: JSONTree = [
            "type": ["number", "null"], "minimum": 0, "description": "null where the server does not tell it",
        ]
        return [
            .init("generatorSeconds", number), .init("generatorPerAction", number), .init("serverSeconds", known),
            .init("serverPerAction", known),
        ]
    }

    private static var histogram: [JSONTree.Member] {
        let point: JSONTree = ["type": "array", "items": ["type": "number", "minimum": 0], "minItems": 3, "maxItems": 3]
        return [
            .init("count", count), .init("mean", number), .init("deviation", number), .init("min", count), .init("max", count),
        ]
            + percentiles.map { .init($0.key, count) }
            + [
                .init(
                    "curve",
                    ["type": "array", "items": point, "description": "percentile 0…100, duration, how many are no longer"])
            ]
    }

    private static var book: [JSONTree.Member] {
        [.init("unanswered", count)] + ["corrected", "raw", "lag"].map { .init($0, ["$ref": "#/$defs/histogram"]) }
    }

    private static var violation: [JSONTree.Member] {
        [
            .init("law", ["enum": .array(Violation.Law.allCases.map { .string($0.rawValue) })]),
            .init("table", ["type": "string"]),
            .init("round", count), .init("line", count), .init("detail", ["type": "string"]), .init("bot", ["type": "string"]),
            .init("transcript", ["type": "string"]),
        ]
    }

    private static var point: [JSONTree.Member] {
        [
            .init("time", number), .init("connected", count), .init("rounds", number), .init("actions", number),
            .init("p50", count),
            .init("p99", count), .init("max", count), .init("errors", count),
        ]
    }

    private static var hostileKind: [JSONTree.Member] {
        ["bots", "connections", "refusedConnections", "sent", "bytesSent", "bytesRead", "cutOff"].map { .init($0, count) }
            + [.init("answers", tally)]
    }

    private static var count: JSONTree { ["type": "integer", "minimum": 0] }
    private static var number: JSONTree { ["type": "number", "minimum": 0] }
    private static var tally: JSONTree { ["type": "object", "additionalProperties": count] }

    private static func text(_ description: String) -> JSONTree { ["type": "string", "description": .string(description)] }

    private static func required(_ members: [JSONTree.Member]) -> JSONTree { .array(members.map { .string($0.key) }) }

    private static func object(_ members: [JSONTree.Member]) -> JSONTree {
        ["type": "object", "additionalProperties": false, "required": required(members), "properties": .object(members)]
    }

    private static func list(_ members: [JSONTree.Member]) -> JSONTree { ["type": "array", "items": object(members)] }

    // MARK: J unit

    /// The thresholds as test cases, in the form that build servers read: one suite, a case for each threshold, one for the referees, and one
    /// for the measurement itself.
    public var junit: String {
        var cases = [
            Self.testCase(
                "no violations", failure: violationCount == 0 ? nil : violations.map(\.description).joined(separator: "\n")),
            Self.testCase("the measurement is valid", failure: invalid),
        ]
        cases += verdicts.map { verdict in
            Self.testCase(verdict.threshold.text, failure: verdict.holds ? nil : "it was \(Self.shown(verdict))")
        }
        let failures = cases.filter { $0.firstRange(of: "<failure") != nil }.count
        let head =
            "name=\"bjbots load\" tests=\"\(cases.count)\" failures=\"\(failures)\" errors=\"0\" time=\"\(fixed(seconds, 3))\""
        return """
            <?xml version="1.0" encoding="UTF-8"?>
            <testsuites>
            <testsuite \(head) timestamp="\(escaped(started))">
            \(cases.joined(separator: "\n"))
            </testsuite>
            </testsuites>

            """
    }

    private static func testCase(_ name: String, failure: String?) -> String {
        let head = "<testcase classname=\"bjbots.load\" name=\"\(escaped(name))\""
        return failure.map {
            "\(head)><failure message=\"\(escaped(String($0.prefix(200))))\">\(escaped($0))</failure></testcase>"
        }
            ?? "\(head)/>"
    }
}

private func tenths(_ value: Double) -> Double { (value * 10).rounded() / 10 }

/// Rounds to a thousandth, the precision of the figures.
private func rounded(_ value: Double) -> Double { (value * 1000).rounded() / 1000 }

/// Text inside HTML and XML, attributes included. Control characters, which XML has no place for, become spaces.
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
