import Measuring

extension LoadRun.Progress {
    /// How a run goes, in one line.
    public var line: String {
        "\(fixed(elapsed, 0)) of \(fixed(duration, 0)) s: \(grouped(point.connected)) connected, \(fixed(point.rounds, 0)) rounds/s, "
            + "\(fixed(point.actions, 0)) actions/s, p50 \(time(point.p50)), p99 \(time(point.p99)), max \(time(point.max)), "
            + "\(grouped(report.errorCount)) errors, \(grouped(report.violationCount)) violations"
    }

    /// How a run goes, on a few lines for a terminal.
    public var screen: [String] {
        let width = 40
        let done = duration > 0 ? Int(min(1, elapsed / duration) * Double(width)) : width
        let bar = String(repeating: "█", count: done) + String(repeating: "░", count: width - done)
        var lines = [
            "\(bar) \(fixed(elapsed, 0)) of \(fixed(duration, 0)) s · \(phase)",
            "  connected \(grouped(point.connected)) · rounds/s \(fixed(point.rounds, 0)) · actions/s \(fixed(point.actions, 0))",
            "  latency p50 \(time(point.p50)) · p99 \(time(point.p99)) · max \(time(point.max)) · so far p99 "
                + "\(time(report.latency.corrected.value(at: 99))), max \(time(report.latency.corrected.max))",
            "  errors \(grouped(report.errorCount)) · disconnects \(grouped(report.disconnects)) · violations "
                + "\(grouped(report.violationCount)) · lag p99 \(time(report.latency.lag.value(at: 99)))",
        ]
        if !report.hostile.isEmpty {
            let all = report.hostile.values.reduce(into: HostileTally()) { $0.merge($1) }
            lines.append(
                "  hostile \(grouped(all.bots)) · connections \(grouped(all.connections)) · sent \(grouped(all.sent)) · cut off "
                    + grouped(all.cutOff))
        }
        return lines + server.map { "  \($0)" }
    }

    private func time(_ microseconds: Int64) -> String { spoken(microseconds: Double(microseconds)) }
}
