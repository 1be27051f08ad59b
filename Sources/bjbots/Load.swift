import CommandLineKit
import Dispatch
import Foundation
import LoadGenerator
import Rules
import Sockets
import Synchronization
import Wire

/// `bjbots load`: runs a load and reports.
struct LoadOptions: Sendable {
    var server = Endpoint(host: "127.0.0.1", port: 2121)
    /// The settings that are as given; `run` adds the rest.
    var load = LoadRun.Options(host: "", port: 0)
    var ramp: Int64?
    var strategy = "basic"
    var hostile: [(kind: HostileKind, count: Int)] = []
    var json: String?
    var html: String?

    static let command = Command<LoadOptions, BotsProgram>(
        "load", "Measures a server under load from bots that verify every line.", defaults: LoadOptions(),
        program: BotsProgram.load
    ) { command in
        command.argument("HOST:PORT", \.server, .endpoint(defaultPort: 2121), help: "The server.")
        command.option("--bots", \.load.bots, .int(0...1_000_000), short: "b", help: "Number of bots.")
        command.option(
            "--ramp", \.ramp, .milliseconds(0...86_400_000), help: "Time over which the bots join. Default: 1 s per 500 bots.")
        command.option(
            "--duration", \.load.duration, .milliseconds(100...604_800_000), short: "d", help: "Duration of the measurement.")
        command.option("--rate", \.load.rate, rateFormat, help: "Actions per second. Default: as many as possible.")
        command.option(
            "--strategy", \.strategy, .text(upTo: 4096).completing(.words(["basic", "careful", "tens"], orFiles: true)),
            value: "CHART",
            help: "basic; careful or tens, as some house bots play; or a CSV file (see 'bjbots chart').")
        command.option("--disconnects", \.load.disconnects, rateFormat, help: "Connections to cut per second.")
        command.option(
            "--hostile", \.hostile, hostileFormat,
            help: "Adds hostile bots: \(HostileKind.allCases.map(\.rawValue).joined(separator: ", ")).")
        command.option(
            "--fail-if", \.load.failures, failureFormat, value: "p99>50ms", help: "Failure condition, such as errors>0.")
        command.option("--seed", \.load.seed, .int(), help: "Seed of the plan.")
        command.option("--from", \.load.sources, .text(upTo: 64), value: "IP", help: "Local address to connect from.")
        command.option("--json", \.json, .path, help: "Writes the report as JSON.")
        command.option("--html", \.html, .path, help: "Writes the report as an HTML page with plots.")
        command.exitStatus(3, "The server broke a rule of the game or the protocol.")
        command.exitStatus(4, "The measurement is invalid.")
        command.exitStatus(65, "The chart is invalid.")
        command.exitStatus(69, "The server cannot be reached.")
        command.exitStatus(74, "A file cannot be written.")
        command.exitStatus(99, "A condition of --fail-if is met.")
    }

    private static let rateFormat = ValueFormat<Double>(
        "N", expected: "a number per second, from 0.001 to 10000000",
        parse: { text in
            guard text.utf8.allSatisfy({ "0123456789.".utf8.contains($0) }), let value = Double(text) else { return nil }
            return (0.001...10_000_000).contains(value) ? value : nil
        }, print: { $0 == 0 ? "0" : String($0) })

    private static let hostileFormat = ValueFormat<(kind: HostileKind, count: Int)>(
        "KIND:N",
        expected: "KIND:N with N up to 100000; kinds are \(HostileKind.allCases.map(\.rawValue).joined(separator: ", "))",
        parse: { text in
            let parts = text.split(separator: ":", omittingEmptySubsequences: false)
            guard parts.count == 2, let kind = HostileKind(rawValue: String(parts[0])), let count = Int(parts[1]),
                (1...100_000).contains(count)
            else { return nil }
            return (kind, count)
        }, print: { "\($0.kind.rawValue):\($0.count)" })

    private static let failureFormat = ValueFormat<FailureCondition>(
        "CONDITION", expected: FailureCondition.expected, parse: { FailureCondition($0) }, print: { "\($0)" })

    // MARK: Running

