import Measuring

/// Checks a report of a run whose server was stopped for a while: all due times are known, and so is each wait. A generator
/// that sends late, or counts from the moment of sending, fails.
public struct StallCheck: Sendable {
    /// One figure by theory and as it was measured, in microseconds.
    public struct Row: Sendable, Equatable {
        public var name: String
        public var theory: Double
        public var measured: Double
        /// The difference, as a part of how long the server stood still.
        public var difference: Double
        public var holds: Bool { difference <= StallCheck.tolerance }
    }

    /// How much a figure may differ, as a part of how long the server stood still.
    static let tolerance = 0.02

    /// When the server stood still, in microseconds.
    public var stall: Range<Int64>
    /// When actions were due.
    public var due: [Int64]

    public init(stall: Range<Int64>, due: [Int64]) {
        self.stall = stall
        self.due = due
    }

    /// Compares the corrected latencies of a run with theory.
    /// - Parameter corrected: latencies of all due actions, and of no other.
    public func rows(_ corrected: Histogram) -> [Row] {
        let length = Double(stall.upperBound - stall.lowerBound)
        let waits = due.filter(stall.contains).map { stall.upperBound - $0 }.sorted()
        guard !waits.isEmpty, corrected.count > 0 else { return [] }
        // At the start of the stall the schedule does not tell who waited: an action due just before may have been caught by it,
        // one due just after may have been answered. Each such case shifts all ranks by one, so the best-fitting shift is taken.
        let edge = Int64(Self.tolerance * length)
        let before = due.filter { (stall.lowerBound - edge..<stall.lowerBound).contains($0) }.map { stall.upperBound - $0 }
        let after = due.count { (stall.lowerBound..<stall.lowerBound + edge).contains($0) }
        let candidates = waits + before.sorted()
        let readings = (waits.count - min(after, waits.count - 1)...candidates.count).map {
            rows(corrected, waits: candidates[..<$0], due: waits.count, length: length)
        }
        func worst(_ rows: [Row]) -> Double { rows.reduce(0) { max($0, $1.difference) } }
        return readings.min { worst($0) < worst($1) } ?? []
    }

    /// Why a self-test has failed, a sentence each; nothing when it has not.
    public static func faults(_ rows: [Row], _ report: LoadReport) -> [String] {
        var faults: [String] = []
        if rows.isEmpty { faults.append("nothing was due while the server stood still") }
        if rows.contains(where: { !$0.holds }) { faults.append("the report does not agree with theory") }
        if let invalid = report.invalid { faults.append("the report is INVALID: \(invalid)") }
        if report.violationCount > 0 { faults.append("\(grouped(report.violationCount)) violations") }
        if report.errorCount > 0 {
            let worst = report.errors.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(5)
            faults.append(
                "\(grouped(report.errorCount)) errors: "
                    + worst.map { "\(grouped($0.value)) × \($0.key)" }.joined(separator: ", "))
        }
        return faults
    }

    /// The rows, if these are the waits.
    /// - Parameter due: how many actions were due while the server stood still.
    private func rows(_ corrected: Histogram, waits: ArraySlice<Int64>, due: Int, length: Double) -> [Row] {
        // The stalled actions are the longest: their percentiles lie above all other actions.
        let others = max(0, Double(corrected.count) - Double(waits.count))
        var rows = [10.0, 25, 50, 75, 90, 99].map { percentile in
            let rank = max(1, (percentile / 100 * Double(waits.count)).rounded(.up))
            let theory = Double(waits[Int(rank) - 1])
            let measured = Double(corrected.value(at: (others + rank) / Double(corrected.count) * 100))
            return Row(
                name: "p\(JSONTree.text(of: percentile)) of those that waited", theory: theory, measured: measured,
                difference: abs(measured - theory) / length)
        }
        // Half of it, since the backlog behind the stall distorts shorter waits most. A due action waited as long as the schedule
        // says, and at most the tolerance longer: so the schedule bounds the count. A counter is wider than a microsecond.
        let half = Int64(length / 2)
        let (fewest, most) = (
            waits.count { $0 > half + half / 1000 }, waits.count { Double($0) > Double(half) - Self.tolerance * length }
        )
        let measured = Int(corrected.count - corrected.count(upTo: half))
        let excess = max(0, fewest - measured, measured - most)
        rows.append(
            Row(
                name: "how many waited more than half of it, of \(waits.count)", theory: Double(min(max(measured, fewest), most)),
                measured: Double(measured), difference: Double(excess) / Double(due)))
        return rows
    }
}
