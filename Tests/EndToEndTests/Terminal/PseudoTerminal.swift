import Dispatch
import Foundation
import TestKit

@testable import TerminalUI

/// A pseudo-terminal: the session has one end, and this draws the other one into a grid.
final class PseudoTerminal {
    let terminal: Terminal
    private let master: Int32
    private let slave: Int32
    private var isConnected = true
    private(set) var grid: TerminalScreen
    /// ``modes`` at the beginning.
    private(set) var modesBefore: [UInt] = []

    init(columns: Int, rows: Int) throws {
        let path: String
        (master, path) = try TerminalDevice.open()
        slave = open(path, O_RDWR | O_NOCTTY)
        guard slave >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        terminal = Terminal(input: slave, output: slave)
        grid = TerminalScreen(columns: columns, rows: rows)
        resize(columns: columns, rows: rows)
        modesBefore = modes
    }

    /// Sets the size. The kernel's signal goes to the foreground process alone: a test sends its own.
    func resize(columns: Int, rows: Int) {
        TerminalDevice.resize(slave, columns: columns, rows: rows)
        if columns > 0 { grid.resize(columns: columns, rows: rows, keepsText: false) }
    }

    func press(_ keys: String) { writeAll(keys, to: master) }

    /// Whether the screen looks so, sooner or later. Looks at each frame, so that a reader that is late misses none.
    /// - Returns: false after a minute without output, or after two minutes: a screen with a clock is never silent.
    func shows(where isRight: (TerminalScreen) -> Bool) -> Bool {
        let end = DispatchTime.now() + .seconds(120)
        while !isRight(grid) {
            if grid.drawFrame() { continue }
            guard DispatchTime.now() < end, let chunk = readChunk(master) else { return false }
            grid.append(chunk)
        }
        return true
    }

    func shows(_ words: String) -> Bool { shows { $0.text.contains(words) } }

    /// Draws what a session that has ended, or waits, has written.
    func drawRest() {
        while let chunk = readChunk(master, timeout: 0) { grid.append(chunk) }
        while grid.drawFrame() {}
    }

    /// As ``TerminalDevice/modes(_:)``.
    var modes: [UInt] { TerminalDevice.modes(slave) }

    /// True when single keys arrive, without echo, and control keys still raise signals.
    var isRaw: Bool {
        guard let local = modes.dropFirst(3).first else { return false }
        return local & UInt(ICANON | ECHO) == 0 && local & UInt(ISIG) != 0
    }

    /// Closes the terminal's window.
    func hangUp() {
        guard isConnected else { return }
        isConnected = false
        close(master)
    }

    // The session's end stays open: its reader may still use it, and must not meet a descriptor of another test.
    deinit { hangUp() }
}

/// Starts a session at a screen of this size.
func startSession(
    _ port: Int, columns: Int = 80, rows: Int = 24, name: TableSession.Name = .given("ann"),
    change: (inout TableSession.Options) -> Void = { _ in }
) throws -> (PseudoTerminal, SessionRun) {
    let screen = try PseudoTerminal(columns: columns, rows: rows)
    return (screen, SessionRun(port: port, terminal: screen.terminal, name: name, change: change))
}
