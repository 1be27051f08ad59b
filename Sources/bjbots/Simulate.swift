import CommandLineKit
import Foundation
import Rules
import ServerCore
import Simulation

/// Plays a simulation and reports.
struct Simulate {
    private let options: SimulateOptions

    init(_ options: SimulateOptions) { self.options = options }

    func run() -> Never {
        if options.log != nil && options.strategy != "random" {
            Console.fail("bjbots", "--log goes with --strategy random", status: 64)
        }
        let rules = loadRules()
        let simulator: Simulator
        do {
            simulator = try Simulator(
                rules: rules, chart: chart(for: rules), rounds: options.rounds, seed: options.seed, seats: options.seats,
                bet: options.bet, threads: options.threads)
        } catch {
            Console.fail("bjbots", error, status: 64)
        }
        let result = options.strategy == "random" ? playAtRandom(simulator) : simulator.run(progress: progress)
        clearProgress()
        Console.print(options.json ? result.json : Self.text(result))
        exit(0)
    }

    private func loadRules() -> HouseRules {
        if options.rules == "default" { return HouseRules() }
        do {
            return try RulesSource.load(options.rules)
        } catch {
            Console.fail("bjbots", error, status: 65)
        }
    }

    private func chart(for rules: HouseRules) -> StrategyChart {
        switch options.strategy {
        case "basic": return StrategyChart(derivedFor: rules)
        case "random": return StrategyChart(basicFor: rules)
        default: break
        }
        guard let data = FileManager.default.contents(atPath: options.strategy) else {
            Console.fail(
                "bjbots", "cannot read the chart \(options.strategy): give basic, random, or the path of a CSV file", status: 65)
        }
        do {
            return try StrategyChart(
                csv: String(decoding: data, as: UTF8.self), doubleAfterSplit: rules.doubleAfterSplit)
        } catch {
            Console.fail("bjbots", "\(options.strategy), \(error)", status: 65)
        }
    }

    private func playAtRandom(_ simulator: Simulator) -> SimulationResult {
        guard let path = options.log else { return simulator.runAtRandom(log: { _ in }, progress: progress) }
        // Opened as it stands: a link is followed, a pipe or a device stays what it is.
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else {
            Console.fail("bjbots", "cannot write \(path): \(String(cString: strerror(errno)))", status: 74)
        }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        do {
            var buffer = Data()
            let result = try simulator.runAtRandom(
                log: { line in
                    buffer.append(contentsOf: line.utf8)
                    buffer.append(UInt8(ascii: "\n"))
                    guard buffer.count > 1 << 16 else { return }
                    try file.write(contentsOf: buffer)
                    buffer.removeAll(keepingCapacity: true)
                }, progress: progress)
            try file.write(contentsOf: buffer)
            try file.close()
            return result
        } catch {
            Console.fail("bjbots", "cannot write \(path): \(error.localizedDescription)", status: 74)
        }
    }

    /// A line that is written over and over, where somebody watches.
    private var progress: (@Sendable (Int) -> Void)? {
        guard isatty(2) == 1 else { return nil }
        let rounds = options.rounds
        return { played in
            if played < rounds { Console.write("\r\(played * 100 / rounds) % of \(rounds) rounds", to: 2) }
        }
    }

    private func clearProgress() { if progress != nil { Console.write("\r\u{1B}[K", to: 2) } }

    private static func text(_ result: SimulationResult) -> String {
        func percent(_ value: Double) -> String { "\((value * 100_000).rounded() / 1000) %" }
        func column(_ text: String) -> String { String(repeating: " ", count: max(1, 11 - text.count)) + text }
        func rounded(_ value: Double) -> String { "\((value * 10_000).rounded() / 10_000)" }
        var lines = [
            "rounds              \(result.rounds)",
            "hands               \(result.hands)",
            "initial bets        \(result.initialBets) chips",
            "wagered             \(result.wagered) chips",
            "net                 \(result.net) chips",
            "edge                \(percent(result.edge)) ± \(percent(result.standardError)) (the player's; negative: the house's)",
            "standard deviation  \(rounded(result.standardDeviation)) bets a round",
            "blackjacks \(result.blackjacks), busts \(result.busts), pushes \(result.pushes), surrenders \(result.surrenders), "
                + "splits \(result.splits), doubles \(result.doubles)",
            "insurance           \(result.insuranceBets) bets, net \(result.insuranceNet) chips",
            "dealer's finals     up" + SimulationResult.Finals.names.map { column($0) }.joined(),
        ]
        for (up, finals) in zip(SimulationResult.upCards, result.dealerFinals) {
            let total = max(1, finals.counts.reduce(0, +))
            let shares = finals.counts.map { percent(Double($0) / Double(total)) }
            lines.append("                    \(up == "10" ? up : " " + up)" + shares.map(column).joined())
        }
        lines.append("\(rounded(result.seconds)) seconds, \(Int(result.handsPerSecond)) hands a second")
        return lines.joined(separator: "\n")
    }
}
