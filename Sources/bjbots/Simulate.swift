import CommandLineKit
import Dispatch
import Foundation
import Odds
import RoundSimulation
import Rules
import Sockets
import Synchronization
import Wire

/// Plays a simulation and reports.
struct Simulate: Sendable {
    private let options: SimulateOptions
    /// The first signal that came.
    private static let interruption = Atomic<Int32>(0)

    init(_ options: SimulateOptions) { self.options = options }

    func run() -> Never {
        if let fault = options.fault { Console.fail("bjbots", fault, status: 64) }
        let rules = Self.rules(options.rules)
        let simulator = Console.orFail("bjbots", status: 64) {
            try Simulator(
                rules: rules, chart: Self.chart(options.strategy, for: rules), rounds: options.rounds, seed: options.seed,
                seats: options.seats, bet: options.bet, threads: options.threads, counting: options.counting(under: rules))
        }
        // Opened before signals are caught: a pipe waits here for its reader.
        let log = options.log.map { path in Console.orFail("bjbots", status: 74) { try OutputFile(path) } }
        let signals = Signals.observe([SIGINT, SIGTERM]) { signal in
            // The second one does not wait for anything.
            if !Self.interruption.compareExchange(expected: 0, desired: signal, ordering: .relaxed).exchanged {
                exit(128 + signal)
            }
        }
        // Off the main thread, which hears the signals.
        DispatchQueue(label: "bj.simulator").async { play(simulator, log) }
        withExtendedLifetime(signals) { dispatchMain() }
    }

    private func play(_ simulator: Simulator, _ log: OutputFile?) -> Never {
        let isStopped: @Sendable () -> Bool = { Self.interruption.load(ordering: .relaxed) != 0 }
        let result =
            options.strategy == "random"
            ? playAtRandom(simulator, log, until: isStopped) : simulator.run(progress: progress, until: isStopped)
        clearProgress()
        let origin = Origin(rules: simulator.rules, seed: options.seed)
        Console.print(
            options.json
                ? origin.before(result.json)
                : options.csv ? origin.comment + result.csv : Self.text(result, of: options.rounds))
        exit(result.isPartial ? 128 + Self.interruption.load(ordering: .relaxed) : 0)
    }

    /// Exits where they are faulty.
    static func rules(_ name: String) -> HouseRules {
        if name == "default" { return HouseRules() }
        return Console.orFail("bjbots", status: 65) {
            try RulesSource.load(name) { try RegularFile.read($0, upTo: RulesSource.limit) }
        }
    }

    /// Exits where it is faulty.
    static func chart(_ strategy: String, for rules: HouseRules) -> StrategyChart {
        switch strategy {
        case "basic": return StrategyChart(derivedFor: rules)
        // Not looked at.
        case "random", "composition", "indexes": return StrategyChart(name: strategy, doubleAfterSplit: rules.doubleAfterSplit)
        default:
            let others = "; expected basic, random, or the path of a CSV file"
            return chart(file: strategy, doubleAfterSplit: rules.doubleAfterSplit, orElse: others)
        }
    }

    /// Exits where it is faulty.
    static func chart(file: String, doubleAfterSplit: Bool = true, orElse others: String = "") -> StrategyChart {
        do {
            return try StrategyChart(csv: Console.text(of: file), doubleAfterSplit: doubleAfterSplit)
        } catch let fault as FileFault {
            Console.fail("bjbots", "\(fault)\(others)", status: 65)
        } catch {
            Console.fail("bjbots", "\(file), \(error)", status: 65)
        }
    }

    private func playAtRandom(_ simulator: Simulator, _ log: OutputFile?, until isStopped: () -> Bool) -> SimulationResult {
        guard let log else { return simulator.runAtRandom(log: { _ in }, progress: progress, until: isStopped) }
        var buffer = ""
        do throws(FileFault) {
            let result = try simulator.runAtRandom(
                log: { line throws(FileFault) in
                    buffer += line + "\n"
                    guard buffer.utf8.count > 1 << 16 else { return }
                    try log.append(buffer)
                    buffer.removeAll(keepingCapacity: true)
                }, progress: progress, until: isStopped)
            try log.append(buffer)
            try log.close()
            return result
        } catch {
            clearProgress()
            Console.fail("bjbots", error, status: 74)
        }
    }

    /// A line that is written over and over, where somebody watches.
    private var progress: (@Sendable (Int) -> Void)? {
        guard isatty(2) == 1 else { return nil }
        let rounds = options.rounds
        return { played in
            if played < rounds { Console.write("\r\(played * 100 / rounds)% of \(rounds) rounds", to: 2) }
        }
    }

    private func clearProgress() { if progress != nil { Console.write("\r\u{1B}[K", to: 2) } }

    fileprivate static func percent(_ value: Double) -> String { "\((value * 100_000).rounded() / 1000)%" }
    fileprivate static func rounded(_ value: Double) -> String { "\((value * 10_000).rounded() / 10_000)" }

