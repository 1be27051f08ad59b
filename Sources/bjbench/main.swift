import CommandLineKit

/// What `bjbench` can be told to do.
struct BenchOptions: Sendable {
    var filter = ""
}

let command = Command<BenchOptions, BenchOptions>(
    "bjbench", "Measures the libraries, in nanoseconds.", defaults: BenchOptions(), program: { $0 },
    declare: { command in
        command.version("0.1.0")
        command.discussion(
            """
            Each figure is the median of several runs, and in brackets the least of them. Compare ratios within one run: machines are noisy. \
            Build with -c release.
            """)
        command.argument("FILTER", \.filter, .text(upTo: 100), help: "Measures only what has this in its name.")
        command.example("bjbench table", "only tables")
    })

let options = command.parseOrExit()
let bench = Bench(filter: options.filter) { measurement in
    func tenths(_ value: Double) -> String { "\((value * 10).rounded() / 10)" }
    let median = tenths(measurement.median)
    let gap = String(repeating: " ", count: max(1, 90 - measurement.name.count - median.count))
    let verdict = measurement.limit.map { measurement.least <= $0 ? ", within \(tenths($0))" : ", EXCEEDS \(tenths($0))" } ?? ""
    Console.print(
        "\(measurement.name)\(gap)\(median) ns  (\(tenths(measurement.least))\(verdict); \(tenths(measurement.allocations)) allocations)"
    )
}
measureSnapshots(bench)
StreamMeasurements.run(bench)
TableMeasurements.run(bench)
WireMeasurements.run(bench)
CasinoMeasurements.run(bench)
