import CBenchmarks
import CommandLineKit
import Foundation
import Journal

/// The commands of `bjbench`.
enum BenchProgram: Sendable {
    case libraries(filter: String, json: Bool)
    case compare(BenchCompare.Options)
    case brokers(BrokerComparison.Options)
    case server(ServerComparison.Options)
    case start(StartMeasurement.Options)
    case journal(JournalMeasurement.Options)

    struct LibraryOptions: Sendable {
        var filter = ""
        var json = false
    }

    static let command = Command<LibraryOptions, BenchProgram>(
        "bjbench", "Measures the libraries and the server.", defaults: LibraryOptions(),
        program: { .libraries(filter: $0.filter, json: $0.json) },
        declare: { command in
            command.version(Release.text())
            command.discussion(
                """
                Each figure is the median of several runs in nanoseconds, with the minimum in parentheses. Compare ratios within one run, since machines are \
                noisy. Build with -c release.
                """)
            command.argument("FILTER", \.filter, .text(upTo: 100), help: "Runs only measurements whose name contains FILTER.")
            command.flag("--json", \.json, help: "Prints JSON, for 'bjbench compare'.")
            command.example("bjbench table", "measure tables only")
            command.example("bjbench --json > 1.0.0.json", "save the results of a release")
            command.exitStatus(69, "The measurement cannot run on this machine.")
            command.exitStatus(141, "Standard output was closed by its reader.")
            command.subcommand(server)
            command.subcommand(start)
            command.subcommand(journal)
            command.subcommand(brokers)
            command.subcommand(compare)
        })

    private static let server = Command<ServerComparison.Options, BenchProgram>(
        "server", "Measures bjserver's cost per player action.", defaults: ServerComparison.Options(),
        program: { .server($0) },
        declare: { command in
            command.discussion(
                """
                Compares the processor time (user and system) per action (a line that bets or plays) at tables of seven players. The server is \
                the bjserver beside this program, with default options and no pause after rounds, and plays real rounds. The floor is a \
                C program with one epoll loop and no game: for each line it writes a reply to the sender and a line to each of the seven, \
                as long as bjserver's average in the previous round. It has no tables or timers.

                Both run on processor 0, alternating, and are driven from processor 1 over loopback by the same code at \
                the same pace: each table sends a line at a fixed interval, the tables spread evenly. The ratio is the median of the rounds' \
                ratios. Server and floor batch lines that arrive together, so compare at one pace only.

                With --busy each table sends its next line as soon as the last one was answered: the maximum throughput.
                """)
            command.option("--tables", \.tables, tableCounts, help: "Numbers of tables, one measurement each.")
            command.option("--seconds", \.seconds, .int(1...3600), help: "Duration of a round.")
            command.option("--rounds", \.rounds, .int(1...100), help: "Number of rounds.")
            command.option(
                "--rate", \.rate, .int(1...100_000),
                help: "Actions per second in total. Default: 100 per table, at most 10,000.")
            command.flag("--busy", \.isBusy, help: "Sends each line as soon as the last one was answered.")
            command.example("bjbench server --tables 10,1000 --seconds 10", "measure two sizes")
            command.exitStatus(69, "Not Linux with two processors, or bjserver is not beside this program.")
        })

    private static let start = Command<StartMeasurement.Options, BenchProgram>(
        "start", "Measures the startup time of bjserver.", defaults: StartMeasurement.Options(),
        program: { .start($0) },
        declare: { command in
            command.discussion(
                """
                Starts the bjserver beside this program repeatedly and reports the time until it prints 'listening', and \
                until a client receives the first byte of 'hello'; then the same with a data folder full of accounts.
                """)
            command.option("--runs", \.runs, .int(1...1000), help: "Number of starts.")
            command.option("--tables", \.tables, .int(1...2500), help: "Number of tables.")
            command.option("--accounts", \.accounts, .int(1...1_000_000), help: "Accounts in the data folder, as a checkpoint.")
            command.exitStatus(69, "bjserver is not beside this program.")
            command.exitStatus(74, "The data folder cannot be written.")
        })

