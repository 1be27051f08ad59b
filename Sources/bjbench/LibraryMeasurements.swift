import CommandLineKit
import Foundation

/// Measurements of the libraries.
enum LibraryMeasurements {
    /// - Parameter filter: substring of names to measure; empty for all.
    static func run(filter: String, json: Bool) {
        var count = 0
        var report = BenchReport()
        let bench = Bench(filter: filter) { measurement in
            count += 1
            guard !json else { return report.add(measurement) }
            let median = tenths(measurement.median)
            let gap = String(repeating: " ", count: max(1, 90 - measurement.name.count - median.count))
            let verdict = measurement.limit.map { measurement.least <= $0 ? ", within \(tenths($0))" : ", EXCEEDS \(tenths($0))" }
            // Avoids rounding a few allocations to none.
            let allocations =
                measurement.allocations == 0
                ? "no" : measurement.allocations < 0.1 ? "below 0.1" : tenths(measurement.allocations)
            Console.print(
                "\(measurement.name)\(gap)\(median) ns  (\(tenths(measurement.least))\(verdict ?? ""); \(allocations) allocations)"
            )
        }
        measureSnapshots(bench)
        StreamMeasurements.run(bench)
        TableMeasurements.run(bench)
        WireMeasurements.run(bench)
        RecordMeasurements.run(bench)
        ShardMeasurements.run(bench)
        SocketMeasurements.run(bench)
        if json, count > 0 { Console.print(report.json) }
        guard count == 0 else { return }
        Console.fail(
            "bjbench",
            "no measurement has '\(filter.unicodeScalars.map { $0.escaped(asASCII: false) }.joined())' in its name; names begin with "
                + "\(bench.skipped.groups.joined(separator: ", ")).\nTry 'bjbench --help'.", status: UsageError.exitStatus)
    }
}
