import CommandLineKit
import RoundSimulation
import Rules

/// Options of `bjbots simulate`.
struct SimulateOptions: Sendable {
    var rules = "default"
    var strategy = "basic"
    var rounds = 1_000_000
    var seed: UInt64 = 1
    var seats = 1
    var bet: Int?
    var threads = 1
    var json = false
    var csv = false
    var log: String?
    var count: CountingSystem?
    var ramp: [CountedPlay.Bet]?
    var leaveBelow: Int?
    var bankroll: Int?

    static let command = Command<SimulateOptions, BotsProgram>(
        "simulate", "Plays rounds on the real table engine, without a network.", defaults: SimulateOptions(),
        program: BotsProgram.simulate, declare: declare)

    private static func declare(_ command: inout Command<SimulateOptions, BotsProgram>) {
        command.discussion(
            """
            The same seed gives the same results with any number of threads. A strategy chart is a CSV file: the first line has the chart's name and \
            the up cards, followed by the rows 'hard 5' to 'hard 21', 'soft 13' to 'soft 21', 'pair 2' to 'pair 10' and 'pair A', with cells \
            H S D Ds P Ph Pd Rh Rs Rp. Lines with # are comments; the line 'take insurance' means that insurance is taken.

            SIGINT (Ctrl-C) and SIGTERM stop the run and print the results so far, marked as partial.

            'basic' is the best chart for the rules. 'random' chooses uniformly among the legal actions, including insurance.

            With --count one seat counts the cards. The true count before a round decides its bet: the running count, divided by the decks not \
            seen, rounded down. There is a line for each count, the last ones with those beyond, then the win and its risk, with standard errors. \
            'composition' plays by the exact cards of the hand, 'indexes' by the true counts of 'bjbots chart --count'.
            """)
        command.option("--rules", \.rules, rulesFormat, value: "FILE|PRESET", short: "r", help: "The house rules.")
        command.option(
            "--strategy", \.strategy,
            .text(upTo: 4096).completing(.words(["basic", "composition", "indexes", "random"], orFiles: true)),
            value: "FILE|WORD", short: "s", help: "Strategy to play: basic, random or, with --count, composition or indexes.")
        command.option("--rounds", \.rounds, .int(1...1_000_000_000_000), short: "n", help: "Number of rounds.")
        command.option("--seed", \.seed, .int(), help: "Seed of the shoes.")
        command.option("--seats", \.seats, .int(1...7), help: "Number of seats that play.")
        command.option(
            "--bet", \.bet, .int(1...1_000_000_000), help: "Bet per seat and round. Default: the minimum bet.")
        command.option("--threads", \.threads, .int(1...1024), short: "j", help: "Number of threads.")
        command.option("--count", \.count, ChartOptions.countFormat, value: "SYSTEM", help: "Counts the cards.")
        command.option(
            "--ramp", \.ramp, rampFormat, value: "COUNT:BET,...",
            help: "With --count: bets from true counts up; the first one also below. Default: the same bet.")
        command.option(
            "--leave-below", \.leaveBelow, .int(-10...0), value: "COUNT",
            help: "With --count: at lower true counts goes to another shoe.")
        command.option(
            "--bankroll", \.bankroll, .int(1...1_000_000_000_000), value: "CHIPS",
            help: "With --count: adds the risk to lose them.")
        command.flag("--json", \.json, help: "Prints one JSON object.")
        command.flag("--csv", \.csv, help: "Prints a table for spreadsheets.")
        command.option(
            "--log", \.log, .path,
            help: "With --strategy random: writes a JSON object per round, to verify each settlement.")
        command.example(
            "bjbots simulate --rules vegas-strip --rounds 10000000 --threads 2",
            "the loss of basic strategy on the Las Vegas Strip")
        command.example(
            "bjbots simulate --count hi-lo --ramp '0:10,1:20,2:50,3:100' --bankroll 10000 --strategy indexes",
            "a counter's win and risk")
        command.example("bjbots simulate --strategy random --rounds 1000 --log rounds.jsonl", "rounds for your own checker")
        command.exitStatus(65, "The rules or the chart are invalid.")
        command.exitStatus(130, "Stopped by SIGINT; the results are partial.")
        command.exitStatus(143, "Stopped by SIGTERM.")
        command.exitStatus(74, "The log cannot be written.")
    }

    static let rulesFormat = ValueFormat<String>.text(upTo: 4096)
        .completing(.words(["default"] + HouseRules.presetNames, orFiles: true))

    private static let rampFormat = ValueFormat<[CountedPlay.Bet]>(
        "COUNT:BET,...", expected: "bets at rising true counts from -10 to 10: 0:10,1:20,2:50"
    ) { text in
        let steps = text.split(separator: ",", omittingEmptySubsequences: false).compactMap { step -> CountedPlay.Bet? in
            let words = step.split(separator: ":", omittingEmptySubsequences: false).map { Int($0) }
            guard words.count == 2, let from = words[0], let bet = words[1], (-10...10).contains(from) else { return nil }
            return CountedPlay.Bet(from: from, chips: bet)
        }
        let isWhole = steps.count == 1 + text.count { $0 == "," }
        return isWhole && zip(steps, steps.dropFirst()).allSatisfy { $0.from < $1.from } ? steps : nil
    } print: { steps in
        steps.map { "\($0.from):\($0.chips)" }.joined(separator: ",")
    }
}