    private static let journal = Command<JournalMeasurement.Options, BenchProgram>(
        "journal", "Measures the journal: checksum, append, sync.", defaults: JournalMeasurement.Options(),
        program: { .journal($0) },
        declare: { command in
            command.discussion(
                """
                Appends frames from one thread at each durability level, then single frames, waiting for each. Choose a folder on \
                the disk to be measured: a folder in memory syncs at no cost. Allocations are those of the whole process.
                """)
            command.option(
                "--data", \.data, .path, help: "Folder for temporary journals. Default: the system's temporary folder.")
            command.option("--bytes", \.bytes, .int(1...1_000_000), help: "Bytes per frame.")
            command.option("--seconds", \.seconds, .int(1...3600), help: "Duration of each measurement.")
            command.example("bjbench journal --data /var/lib", "measure the disk of a server")
            command.exitStatus(74, "The folder cannot be written.")
        })

    private static let brokers = Command<BrokerComparison.Options, BenchProgram>(
        "brokers", "Compares bjserver with Redis and NATS.", defaults: BrokerComparison.Options(),
        program: { .brokers($0) },
        declare: { command in
            command.discussion(
                """
                One publication of 230 bytes to seven subscribers for each table, at the pace at which bjserver plays whole rounds. Each \
                runs on processor 0 in turn, driven from processor 1 over loopback. A broker that is not installed is skipped. Brokers know \
                no game: they copy bytes, where bjserver validates, plays, encodes and replies.
                """)
            command.option("--tables", \.load.tables, tableCounts, help: "Numbers of tables, one measurement each.")
            command.option("--seconds", \.load.seconds, .int(1...3600), help: "Duration of a round.")
            command.option("--rounds", \.load.rounds, .int(1...100), help: "Number of rounds.")
            command.flag("--json", \.json, help: "Prints JSON.")
            command.example("bjbench brokers --tables 10,100 --rounds 5", "measure two sizes")
            command.exitStatus(69, "Not Linux with two processors, or bjserver is not beside this program.")
        })

    private static let compare = Command<BenchCompare.Options, BenchProgram>(
        "compare", "Compares two files of 'bjbench --json'.", defaults: BenchCompare.Options(), program: { .compare($0) },
        declare: { command in
            command.discussion("Compares the minimum of each measurement, which is least affected by other load.")
            command.argument("BEFORE", \.before, .path, required: true, help: "The older file.")
            command.argument("AFTER", \.after, .path, required: true, help: "The newer file.")
            command.option("--limit", \.limit, .int(1...1000), help: "Allowed slowdown in percent.")
            command.example("bjbench compare 1.0.0.json now.json", "compare a release with this build")
            command.exitStatus(1, "A measurement is slower by more than the limit, or allocates more.")
            command.exitStatus(65, "A file cannot be read.")
        })

    private static let tableCounts = ValueFormat<[Int]>(
        "N,N", expected: "numbers of tables from 1 to 2500, separated by commas",
        parse: { text in
            let parts = text.split(separator: ",", omittingEmptySubsequences: false)
            let counts = parts.compactMap { Int($0) }.filter { (1...2500).contains($0) }
            return counts.count == parts.count ? counts : nil
        },
        print: { $0.map(String.init).joined(separator: ",") })
}

/// A result, of which a file has all but the limit.
struct Measurement: Codable {
    var name: String
    /// Median of the runs, in nanoseconds per call.
    var median: Double
    /// Minimum of the runs, in nanoseconds per call.
    var least: Double
    /// Calls of `malloc` per call.
    var allocations: Double
    /// Upper bound for `least`, in nanoseconds; nil for none.
    var limit: Double?

    enum CodingKeys: String, CodingKey { case name, median, least, allocations }
}

/// Times closures: several runs each, after a warm-up.
struct Bench {
    /// Substring of names to measure; empty for all.
    var filter: String
    var report: (Measurement) -> Void
    /// Measurements excluded by the filter.
    let skipped = Skipped()

    /// Collects name prefixes up to the colon.
    final class Skipped {
        private(set) var groups: [String] = []

        func note(_ name: String) {
            let group = String(name.prefix { $0 != ":" })
            if !groups.contains(group) { groups.append(group) }
        }
    }

    /// True when the filter may match a name with this prefix.
    func mayMeasure(_ name: String) -> Bool {
        if filter.isEmpty || name.contains(filter) || filter.hasPrefix(name) { return true }
        skipped.note(name)
        return false
    }