    private static func text(_ result: SimulationResult, of rounds: Int) -> String {
        var lines = result.isPartial ? ["PARTIAL             stopped after \(result.rounds) of \(rounds) rounds"] : []
        lines += [
            "rounds              \(result.rounds)",
            "hands               \(result.hands)",
            "initial bets        \(result.initialBets) chips",
            "wagered             \(result.wagered) chips",
            "net                 \(result.net) chips",
            "edge                \(percent(result.edge)) ± \(percent(result.standardError)) (for the player; negative favours the house)",
            "standard deviation  \(rounded(result.standardDeviation)) bets per round",
            "blackjacks paid \(result.blackjacks), busts \(result.busts), pushes \(result.pushes), surrenders \(result.surrenders), "
                + "splits \(result.splits), doubles \(result.doubles)",
            "insurance           \(result.insuranceBets) bets, net \(result.insuranceNet) chips",
            "\(rounded(result.seconds)) seconds, \(Int(result.handsPerSecond)) hands per second",
        ]
        return (lines + (result.counts?.lines ?? [])).joined(separator: "\n")
    }
}

/// The inputs of figures beside the arguments: with them anybody computes the same ones.
struct Origin {
    let rules: HouseRules
    /// nil: nothing is drawn at random.
    var seed: UInt64?

    /// A JSON object with the origin as its first members.
    func before(_ json: String) -> String {
        let seed = seed.map { "\($0)" } ?? "null"
        return "{\"version\":\"\(Release.version)\",\"seed\":\(seed),\"rules\":\"\(rules.digestText)\"," + json.dropFirst()
    }

    /// The first line of a CSV file.
    var comment: String { "# bjbots \(Release.version), seed \(seed ?? 0), rules \(rules.digestText)\n" }
}

extension SimulateOptions {
    /// Why options do not go together; nil: they do.
    fileprivate var fault: String? {
        if log != nil && strategy != "random" { return "--log is valid with --strategy random only" }
        if json && csv { return "--json and --csv exclude each other" }
        if count != nil { return strategy == "random" ? "--count is for a strategy, not for random play" : nil }
        if ["composition", "indexes"].contains(strategy) { return "--strategy \(strategy) needs --count" }
        return ramp != nil || leaveBelow != nil || bankroll != nil ? "--ramp, --leave-below and --bankroll need --count" : nil
    }

    fileprivate func counting(under rules: HouseRules) -> CountedPlay? {
        count.map { system in
            let play: CountedPlay.Play =
                switch strategy {
                case "composition": .composition(CompositionPlay(under: rules))
                case "indexes": .indexes(CountIndexes(of: system, under: rules).charts(under: rules))
                default: .chart
                }
            let flat = [CountedPlay.Bet(from: 0, chips: bet ?? rules.minimumBet)]
            return CountedPlay(system: system, ramp: ramp ?? flat, leaveBelow: leaveBelow, bankroll: bankroll, play: play)
        }
    }
}

extension CountFigures {
    /// A table of the counts, then the win and its risk.
    fileprivate var lines: [String] {
        func line(_ cells: [String]) -> String {
            zip(cells, [7, 22, 9, 22, 20]).map { String(repeating: " ", count: max(1, $1 - $0.count)) + $0 }.joined()
        }
        func percent(_ figure: Estimate) -> String {
            [figure.value, figure.standardError].map(Simulate.percent).joined(separator: " ± ")
        }
        func plain(_ figure: Estimate) -> String {
            [figure.value, figure.standardError].map(Simulate.rounded).joined(separator: " ± ")
        }
        func whole(_ figure: Estimate) -> String {
            [figure.value, figure.standardError].map { Int(exactly: $0.rounded()).map { "\($0)" } ?? "\($0)" }.joined(
                separator: " ± ")
        }
        let rows = rows.map { row in
            line(["\(row.count)", percent(row.frequency), "\(row.bet)", percent(row.edge), plain(row.deviation)])
        }
        let figures = Dictionary(uniqueKeysWithValues: figures.map { ($0.name, $0.figure) })
        func row(
            _ label: String, _ name: String, _ text: (Estimate) -> String, _ unit: String, without: String = "nothing is won"
        ) -> String {
            let figure = figures[name] ?? nil
            return label + String(repeating: " ", count: 20 - label.count) + (figure.map { text($0) + unit } ?? without)
        }
        // Where nothing is won the formula has no error.
        func ruin(_ figure: Estimate) -> String { figure.standardError == 0 ? Simulate.percent(figure.value) : percent(figure) }
        let risk = row("risk of ruin", "ruin", ruin, " of \(bankroll ?? 0) chips, by formula")
        let trials = bankrolls.lost + bankrolls.doubled
        let lost = row(
            "", "simulatedRuin", percent, ", by \(trials) bankrolls lost or doubled",
            without: trials == 0
                ? "too few rounds to lose or double it" : "\(bankrolls.lost) of \(trials) bankrolls lost before they were doubled"
        )
        return ["", line(["count", "frequency", "bet", "edge", "deviation"])] + rows + [
            "", row("flat bets", "flatEdge", percent, " (the same play with one bet)"),
            row("win", "winPer100", plain, " chips in 100 rounds"),
            row("deviation", "deviationPer100", plain, " chips in 100 rounds"),
            row("N0", "n0", whole, " rounds until the win is one deviation"), row("SCORE", "score", plain, ""),
        ] + (bankroll == nil ? [] : [risk, lost])
    }
}
