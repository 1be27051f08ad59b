import Bots
import CommandLineKit
import LoadGenerator

/// Options of `bjbots load`.
struct LoadOptions: Sendable {
    /// A word of the command line: where the server is, or which scenario to play.
    enum Target: Sendable, Equatable {
        case server(Endpoint)
        case scenario(String)
    }

    var targets: [Target] = []
    var bots: Int?
    var duration: Int?
    var ramp: Int?
    var think: Distribution?
    var rate: Double?
    var spread: BetSpread?
    var strategy: String?
    var tables: [String] = []
    var hostile: Double?
    var thresholds: [String] = []
    var seed: UInt64?
    var loops = 1
    var check = false
    var readAtOnce = false
    var sources: [String] = []
    var json: String?
    var html: String?
    var hgrm: String?
    var junit: String?
    var metrics: MetricsReader.Source?
    var transcripts = "."

    static let command = Command<LoadOptions, BotsProgram>(
        "load", "Plays a load of bots, each of them a referee, and measures how the server answers.", defaults: LoadOptions(),
        program: BotsProgram.load, declare: declare)

    private static func declare(_ command: inout Command<LoadOptions, BotsProgram>) {
        command.discussion(
            """
            Without a scenario file: --bots come within --ramp and play for --duration, each at its own pace (--think), or all together at a \
            given --rate, whose actions are due at random moments whatever the server does (an open model).

            Latency is the time from the moment that an action was meant to be sent until its effect was seen. 'raw' counts from when it was \
            sent, 'lag' is the generator's own delay; a run whose lag is more than a tenth of its latency, and more than a millisecond, is marked \
            INVALID, and so is one in which nothing was measured. Its thresholds are worth nothing.

            Every bot checks replies, revisions, legality, payouts, chips, cards and deadlines. The transcript of a violation is saved as a \
            script for 'bjbots replay'.

            Thresholds: p(N), mean, max (of lag., raw., join. too) against a time; errors, violations, unanswered, disconnects, rounds, \
            actions, sessions, rounds/s, actions/s against a number.
            """)
        command.argument(
            "HOST:PORT|SCENARIO.json", \.targets, target,
            help: "The server, 127.0.0.1:2121 if left out; and a scenario file, if there is one.")
        command.option(
            "--bots", \.bots, .int(1...1_000_000), short: "b", help: "How many bots, the hostile ones included; 7 if left out.")
        command.option(
            "--duration", \.duration, .milliseconds(100...604_800_000), short: "d",
            help: "How long, after the ramp; 10s if left out.")
        command.option(
            "--ramp", \.ramp, .milliseconds(0...86_400_000),
            help: "Within which time the bots come; 1 s for each 500 if left out.")
        command.option("--think", \.think, distribution, help: "How long a bot thinks; not at all if left out.")
        command.option("--rate", \.rate, rate, help: "Actions that are due each second, from all bots together.")
        command.option("--bet", \.spread, spread, help: "Chips on each round; the smallest bet if left out.")
        command.option(
            "--strategy", \.strategy, .text(upTo: 4096).completing(.words(["basic"], orFiles: true)), value: "basic|FILE",
            help: "How to play: a chart as for 'simulate'; basic strategy if left out.")
        command.option(
            "--table", \.tables, .text(upTo: 32), value: "NAME", short: "t",
            help: "Where to play; repeat it for more. All if left out.")
        command.option("--hostile", \.hostile, percent, help: "The share of bots that do harm instead of playing.")
        declareMeasuring(&command)
        command.example("bjbots load 127.0.0.1:2121 --bots 700 --duration 60s", "a hundred full tables for a minute")
        command.example(
            "bjbots load --bots 70 --rate 500 --threshold errors==0 --html load.html",
            "an open model with limits")
        command.example("bjbots load 127.0.0.1:2121 evening.json --json a.json", "what a scenario file says")
        command.exitStatus(3, "the server has broken a law of the game or of the protocol")
        command.exitStatus(4, "the measurement is INVALID, whether or not thresholds held")
        command.exitStatus(99, "a threshold was not kept")
        command.exitStatus(65, "the scenario or a chart is faulty")
        command.exitStatus(69, "the server can't be reached")
        command.exitStatus(74, "a file can't be written")
    }

    private static func declareMeasuring(_ command: inout Command<LoadOptions, BotsProgram>) {
        command.option("--threshold", \.thresholds, threshold, help: "What must hold of the figures; repeat it for more.")
        command.option("--seed", \.seed, .int(), help: "Repeats the plan of a run; 1 if left out.")
        command.option("--loops", \.loops, .int(1...256), help: "Event loops, one processor each, that the bots run on.")
        command.flag("--check", \.check, help: "Asks for the check value of every revision, and compares it.")
        command.option(
            "--from", \.sources, .text(upTo: 64), value: "ADDRESS",
            help: "An address of this machine to connect from; repeat it for more than 14,000 bots. Hostile bots use it, too.")
        command.flag(
            "--read-at-once", \.readAtOnce,
            help: "Every bot reads each line as it arrives, also while others are asked.")
        command.option("--json", \.json, .path, help: "Writes the report as JSON; see 'bjbots schema'.")
        command.option("--html", \.html, .path, help: "Writes the report as a page that needs nothing else.")
        command.option(
            "--hgrm", \.hgrm, .path, value: "PREFIX",
            help: "Writes PREFIX-corrected.hgrm, PREFIX-raw.hgrm, PREFIX-lag.hgrm and PREFIX-join.hgrm for plotters.")
        command.option("--junit", \.junit, .path, help: "Writes the thresholds as test cases.")
        command.option("--metrics", \.metrics, url, help: "Shows the server's own metrics while the run goes on.")
        command.option("--transcripts", \.transcripts, .path, value: "FOLDER", help: "Where transcripts of violations are saved.")
    }