    /// - Parameters:
    ///   - calls: calls of `body` per run; the figure is per call.
    ///   - per: items per call; the figure is per item.
    ///   - limit: upper bound for the minimum, in nanoseconds.
    func measure(_ name: String, runs: Int = 21, calls: Int, per things: Int = 1, limit: Double? = nil, _ body: () -> Void) {
        measureParts(name, runs: runs, per: calls * things, limit: limit) { clock in
            clock.measure {
                for _ in 0..<calls { body() }
            }
        }
    }

    /// Sums the measured parts of a run, excluding the rest.
    struct PartsClock {
        fileprivate var spent = Duration.zero
        fileprivate var allocations: UInt = 0
        private let clock = ContinuousClock()

        mutating func measure(_ part: () -> Void) {
            let before = allocation_count()
            spent += clock.measure(part)
            allocations += allocation_count() - before
        }
    }

    /// - Parameters:
    ///   - per: items per run; the figure is per item.
    ///   - limit: upper bound for the minimum, in nanoseconds.
    ///   - body: one run; only parts timed by the clock count.
    func measureParts(
        _ name: String, runs: Int, per things: Int, limit: Double? = nil, _ body: (inout PartsClock) -> Void
    ) {
        guard filter.isEmpty || name.contains(filter) else { return skipped.note(name) }
        var figures: [Double] = []
        figures.reserveCapacity(runs + 1)
        var allocations: UInt = 0
        for run in 0...runs {
            var clock = PartsClock()
            body(&clock)
            // The first run is the warm-up.
            guard run > 0 else { continue }
            figures.append(clock.spent / .nanoseconds(1) / Double(things))
            allocations += clock.allocations
        }
        figures.sort()
        report(
            Measurement(
                name: name, median: figures[figures.count / 2], least: figures[0],
                allocations: Double(allocations) / Double(runs * things), limit: limit))
    }
}

/// Keeps the optimizer from removing the measured code.
@inline(never)
func consume<Value>(_ value: borrowing Value) {}

/// The measurements of one run as a file: `bjbench --json`.
struct BenchReport: Codable {
    var version = Release.text()
    var measurements: [Measurement] = []

    var json: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        guard let bytes = try? encoder.encode(self) else { preconditionFailure("numbers and strings can be encoded") }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// `bjbench compare`: the measurements of two files.
struct BenchCompare {
    struct Options: Sendable {
        var before = ""
        var after = ""
        /// Percent.
        var limit = 25
    }

    let options: Options

    /// Exits with 1 when a measurement in both files is slower by more than the limit, or allocates more.
    func run() -> Never {
        let (before, after) = (read(options.before), read(options.after))
        let old = Dictionary(before.measurements.map { ($0.name, $0) }) { first, _ in first }
        var worse = 0
        for entry in after.measurements {
            guard let former = old[entry.name] else {
                Console.print("new      \(entry.name): \(tenths(entry.least)) ns")
                continue
            }
            // The minimum: other work on the machine only adds to it.
            let ratio = entry.least / max(former.least, 0.1)
            let allocates = entry.allocations > former.allocations + 0.5
            let isWorse = ratio > 1 + Double(options.limit) / 100 || allocates
            if isWorse { worse += 1 }
            let allocations = allocates ? ", \(tenths(former.allocations)) -> \(tenths(entry.allocations)) allocations" : ""
            Console.print(
                "\(isWorse ? "SLOWER " : "       ")  \(entry.name): \(tenths(former.least)) -> \(tenths(entry.least)) ns, "
                    + "\(hundredths(ratio)) times\(allocations)")
        }
        let names = Set(after.measurements.map(\.name))
        for entry in before.measurements where !names.contains(entry.name) { Console.print("missing  \(entry.name)") }
        Console.print("\(worse) of \(after.measurements.count) measurements are slower by more than \(options.limit)%")
        exit(worse == 0 ? 0 : 1)
    }

    private func read(_ path: String) -> BenchReport {
        do {
            return try JSONDecoder().decode(BenchReport.self, from: Data(Console.text(of: path).utf8))
        } catch let fault as FileFault {
            Console.fail("bjbench compare", fault, status: 65)
        } catch {
            Console.fail("bjbench compare", "\(path) is not a report of 'bjbench --json'", status: 65)
        }
    }
}
