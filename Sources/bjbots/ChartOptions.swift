import CommandLineKit
import Foundation
import LoadGenerator
import Odds
import Rules

/// `bjbots chart`: the best chart for a house's rules.
struct ChartOptions: Sendable {
    var rules = "default"
    var csv = false
    var count: CountingSystem?
    var json = false

    static let command = Command<ChartOptions, BotsProgram>(
        "chart", "Prints the best strategy chart.", defaults: ChartOptions(), program: BotsProgram.chart
    ) { command in
        command.discussion(
            """
            H hit, S stand, D double, P split, R surrender. A second letter applies where the first is not allowed: Ds means double, \
            else stand. No change of a single cell would raise the exact edge.

            With --count, the true counts at which a cell's play changes: '10: H 0.1 S' means that against a ten one hits below 0.1 and stands \
            from there up. The count includes all cards seen, the hand's own too; half the shoe is dealt. Cells without a change are left out.
            """)
        command.option(
            "--rules", \.rules, SimulateOptions.rulesFormat, value: "FILE|PRESET", short: "r", help: "The house rules.")
        command.flag("--csv", \.csv, help: "Prints a CSV file for 'bjbots simulate --strategy'.")
        command.option(
            "--count", \.count, countFormat, value: "SYSTEM",
            help: "Prints the true counts of \(systems.joined(separator: ", ")) at which plays change.")
        command.flag("--json", \.json, help: "With --count: prints one JSON object, with all cells.")
        command.example("bjbots chart --count hi-lo", "when the count changes a play")
        command.example("bjbots chart --rules single-deck --csv > mine.csv", "save a chart to edit")
        command.exitStatus(65, "The rules are invalid.")
    }

    /// The balanced ones, which have a true count.
    private static let systems = CountingSystem.all.filter(\.isBalanced).map(\.name)

    static let countFormat = ValueFormat<CountingSystem>(
        "SYSTEM", expected: "a system with a true count: \(systems.joined(separator: ", "))", completion: .words(systems)
    ) { text in
        CountingSystem(name: text).flatMap { $0.isBalanced ? $0 : nil }
    } print: {
        $0.name
    }

    func run() -> Never {
        if csv && count != nil { Console.fail("bjbots", "--csv is for a chart, without --count", status: 64) }
        if json && count == nil { Console.fail("bjbots", "--json needs --count", status: 64) }
        let house = Simulate.rules(rules)
        if let count {
            let indexes = CountIndexes(of: count, under: house)
            Console.print(json ? Origin(rules: house).before(indexes.json(count)) : indexes.text)
            exit(0)
        }
        let chart = StrategyChart(derivedFor: house)
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

extension CountIndexes {
    /// A line for each row with a change.
    var text: String {
        var lines = [(name: "insurance", cells: insurance.map { "from " + fixed($0, 1) } ?? "never")]
        for cell in cells where cell.plays.count > 1 {
            let plays = cell.plays.dropFirst().map { "\(fixed($0.from, 1)) \($0.play.text)" }.joined(separator: " ")
            let text = "\(OddsOptions.Report.name(cell.up)): \(cell.plays[0].play.text) \(plays)"
            if lines.last?.name != cell.row.text { lines.append((cell.row.text, "")) }
            lines[lines.count - 1].cells += (lines[lines.count - 1].cells.isEmpty ? "" : "   ") + text
        }
        return lines.map { $0.name + String(repeating: " ", count: max(1, 11 - $0.name.count)) + $0.cells }.joined(
            separator: "\n")
    }

    func json(_ system: CountingSystem) -> String {
        let cells = cells.map { cell in
            let changes = cell.plays.dropFirst().map { "{\"from\":\($0.from),\"play\":\"\($0.play.text)\"}" }.joined(
                separator: ",")
            let up = OddsOptions.Report.name(cell.up)
            let head = "\"hand\":\"\(cell.row.text)\",\"up\":\"\(up)\",\"play\":\"\(cell.plays[0].play.text)\""
            return "{\(head),\"changes\":[\(changes)]}"
        }
        let insurance = insurance.map { "\($0)" } ?? "null"
        return "{\"count\":\"\(system.name)\",\"insurance\":\(insurance),\"cells\":[\(cells.joined(separator: ","))]}"
    }
}
