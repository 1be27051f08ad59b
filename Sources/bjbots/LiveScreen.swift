import CommandLineKit
import Foundation
import LoadGenerator
import Synchronization

/// Tells on standard error how a run goes: one screen that is drawn over and over at a terminal, a line every few seconds otherwise.
final class LiveScreen: Sendable {
    private let isTerminal: Bool
    private let state = Mutex((frame: LiveFrame(), looks: 0))

    init(isTerminal: Bool) { self.isTerminal = isTerminal }

    func show(_ progress: LoadRun.Progress) {
        state.withLock { state in
            state.looks += 1
            if isTerminal {
                let size = Self.size
                Console.write(state.frame.draw(progress.screen, width: size.columns, height: size.rows), to: 2)
            } else if state.looks % 5 == 1 {
                for line in [progress.line] + progress.server { Console.printError(line) }
            }
        }
    }

    /// Restores the former screen; the report goes below its text.
    func clear() { Console.write(state.withLock { $0.frame.end() }, to: 2) }

    /// As it is now: somebody may have made the window larger or smaller.
    private static var size: (columns: Int, rows: Int) {
        guard let size = Console.windowSize(of: 2), size.rows > 1 else { return (80, 24) }
        return size
    }
}
