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
    let gap = String(repeating: " ", count: max(1, 92 - measurement.name.count - String(measurement.median).count))
    Console.print("\(measurement.name)\(gap)\(measurement.median) ns  (\(measurement.least))")
}
measureSnapshots(bench)
