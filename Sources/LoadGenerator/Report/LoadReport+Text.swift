import Measuring

extension LoadReport {
    /// The report for people, without a final line break.
    public var text: String {
        var rows: [String] = []
        rows.append("\(target) (\(server)), \(fixed(seconds, 1)) s, seed \(seed)" + (isInterrupted ? ", interrupted" : ""))
        for phase in plan { rows.append("  \(phase)") }
        rows.append(
            "bots          \(grouped(honestBots)) honest, \(grouped(hostileBots)) hostile, at most \(grouped(peakConnected)) connected"
        )
        rows.append(
            "played        \(grouped(rounds)) rounds (\(fixed(roundsPerSecond, 1))/s), \(grouped(hands)) hands, net \(grouped(net)) chips"
        )
        if let (fewest, most) = roundsOfATable {
            rows.append("tables        \(grouped(roundsByTable.count)), with \(grouped(fewest)) to \(grouped(most)) rounds each")
        }
        rows.append("actions       \(grouped(actions)) (\(fixed(actionsPerSecond, 1))/s), \(grouped(sessions)) sessions")
        rows.append(
            "shoes         \(grouped(shoes.verified)) verified, \(grouped(shoes.failed)) failed, \(grouped(shoes.unproven)) unproven; each bot judges its own"
        )
        rows.append("processor     \(processorWords)")
        rows.append("judged        \(grouped(lines)) lines, \(grouped(violationCount)) violations")
        rows.append("errors        \(grouped(errorCount)), disconnects \(disconnects), unanswered \(latency.unanswered)")
        for (error, count) in errors.sorted(by: { ($1.value, $0.key) < ($0.value, $1.key) }).prefix(10) {
            rows.append("  \(count) × \(error)")
        }
        rows.append("")
        rows.append(Self.row("latency", Self.percentiles.map(\.name) + ["max", "mean"]))
        rows.append(Self.row("  corrected", Self.cells(latency.corrected)))
        rows.append(Self.row("  raw", Self.cells(latency.raw)))
        rows.append(Self.row("  generator lag", Self.cells(latency.lag)))
        rows.append(Self.row("  join", Self.cells(join.corrected)))
        rows += hostileLines
        rows += violations.prefix(10).map { "violation: \($0)" }
        rows += verdicts.map { "\($0.holds ? "held  " : "FAILED") \($0.threshold.text) (\(Self.shown($0)))" }
        rows += warnings.map { "warning: \($0)" }
        if let invalid { rows.append("INVALID: \(invalid)" + (verdicts.isEmpty ? "" : "; what held or failed is worth nothing")) }
        return rows.joined(separator: "\n")
    }

    /// Fewest and most rounds of a table; nil without tables.
    var roundsOfATable: (fewest: Int, most: Int)? {
        guard let fewest = roundsByTable.values.min(), let most = roundsByTable.values.max() else { return nil }
        return (fewest, most)
    }

    /// How much the two sides have used, per action: whichever takes more is the bottleneck where each has a processor.
    private var processorWords: String {
        let own = "\(spoken(microseconds: tenths(generatorPerAction))) an action for the generator"
        guard let theirs = serverPerAction else { return own }
        let ratio = generatorPerAction > 0 ? ", \(fixed(theirs / generatorPerAction, 2)) times as much" : ""
        return own + ", \(spoken(microseconds: tenths(theirs))) for the server\(ratio)"
    }

    private var hostileLines: [String] {
        guard !hostile.isEmpty else { return [] }
        return [""]
            + HostileKind.allCases.compactMap { kind in
                hostile[kind].map { tally in
                    let answers = tally.answers.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(4)
                        .map { "\($0.key) \(grouped($0.value))" }
                    let name = kind.rawValue + String(repeating: " ", count: max(1, 18 - kind.rawValue.count))
                    return "\(name)\(tally.bots) bots, \(grouped(tally.connections)) connections, \(grouped(tally.sent)) sent, "
                        + "cut off \(grouped(tally.cutOff)); answers: \(answers.isEmpty ? "none" : answers.joined(separator: ", "))"
                }
            }
    }

    private static func cells(_ histogram: Histogram) -> [String] {
        guard !histogram.isEmpty else { return ["–"] }
        return percentiles.map { spoken(microseconds: Double(histogram.value(at: $0.percentile))) }
            + [spoken(microseconds: Double(histogram.max)), spoken(microseconds: histogram.mean)]
    }

    private static func row(_ head: String, _ cells: [String]) -> String {
        cells.reduce(head + String(repeating: " ", count: max(1, 16 - head.count))) { text, cell in
            text + String(repeating: " ", count: max(1, 10 - cell.count)) + cell
        }
    }

    /// A threshold's figure for people.
    static func shown(_ verdict: Verdict) -> String {
        guard let value = verdict.value else { return "nothing was measured" }
        return verdict.threshold.metric.isTime ? spoken(microseconds: value) : plain(value)
    }
}

private func tenths(_ value: Double) -> Double { (value * 10).rounded() / 10 }
