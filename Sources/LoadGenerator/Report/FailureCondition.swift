/// A figure of a report and a bound, such as `p99>50ms` or `errors>0`: a run in which it is met has failed.
public struct FailureCondition: Sendable {
    /// A plain number, or microseconds of the corrected latency; nil for a time that was not measured.
    private let figure: @Sendable (LoadReport) -> Double?
    private let isCount: Bool
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
        let isPercentile = name.first == "p" && name.dropFirst().allSatisfy { "0123456789.".contains($0) }
        if let count = Self.counts[name] {
            figure = count
        } else if name == "mean" {
            figure = { $0.latency.corrected.isEmpty ? nil : $0.latency.corrected.mean }
        } else if let percentile = name == "max" ? 100 : isPercentile ? Double(name.dropFirst()) : nil, percentile <= 100 {
            figure = { $0.latency.corrected.isEmpty ? nil : Double($0.latency.corrected.value(at: percentile)) }
        } else {
            return nil
        }
        isCount = Self.counts[name] != nil
        guard hasUnit != isCount else { return nil }
        (isAbove, bound, self.text) = (text[sign] == ">", number * unit, text)
    }

    /// Whether it is met, and the figure in words. A time that was not measured is no success.
    func judge(_ report: LoadReport) -> LoadReport.Verdict {
        let value = figure(report)
        let words = value.map { isCount ? plain($0) : spoken(microseconds: $0) }
        return .init(
            condition: text, figure: words ?? "nothing was measured",
            failed: value.map { isAbove ? $0 > bound : $0 < bound } ?? true)
    }
}
