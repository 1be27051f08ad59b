/// Sums up a server's metrics in two lines during a load run.
public struct ServerFigures: Sendable {
    private var last: (moment: Int64, answer: MetricsAnswer)?
    /// For people, a few lines; why there are none otherwise.
    public private(set) var lines: [String] = []

    public init() {}

    /// - Parameter moment: microseconds.
    public mutating func take(_ result: Result<MetricsAnswer, MetricsFault>, at moment: Int64) {
        switch result {
        case .failure(let fault): lines = ["server: \(fault)"]
        case .success(let answer):
            let seconds = last.map { Double(moment - $0.moment) / 1_000_000 } ?? 0
            lines = Self.lines(answer, before: last?.answer, seconds: seconds)
            last = (moment, answer)
        }
    }

    private static func lines(_ now: MetricsAnswer, before: MetricsAnswer?, seconds: Double) -> [String] {
        func count(_ name: String, _ label: String) -> String? { now.sum(name).map { "\(label) \(grouped(Self.whole($0)))" } }
        func rate(_ name: String) -> Double? {
            guard seconds > 0, let value = now.sum(name), let old = before?.sum(name) else { return nil }
            return max(0, value - old) / seconds
        }
        let first: [String?] = [
            count("bj_connections", "connections"), rate("bj_rounds_total").map { "rounds/s \(fixed($0, 0))" },
            rate("process_cpu_seconds_total").map { "processors \(fixed($0, 2))" },
            now["process_resident_memory_bytes"].map { "memory \(fixed($0 / 1_048_576, 1)) MiB" },
            now["bj_loop_lag_seconds"].map { "loop lag \(spoken(microseconds: $0 * 1_000_000))" },
        ]
        let second: [String?] = [
            count("bj_outbound_queue_bytes", "bytes queued"), count("bj_viewers_evicted_total", "evicted"),
            count("bj_protocol_errors_total", "protocol errors"), count("bj_turn_timeouts_total", "time-outs"),
            now["bj_ledger_imbalance_chips"].map { "imbalance \(fixed($0, 0))" },
        ]
        let known = [first, second].map { $0.compactMap(\.self) }.filter { !$0.isEmpty }
        guard known.isEmpty else { return known.map { "server: " + $0.joined(separator: " · ") } }
        // Another implementation's server: its first metrics.
        return now.names.filter { !$0.contains("{") }.prefix(6).map { "server: \($0) \(fixed(now.values[$0] ?? 0, 2))" }
    }

    private static func whole(_ value: Double) -> Int { Int(exactly: value.rounded()) ?? 0 }
}
