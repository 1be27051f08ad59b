import Bots
import CommandLineKit
import Dispatch
import Foundation
import Rules
import Simulation

/// Runs a load and reports.
struct Load {
    private let options: LoadOptions

    init(_ options: LoadOptions) { self.options = options }

    func run() -> Never {
        let (server, scenario) = plan()
        let charts = loadCharts(scenario)
        var settings = LoadRun.Options(host: server.host, port: Int(server.port), scenario: scenario)
        settings.charts = charts
        settings.loops = options.loops
        settings.wantsChecks = options.check
        settings.sources = options.sources
        settings.readsAtOnce = options.readAtOnce
        settings.started = Date().formatted(.iso8601)
        // A server keeps the names of players who were cut off for a while: each run has its own.
        settings.namePrefix = "b" + String(UInt64(Date().timeIntervalSince1970 * 10) % 0xFFFFF, radix: 36) + "-"
        settings.metrics = options.metrics
        let screen = LiveScreen(isTerminal: isatty(2) == 1)
        let options = options
        let run = LoadRun(settings) { progress in
            screen.show(progress)
        } completion: { result in
            screen.clear()
            switch result {
            case .success(let (report, scripts)): Self.finish(report, scripts, options)
            case .failure(let error): Console.fail("bjbots", error, status: 69)
            }
        }
        run.begin()
        let signals = Console.onSignals([SIGINT, SIGTERM]) { _ in run.interrupt() }
        withExtendedLifetime((run, signals)) { dispatchMain() }
    }

    private func plan() -> (Endpoint, Scenario) {
        do {
            let server = try options.server()
            var file: Scenario?
            if let path = try options.scenarioFile() { file = try Scenario(parsing: Self.read(path), file: path) }
            return (server, try options.scenario(from: file))
        } catch let error as UsageError {
            Console.fail("bjbots load", error.message, status: 64)
        } catch {
            Console.fail("bjbots", "\(error)", status: 65)
        }
    }

    private func loadCharts(_ scenario: Scenario) -> [String: StrategyChart] {
        var charts: [String: StrategyChart] = [:]
        for mix in scenario.mixes {
            guard case .chart(let path) = mix.strategy else { continue }
            do {
                charts[path] = try StrategyChart(csv: Self.read(path), doubleAfterSplit: true)
            } catch {
                Console.fail("bjbots", "\(path), \(error)", status: 65)
            }
        }
        return charts
    }

    /// The text of a file, or the end of the program.
    static func read(_ path: String) -> String {
        guard let data = FileManager.default.contents(atPath: path) else {
            Console.fail("bjbots", "cannot read \(path)", status: 65)
        }
        return String(decoding: data, as: UTF8.self)
    }

    private static func finish(_ report: LoadReport, _ scripts: [String], _ options: LoadOptions) -> Never {
        var report = report
        for (index, script) in scripts.prefix(20).enumerated() where index < report.violations.count {
            let path = "\(options.transcripts)/bjbots-violation-\(index + 1).txt"
            write(script, to: path)
            report.violations[index].transcript = path
        }
        Console.print(report.text)
        if let path = options.json { write(report.json.pretty, to: path) }
        if let path = options.html { write(report.html, to: path) }
        if let path = options.junit { write(report.junit, to: path) }
        if let prefix = options.hgrm {
            for (name, histogram) in [
                ("corrected", report.latency.corrected), ("raw", report.latency.raw), ("lag", report.latency.lag),
                ("join", report.join.corrected),
            ] {
                write(histogram.percentileText(), to: "\(prefix)-\(name).hgrm")
            }
        }
        exit(report.exitStatus)
    }

    /// Writes a file, or ends the program.
    static func write(_ text: String, to path: String) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard descriptor >= 0, Console.write(text, to: descriptor), close(descriptor) == 0 else {
            Console.fail("bjbots", "cannot write \(path): \(String(cString: strerror(errno)))", status: 74)
        }
    }
}
