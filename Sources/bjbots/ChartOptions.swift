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
            H hit, S stand, D double, P split, R surrender. A second letter applies where the first is not allowed: Ds means double, \
            else stand. No change of a single cell would raise the exact edge.
            """)
        command.option(
            "--rules", \.rules, SimulateOptions.rulesFormat, value: "FILE|PRESET", short: "r", help: "The house rules.")
        command.flag("--csv", \.csv, help: "Prints a CSV file for 'bjbots simulate --strategy'.")
        command.example("bjbots chart --rules single-deck --csv > mine.csv", "save a chart to edit")
        command.exitStatus(65, "The rules are invalid.")
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
