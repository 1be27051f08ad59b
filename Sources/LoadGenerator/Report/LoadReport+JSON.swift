import Measuring
import Referee

extension LoadReport {
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
}

/// Rounds to a thousandth, the precision of the figures.
private func rounded(_ value: Double) -> Double { (value * 1000).rounded() / 1000 }