    func run() -> Never {
        checkSurroundings()
        var settings = load
        (settings.host, settings.port, settings.ramp) = (server.host, Int(server.port), ramp ?? Int64(load.bots * 2))
        settings.hostile = Dictionary(hostile.map { ($0.kind, $0.count) }, uniquingKeysWith: +)
        if let manner = HouseBot.Manner(rawValue: strategy), manner != .book {
            settings.manner = manner
        } else if strategy != "basic" {
            settings.chart = Simulate.chart(file: strategy)
        }
        // As many as have something to do; the server needs processors, too.
        settings.loops = max(1, min(ProcessInfo.processInfo.activeProcessorCount / 2, load.bots / 500))
        settings.started = Date().formatted(.iso8601)
        // A server keeps the names of cut-off players for a while: each run has its own, those started at one moment, too.
        settings.namePrefix = "b" + String(UInt32.random(in: 0..<0xFFFFF), radix: 36) + "-"
        let screen = LiveScreen(isTerminal: isatty(2) == 1)
        let run = LoadRun.make(settings) { progress in
            screen.show(progress)
        } completion: { result in
            screen.clear()
            switch result {
            case .success(let (report, transcripts)): finish(report, transcripts)
            case .failure(let error): Console.fail("bjbots", error, status: 69)
            }
        }
        Console.printError("connecting to \(server)")
        run.perform { $0.begin() }
        let signals = Signals.observe([SIGINT, SIGTERM]) { _ in run.perform { $0.interrupt() } }
        withExtendedLifetime((run, signals)) { dispatchMain() }
    }

    /// A run of hours must not find out at its end that its report has no place, nor a bot of thousands that it has no address.
    private func checkSurroundings() {
        let most = load.bots + hostile.reduce(0) { $0 + $1.count }
        // Loops, timers and files have some too.
        let descriptors = DescriptorLimit.raise()
        guard most + 100 <= descriptors else {
            Console.fail(
                "bjbots",
                "\(most) bots need \(most + 100) file descriptors, but the limit is \(descriptors) (see ulimit -n)",
                status: 69)
        }
        Console.orFail("bjbots", status: 74) { for path in [json, html].compactMap(\.self) { try checkWritable(path) } }
        for source in load.sources {
            if let reason = SocketAddress.fault(ofSource: source) {
                Console.fail("bjbots", "cannot connect from \(source): \(reason)", status: 69)
            }
        }
    }

    /// Checks early that a file is writable, before long work. Creates none.
    private func checkWritable(_ path: String) throws(FileFault) {
        var isFolder: ObjCBool = false
        if FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) {
            guard !isFolder.boolValue else { throw FileFault("write", path, String(cString: strerror(EISDIR))) }
            guard access(path, W_OK) == 0 else { throw FileFault("write", path) }
        } else {
            let folder = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
            guard access(folder, W_OK | X_OK) == 0 else { throw FileFault("write", path) }
        }
    }

    /// Writes the files and prints the report. Transcripts of violations are files of the current folder.
    private func finish(_ report: LoadReport, _ transcripts: [String]) -> Never {
        var report = report
        var faults: [FileFault] = []
        func write(_ text: String, _ path: String?) {
            guard let path else { return }
            do throws(FileFault) { try Console.write(text, toFile: path) } catch { faults.append(error) }
        }
        for (index, transcript) in transcripts.prefix(20).enumerated() where index < report.violations.count {
            let path = "bjbots-violation-\(index + 1).txt"
            write(transcript, path)
            report.violations[index].transcript = path
        }
        // The files first: printing may end the program.
        write(report.json, json)
        write(report.html, html)
        Console.print(report.text)
        for fault in faults { Console.printError("bjbots: \(fault)") }
        exit(faults.isEmpty ? report.exitStatus : 74)
    }
}

/// Tells on standard error how a run goes: one screen that is drawn over and over at a terminal, a line every few seconds otherwise.
final class LiveScreen: Sendable {
    private let isTerminal: Bool
    private let state = Mutex((frame: LiveFrame(), looks: 0))

    init(isTerminal: Bool) { self.isTerminal = isTerminal }

    func show(_ progress: LoadRun.Progress) {
        state.withLock { state in
            state.looks += 1
            if isTerminal {
                let size = Self.size
                Console.write(state.frame.draw(progress.screen, width: size.columns, height: size.rows), to: 2)
            } else if state.looks % 5 == 1 {
                Console.printError(progress.line)
            }
        }
    }

    /// Restores the former screen; the report goes below its text.
    func clear() { Console.write(state.withLock { $0.frame.end() }, to: 2) }

    /// As it is now: somebody may have made the window larger or smaller.
    private static var size: (columns: Int, rows: Int) {
        guard let size = Console.windowSize(of: 2), size.rows > 1 else { return (80, 24) }
        return size
    }
}