    private static let target = ValueFormat<Target>(
        "HOST:PORT|SCENARIO.json", expected: "a host and port such as 127.0.0.1:2121, or a file whose name ends in .json",
        completion: .files,
        parse: { text in
            text.hasSuffix(".json") ? .scenario(text) : Endpoint(text, defaultPort: 2121).map(Target.server)
        },
        print: { target in
            switch target {
            case .server(let endpoint): endpoint.description
            case .scenario(let path): path
            }
        })

    private static let distribution = ValueFormat<Distribution>(
        "TIME", expected: Distribution.expected, parse: { Distribution($0) }, print: { $0.description })

    private static let spread = ValueFormat<BetSpread>(
        "CHIPS", expected: BetSpread.expected, parse: { BetSpread($0) }, print: { $0.description })

    /// `500` or `500/s`.
    private static let rate = ValueFormat<Double>(
        "N", expected: "a number of actions a second, from 0.001 to 10000000",
        parse: { text in
            let digits = text.hasSuffix("/s") ? String(text.dropLast(2)) : text
            guard digits.utf8.allSatisfy({ "0123456789.".utf8.contains($0) }), let value = Double(digits) else { return nil }
            return (0.001...10_000_000).contains(value) ? value : nil
        }, print: { String($0) })

    private static let percent = ValueFormat<Double>(
        "N%", expected: "a share such as 20%, from 0% to 100%",
        parse: { text in
            guard text.hasSuffix("%"), text.dropLast().utf8.allSatisfy({ "0123456789.".utf8.contains($0) }),
                let value = Double(text.dropLast()), (0...100).contains(value)
            else { return nil }
            return value / 100
        }, print: { "\($0 * 100)%" })

    private static let threshold = ValueFormat<String>(
        "LIMIT", expected: "a threshold such as p(99)<20ms, lag.max<5ms, errors==0 or rounds/s>1000",
        parse: { text in (try? Threshold(parsing: text)).map { _ in text } }, print: { $0 })

    private static let url = ValueFormat<MetricsReader.Source>(
        "URL", expected: "an address such as http://127.0.0.1:9121/metrics", parse: source,
        print: { "http://\(Endpoint(host: $0.host, port: UInt16(clamping: $0.port)))\($0.path)" })

    /// The parts of `http://HOST:PORT/PATH`; nil for anything else.
    static func source(_ url: String) -> MetricsReader.Source? {
        guard url.hasPrefix("http://") else { return nil }
        let rest = url.dropFirst(7)
        let slash = rest.firstIndex(of: "/") ?? rest.endIndex
        let path = slash == rest.endIndex ? "/metrics" : String(rest[slash...])
        guard let endpoint = Endpoint(String(rest[..<slash]), defaultPort: 80), path.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
        else {
            return nil
        }
        return MetricsReader.Source(host: endpoint.host, port: Int(endpoint.port), path: path)
    }
}

extension LoadOptions {
    /// The server that is named.
    func server() throws(UsageError) -> Endpoint {
        let servers = targets.compactMap { if case .server(let endpoint) = $0 { endpoint } else { nil } }
        guard servers.count <= 1 else { throw UsageError("more than one server is named") }
        return servers.first ?? Endpoint(host: "127.0.0.1", port: 2121)
    }

    /// The scenario file that is named.
    func scenarioFile() throws(UsageError) -> String? {
        let files = targets.compactMap { if case .scenario(let path) = $0 { path } else { nil } }
        guard files.count <= 1 else { throw UsageError("more than one scenario is named") }
        guard
            files.isEmpty
                || (bots ?? duration ?? ramp) == nil && rate == nil && think == nil && spread == nil && strategy == nil
                    && tables.isEmpty
        else {
            throw UsageError(
                "--bots, --duration, --ramp, --rate, --think, --bet, --strategy and --table are the scenario's to say: leave them out, or the file"
            )
        }
        return files.first
    }

    /// Applies the flags to the scenario file, if there is one.
    func scenario(from file: Scenario?) throws(ThresholdError) -> Scenario {
        var scenario = file ?? plain
        if let seed { scenario.seed = seed }
        if let hostile { scenario.hostileShare = hostile }
        for text in thresholds { scenario.thresholds.append(try Threshold(parsing: text)) }
        return scenario
    }

    private var plain: Scenario {
        var scenario = Scenario()
        let bots = bots ?? 7
        let time = Int64(duration ?? 10_000)
        scenario.phases = [.ramp(bots: bots, over: Int64(ramp ?? bots * 2))]
        scenario.phases.append(rate.map { .actions(perSecond: $0, time) } ?? .hold(time))
        var mix = Scenario.Mix()
        mix.think = think ?? .constant(0)
        mix.spread = spread ?? .flat(0)
        if let strategy, strategy != "basic" { mix.strategy = .chart(strategy) }
        if !tables.isEmpty { mix.table = .named(tables) }
        scenario.mixes = [mix]
        return scenario
    }
}
