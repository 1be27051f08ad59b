import CommandLineKit
import Foundation
import Odds
import Rules

/// `bjbots chart`: the best chart for a house's rules.
struct ChartOptions: Sendable {
    var rules = "default"
    var csv = false

    static let command = Command<ChartOptions, BotsProgram>(
        "chart", "Prints the best strategy chart.", defaults: ChartOptions(), program: BotsProgram.chart
    ) { command in
        command.discussion(
            """
            H hit, S stand, D double, P split, R surrender; a second letter is for a house or a hand that does not allow the first: Ds doubles, \
            else stands. No change of one cell would raise the exact edge, hands of three cards and after a split included.
            """)
        command.option(
            "--rules", \.rules, SimulateOptions.rulesFormat, value: "FILE|PRESET", short: "r", help: "The house rules.")
        command.flag("--csv", \.csv, help: "Prints a file for 'bjbots simulate --strategy'.")
        command.example("bjbots chart --rules single-deck --csv > mine.csv", "a chart to change")
        command.exitStatus(65, "the rules are faulty")
    }

    func run() -> Never {
        let chart = StrategyChart(derivedFor: Simulate.rules(rules))
        Console.printText(csv ? chart.csv : Self.grid(chart))
        exit(0)
    }

    static func grid(_ chart: StrategyChart) -> String {
        chart.csv.split(separator: "\n").map { line in
            let cells = line.split(separator: ",")
            return cells[0] + String(repeating: " ", count: max(1, 9 - cells[0].count))
                + cells.dropFirst().map { String(repeating: " ", count: max(1, 4 - $0.count)) + $0 }.joined()
        }.joined(separator: "\n") + "\n"
    }
}
