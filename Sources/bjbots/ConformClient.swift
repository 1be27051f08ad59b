import CommandLineKit
import Conformance
import Dispatch
import Foundation
import Rules
import ServerCore
import Sockets
import Synchronization

/// Plays the scenarios of the client kit and reports. Each has a server of its own in this program, with the same cards each time.
struct ConformClient {
    private let options: ConformOptions
    private let command: String

    init(_ options: ConformOptions, command: String) {
        self.options = options
        self.command = command
    }

    func run() -> Never {
        let scenarios = ClientKit.only(options.only)
        guard !scenarios.isEmpty else { Console.fail("bjbots", "no scenario has such a name", status: 65) }
        if options.list {
            for scenario in scenarios { Console.print("\(scenario.name): \(scenario.summary)") }
            exit(0)
        }
        let running = Running()
        let signals = Signals.observe([SIGINT, SIGTERM]) { signal in
            running.breakOff()
            exit(128 + signal)
        }
        // Off the main thread, whose queue belongs to the system: every wait in there blocks.
        DetachedThread.start { perform(scenarios, running) }
        withExtendedLifetime(signals) { dispatchMain() }
    }

    /// The trials under way, so that none outlives the program.
    private final class Running: Sendable {
        private let trials = Mutex<[Int: ClientKit.Trial]>([:])

        func set(_ trial: ClientKit.Trial?, at index: Int) { trials.withLock { $0[index] = trial } }

        func breakOff() {
            for trial in trials.withLock({ Array($0.values) }) { trial.breakOff() }
        }
    }

    private func perform(_ scenarios: [ClientKit.Scenario], _ running: Running) -> Never {
        let next = Mutex(0)
        let results = Mutex<[Int: ClientKit.Trial.Outcome]>([:])
        let condition = DispatchSemaphore(value: 0)
        for _ in 0..<min(options.jobs, scenarios.count) {
            DetachedThread.start {
                while let index = next.withLock({ next in
                    next < scenarios.count
                        ? {
                            next += 1
                            return next - 1
                        }() : nil
                }) {
                    let outcome = play(scenarios[index], at: index, running)
                    results.withLock { $0[index] = outcome }
                    condition.signal()
                }
            }
        }
        var report = ConformReport()
        // Printed in the order of the list, each after those before it.
        for (index, scenario) in scenarios.enumerated() {
            var outcome = results.withLock { $0[index] }
            while outcome == nil {
                condition.wait()
                outcome = results.withLock { $0[index] }
            }
            if let outcome { note(outcome, of: scenario, in: &report) }
        }
        report.printSummary(asJSON: options.json)
        exit(report.failed > 0 ? 1 : 0)
    }

    private func play(_ scenario: ClientKit.Scenario, at index: Int, _ running: Running) -> ClientKit.Trial.Outcome {
        let server = Self.makeServer()
        let port: Int
        do {
            port = Int(try server.start().port)
        } catch {
            Console.fail("bjbots", error, status: 69)
        }
        var settings = ClientKit.Trial.Options(host: "127.0.0.1", port: port, command: command)
        settings.timeout = Int64(max(1000, options.patience))
        let trial = ClientKit.Trial(scenario, options: settings)
        running.set(trial, at: index)
        let outcome = trial.run()
        running.set(nil, at: index)
        let stopped = DispatchSemaphore(value: 0)
        server.stop { stopped.signal() }
        stopped.wait()
        return outcome
    }

    /// A server with one table, where results lie for long enough that a client can't outrun the limit of requests.
    private static func makeServer() -> Server {
        var shards = ShardConfiguration(tables: [.init(name: "main", rules: HouseRules())])
        shards.settledMilliseconds = 400
        shards.serverName = "bjbots/\(Release.version)"
        var options = Server.Options()
        options.port = 0
        // Commitments that a client has not seen in an earlier run: one that stores its contributions would know them.
        options.seed = .random(in: 0 ... .max)
        return Server(shards: shards, options: options)
    }

    private func note(_ outcome: ClientKit.Trial.Outcome, of scenario: ClientKit.Scenario, in report: inout ConformReport) {
        let (word, reason): (ConformReport.Word, String?) =
            switch outcome.verdict {
            case .passed(let note): (.passed, note)
            case .failed(let why): (.failed, why)
            case .skipped(let why): (.skipped, why)
            }
        report.add(scenario.name, word, reason, milliseconds: outcome.milliseconds, isPrinted: !options.json)
        guard !options.json, word == .failed || options.output else { return }
        for line in outcome.output { Console.print("    | \(line)") }
    }
}
