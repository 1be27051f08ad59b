import CommandLineKit
import Dispatch
import Foundation
import LoadGenerator
import Odds
import Rules
import Sockets
import Synchronization

/// Runs a load and reports.
struct Load {
    private let options: LoadOptions

    init(_ options: LoadOptions) { self.options = options }

    func run() -> Never {
        let (server, scenario) = plan()
        let charts = loadCharts(scenario)
        checkSurroundings(scenario)
        var settings = LoadRun.Options(host: server.host, port: Int(server.port), scenario: scenario)
        settings.charts = charts
        settings.loops = options.loops
        settings.wantsChecks = options.check
        settings.sources = options.sources
        settings.readsAtOnce = options.readAtOnce
        settings.started = Date().formatted(.iso8601)
        // A server keeps the names of cut-off players for a while: each run has its own.
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
        Console.printError("connecting to \(server)")
        run.begin()
        let signals = Signals.observe([SIGINT, SIGTERM]) { _ in run.interrupt() }
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
            let text = Self.read(path)
            do {
                charts[path] = try StrategyChart(csv: text, doubleAfterSplit: true)
            } catch {
                Console.fail("bjbots", "\(path), \(error)", status: 65)
            }
        }
        return charts
    }

    /// A run of hours must not find out at its end that its report has no place, nor a bot of thousands that it has no address.
    private func checkSurroundings(_ scenario: Scenario) {
        // Loops, timers and files have some too.
        let descriptors = DescriptorLimit.raise()
        guard scenario.mostBots + 100 <= descriptors else {
            Console.fail(
                "bjbots",
                "\(scenario.mostBots) bots need as many descriptors and 100 more; this process may have \(descriptors) (see ulimit -n)",
                status: 69)
        }
        do throws(FileFault) {
            for path in options.files.map(\.path) { try Console.checkWritable(path) }
            try Console.checkWritable(options.transcripts + "/bjbots-violation-1.txt")
        } catch {
            Console.fail("bjbots", error, status: 74)
        }
        for source in options.sources {
            if let reason = LocalAddress.fault(of: source) {
                Console.fail("bjbots", "cannot connect from \(source): \(reason)", status: 69)
            }
        }
    }

    /// The text of a file, or the end of the program.
    static func read(_ path: String) -> String {
        do { return try Console.text(of: path) } catch { Console.fail("bjbots", error, status: 65) }
    }

    private static func finish(_ report: LoadReport, _ scripts: [String], _ options: LoadOptions) -> Never {
        var report = report
        var faults: [FileFault] = []
        func write(_ text: String, _ path: String) {
            do throws(FileFault) { try Console.write(text, toFile: path) } catch { faults.append(error) }
        }
        for (index, script) in scripts.prefix(20).enumerated() where index < report.violations.count {
            let path = "\(options.transcripts)/bjbots-violation-\(index + 1).txt"
            write(script, path)
            report.violations[index].transcript = path
        }
        // The files first: printing may end the program.
        for file in options.files { write(file.text(report), file.path) }
        Console.print(report.text)
        for fault in faults { Console.printError("bjbots: \(fault)") }
        exit(faults.isEmpty ? report.exitStatus : 74)
    }

    /// Writes a file, or ends the program.
    static func write(_ text: String, to path: String) {
        do { try Console.write(text, toFile: path) } catch { Console.fail("bjbots", error, status: 74) }
    }
}

extension LoadOptions {
    /// The requested files, each with its part of the report.
    fileprivate var files: [(path: String, text: @Sendable (LoadReport) -> String)] {
        var files: [(path: String, text: @Sendable (LoadReport) -> String)] = []
        if let json { files.append((json, { $0.json.pretty })) }
        if let html { files.append((html, { $0.html })) }
        if let junit { files.append((junit, { $0.junit })) }
        guard let hgrm else { return files }
        files.append(("\(hgrm)-corrected.hgrm", { $0.latency.corrected.percentileText() }))
        files.append(("\(hgrm)-raw.hgrm", { $0.latency.raw.percentileText() }))
        files.append(("\(hgrm)-lag.hgrm", { $0.latency.lag.percentileText() }))
        files.append(("\(hgrm)-join.hgrm", { $0.join.corrected.percentileText() }))
        return files
    }
}

/// An address that connections may be made from.
private enum LocalAddress {
    /// Why a text is none of this machine; nil when it is one.
    static func fault(of text: String) -> String? {
        var hints = addrinfo()
        hints.ai_flags = AI_NUMERICHOST
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(text, nil, &hints, &list) == 0, let address = list?.pointee else {
            return "not an address in numbers, such as 127.0.0.2"
        }
        defer { freeaddrinfo(list) }
        #if canImport(Glibc)
            let descriptor = socket(address.ai_family, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        #else
            let descriptor = socket(address.ai_family, SOCK_STREAM, 0)
        #endif
        guard descriptor >= 0 else { return String(cString: strerror(errno)) }
        defer { close(descriptor) }
        return bind(descriptor, address.ai_addr, address.ai_addrlen) == 0 ? nil : String(cString: strerror(errno))
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
                for line in [progress.line] + progress.server { Console.printError(line) }
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
