/// Lines redrawn at the top of a terminal's alternate screen, the one that editors use: the terminal neither wraps them when
/// its window is resized nor keeps them, and restores the former screen at the end. It writes nothing itself.
public struct LiveFrame: Sendable {
    private var isShown = false

    public init() {}

    /// - Parameters:
    ///   - width: columns of the terminal.
    ///   - height: lines of the terminal; the last one stays free.
    /// - Returns: the text to write.
    public mutating func draw(_ lines: [String], width: Int, height: Int) -> String {
        defer { isShown = true }
        // A line that fills the last column would take two on some terminals.
        let shown = lines.prefix(max(1, height - 1)).map { String($0.prefix(max(1, width - 1))) }
        // Overwrites, then erases the remains of longer frames: clearing first would flicker.
        return (isShown ? "" : "\u{1B}[?1049h") + "\u{1B}[H" + shown.map { $0 + "\u{1B}[K\r\n" }.joined() + "\u{1B}[J"
    }

    /// Restores the former screen; empty when nothing was drawn.
    public mutating func end() -> String {
        defer { isShown = false }
        return isShown ? "\u{1B}[?1049l" : ""
    }
}

// MARK: - Text

extension LoadRun.Progress {
    /// How a run goes, in one line.
    public var line: String {
        "\(fixed(point.time, 0)) of \(fixed(duration, 0)) s: \(grouped(point.connected)) connected, \(fixed(point.rounds, 0)) rounds/s, "
            + "\(fixed(point.actions, 0)) actions/s, p50 \(time(point.p50)), p99 \(time(point.p99)), max \(time(point.max)), "
            + "\(grouped(report.errorCount)) errors, \(grouped(report.violationCount)) violations"
    }

    /// How a run goes, on a few lines for a terminal.
    public var screen: [String] {
        let width = 40
        let done = duration > 0 ? Int(min(1, point.time / duration) * Double(width)) : width
        let bar = String(repeating: "█", count: done) + String(repeating: "░", count: width - done)
        var lines = [
            "\(bar) \(fixed(point.time, 0)) of \(fixed(duration, 0)) s",
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
        return lines
    }

    private func time(_ microseconds: Int64) -> String { spoken(microseconds: Double(microseconds)) }
}
