/// A figure of a report and a bound, such as `p99>50ms` or `errors>0`: a run in which it is met has failed.
public struct FailureCondition: Sendable, Equatable {
    private enum Figure: Equatable {
        /// Of the corrected latency, 0…100.
        case percentile(Double)
        case mean
        case count(String)
    }

    private let figure: Figure
    private let isAbove: Bool
    /// Microseconds for a time, a plain number otherwise.
    private let bound: Double
    /// As it was written.
    let text: String

    private static let counts: [String: @Sendable (LoadReport) -> Double] = [
        "errors": { Double($0.errorCount) }, "violations": { Double($0.violationCount) },
        "unanswered": { Double($0.latency.unanswered) }, "disconnects": { Double($0.disconnects) },
        "rounds": { Double($0.rounds) }, "actions": { Double($0.actions) },
        "rounds/s": { $0.roundsPerSecond }, "actions/s": { $0.actionsPerSecond },
    ]

    /// Completes an error message: "… is not".
    public static let expected =
        "a condition such as p99.9>50ms, max>1s, mean>800us or \(counts.keys.sorted().joined(separator: ", ")) < or > a number"

    /// Reads `NAME>NUMBER` or `NAME<NUMBER`, with the unit `us`, `ms` or `s` for a time.
    public init?(_ text: String) {
        guard let sign = text.firstIndex(where: { $0 == "<" || $0 == ">" }) else { return nil }
        let (name, value) = (String(text[..<sign]), text[text.index(after: sign)...])
        let digits = value.prefix { "0123456789.".contains($0) }
        let unit: Double? = ["": 1, "us": 1, "ms": 1000, "s": 1_000_000][String(value.dropFirst(digits.count))]
        guard let unit, let number = Double(digits), number * unit <= 1e15 else { return nil }
        let hasUnit = digits.count < value.count
        switch name {
        case "mean": figure = .mean
        case "max": figure = .percentile(100)
        case _ where Self.counts[name] != nil: figure = .count(name)
        default:
            guard name.first == "p", name.dropFirst().allSatisfy({ "0123456789.".contains($0) }),
                let percentile = Double(name.dropFirst()), percentile <= 100
            else { return nil }
            figure = .percentile(percentile)
        }
        guard hasUnit == !(Self.counts.keys.contains(name)) else { return nil }
        (isAbove, bound, self.text) = (text[sign] == ">", number * unit, text)
    }

    /// Microseconds for a time; nil for one that was not measured.
    private func value(in report: LoadReport) -> Double? {
        let latency = report.latency.corrected
        return switch figure {
        case .count(let name): Self.counts[name]?(report)
        case _ where latency.isEmpty: nil
        case .mean: latency.mean
        case .percentile(let percentile): Double(latency.value(at: percentile))
        }
    }

    /// Whether it is met, and the figure in words. A time that was not measured is no success.
    func judge(_ report: LoadReport) -> LoadReport.Verdict {
        let value = value(in: report)
        let words = value.map { if case .count = figure { plain($0) } else { spoken(microseconds: $0) } }
        return .init(
            condition: text, figure: words ?? "nothing was measured",
            failed: value.map { isAbove ? $0 > bound : $0 < bound } ?? true)
    }
}
