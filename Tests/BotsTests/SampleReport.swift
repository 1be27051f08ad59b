import TestKit
import Testing

@testable import LoadGenerator
@testable import Referee

extension LoadReport {
    /// A run as it might have been, with a bit of everything.
    static func sample(violations: Int = 1, failures: [String] = ["p99>20ms", "errors>0"]) throws -> LoadReport {
        var report = LoadReport()
        report.target = "127.0.0.1:2121"
        report.server = "bjserver/<1>"
        report.started = "2026-11-21T06:00:00Z"
        report.seed = 7
        report.plan = "70 bots within 1 s, for 10 s"
        report.seconds = 11.25
        (report.honestBots, report.hostileBots, report.peakConnected) = (56, 14, 56)
        (report.hands, report.net, report.actions) = (8000, -345, 31_234)
        (report.lines, report.disconnects, report.waitedForBot) = (250_000, 2, 3)
        report.roundsByTable = ["t1": 700, "t2": 500]
        report.errors = ["refused: table_full": 2, "connect: timed out & more": 1]
        var random = SeededRandom(seed: Seed.value)
        for second in 0..<11 {
            for _ in 0..<300 {
                let wait = Int64(random.exponential() * 900)
                report.latency.record(.init(intended: 0, possible: 5, sent: 20 + wait / 100), seen: 200 + wait)
            }
            report.timeline.append(
                Point(
                    time: Double(second + 1), connected: 56, rounds: 100 + Double(second), actions: 2800.5, p50: 600, p99: 4000,
                    max: 9000 + Int64(second), errors: second == 4 ? 3 : 0))
        }
        report.latency.giveUpUnsent(intended: 0, at: 5000)
        report.join.record(.init(intended: 0, possible: 0, sent: 10), seen: 2500)
        report.violationCount = violations
        report.violations = (0..<violations).map {
            Violation(
                law: .payout, table: "main", round: 12, line: 40 + $0, detail: "hand 1 of seat 3 was paid 20, not <15>",
                bot: "bot-1")
        }
        var tally = HostileTally()
        (tally.bots, tally.connections, tally.sent, tally.cutOff) = (14, 20, 4000, 3)
        tally.answers = ["ok": 10, "invalid_json": 3990]
        report.hostile = [.malformedLine: tally, .slowReader: HostileTally()]
        report.warnings = ["the generator used 95% of its processor time"]
        report.conclude(try failures.map { try #require(FailureCondition($0)) })
        return report
    }
}
