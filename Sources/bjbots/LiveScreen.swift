import Bots
import CommandLineKit

/// Tells on standard error how a run goes: one screen that is drawn over and over at a terminal, a line every few seconds otherwise.
final class LiveScreen: @unchecked Sendable {  // used on the run's queue alone
    private let isTerminal: Bool
    private var drawn = 0
    private var looks = 0

    init(isTerminal: Bool) { self.isTerminal = isTerminal }

    func show(_ progress: LoadRun.Progress, metrics: [String]) {
        looks += 1
        if isTerminal {
            let lines = progress.screen + metrics.map { "  \($0)" }
            Console.write((drawn > 0 ? "\u{1B}[\(drawn)A\u{1B}[J" : "") + lines.joined(separator: "\n") + "\n", to: 2)
            drawn = lines.count
        } else if looks % 5 == 1 {
            Console.printError(progress.line)
            for metric in metrics.prefix(4) { Console.printError("  server: \(metric)") }
        }
    }

    /// Takes the screen away, for the report to stand there.
    func clear() {
        if drawn > 0 { Console.write("\u{1B}[\(drawn)A\u{1B}[J", to: 2) }
        drawn = 0
    }
}
