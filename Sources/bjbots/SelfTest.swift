import CommandLineKit
import Dispatch
import Foundation
import LoadGenerator
import Sockets
import Synchronization

/// Options of `bjbots selftest`.
struct SelfTestOptions: Sendable {
    var server = Endpoint(host: "127.0.0.1", port: 2121)
    var process: Int32 = 0
    var bots = 140
    var rate = 60

    static let command = Command<SelfTestOptions, BotsProgram>(
        "selftest", "Stops a server of this machine for a second, and sees whether the report says so.",
        defaults: SelfTestOptions(),
        program: BotsProgram.selfTest
    ) { command in
        command.discussion(
            """
            Plays an open model against the server, sends its process SIGSTOP in the midst of it and SIGCONT a second later. What was due \
            meanwhile is known, and so is how long each of it must have waited: the report has to agree within 2 % of that second. The server's \
            tables should need no time of their own: 'bjserver --settle 0ms', with a seat for each bot. The rate must be a small part of what the \
            server can answer, or the backlog behind the stall is measured too.
            """)
        command.argument("HOST:PORT", \.server, .endpoint(defaultPort: 2121), required: true, help: "The server.")
        command.option("--pid", \.process, .int(1...Int32.max), help: "The server's process, which must be one of yours.")
        command.option("--bots", \.bots, .int(7...10_000), short: "b", help: "How many bots.")
        command.option("--rate", \.rate, .int(10...100_000), help: "Actions that are due each second.")
        command.example("bjbots selftest 127.0.0.1:2121 --pid 4711", "is the report to be trusted?")
        command.exitStatus(1, "the report does not agree with theory, is INVALID, or tells of errors or violations")
        command.exitStatus(69, "the server can't be reached, or stopped")
        command.exitStatus(130, "stopped by SIGINT; the server goes on")
        command.exitStatus(143, "the same by SIGTERM")
    }

    func run() -> Never {
        guard process > 0 else { Console.fail("bjbots selftest", "--pid is missing: the server's process", status: 64) }
        guard process != getpid() else { Console.fail("bjbots selftest", "--pid is this very process", status: 64) }
        guard kill(process, 0) == 0 else { Console.fail("bjbots", "there is no process \(process) of yours", status: 69) }
        var scenario = Scenario()
        scenario.phases = [.ramp(bots: bots, over: 1000), .hold(1000), .actions(perSecond: Double(rate), 6000)]
        // At their own pace the bots would use up the server's request limit.
        scenario.mixes[0].think = .constant(300)
        var settings = LoadRun.Options(host: server.host, port: Int(server.port), scenario: scenario)
        settings.namePrefix = "s" + String(UInt64(Date().timeIntervalSince1970 * 10) % 0xFFFFF, radix: 36) + "-"
        let process = process
        let stall = Mutex<Range<Int64>?>(nil)
        let kept = Mutex<LoadRun?>(nil)
        let run = LoadRun(settings) { progress in
            // Once, in the midst of the open phase.
            guard progress.elapsed >= 4, stall.withLock({ $0 }) == nil else { return }
            stall.withLock { $0 = Self.stop(process) }
        } completion: { result in
            switch result {
            case .failure(let error): Console.fail("bjbots", error, status: 69)
            case .success(let (report, _)):
                guard let stall = stall.withLock({ $0 }), let due = kept.withLock({ $0 })?.dueMoments else {
                    Console.fail("bjbots", "the server was not stopped", status: 69)
                }
                Self.finish(report, StallCheck(stall: stall, due: due))
            }
        }
        kept.withLock { $0 = run }
        Console.printError("testing with \(server) for 8 s; its process \(process) is stopped for one of them")
        run.begin()
        let signals = Signals.observe([SIGINT, SIGTERM]) { signal in
            // Nobody's server is left standing still.
            kill(process, SIGCONT)
            exit(128 + signal)
        }
        withExtendedLifetime((run, signals)) { dispatchMain() }
    }

    /// Stops a process for a second.
    private static func stop(_ process: Int32) -> Range<Int64> {
        kill(process, SIGSTOP)
        let begin = LoadRun.now
        // A wait of its own: the run's queue may be held up, which is the point.
        while LoadRun.now < begin + 1_000_000 {
            var rest = timespec(tv_sec: 0, tv_nsec: Int(begin + 1_000_000 - LoadRun.now) % 1_000_000 * 1000)
            nanosleep(&rest, nil)
        }
        kill(process, SIGCONT)
        return begin..<LoadRun.now
    }

    private static func finish(_ report: LoadReport, _ check: StallCheck) -> Never {
        let rows = check.rows(report.latency.corrected)
        for row in rows {
            let digits = { (value: Double) in String(Int(value.rounded())) }
            Console.print(
                "\(row.holds ? "held  " : "FAILED") \(row.name): \(digits(row.measured)), by theory \(digits(row.theory)) "
                    + "(\(digits(row.difference * 1000)) ‰ apart)")
        }
        let faults = StallCheck.faults(rows, report)
        for fault in faults { Console.print("FAILED \(fault)") }
        Console.print("\(report.actions) actions, \(report.violationCount) violations, \(report.errorCount) errors")
        exit(faults.isEmpty ? 0 : 1)
    }
}
