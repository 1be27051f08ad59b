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
    private(set) var grid: TerminalGrid
    /// ``modes`` at the beginning.
    private(set) var modesBefore: [UInt] = []

    init(columns: Int, rows: Int) throws {
        let path: String
        (master, path) = try TerminalDevice.open()
        slave = open(path, O_RDWR | O_NOCTTY)
        guard slave >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        terminal = Terminal(input: slave, output: slave)
        grid = TerminalGrid(columns: columns, rows: rows)
        resize(columns: columns, rows: rows)
        modesBefore = modes
    }

    /// Sets the size. The kernel's signal goes to the foreground process alone: a test sends its own.
    func resize(columns: Int, rows: Int) {
        TerminalDevice.resize(slave, columns: columns, rows: rows)
        if columns > 0 { grid.resize(columns: columns, rows: rows) }
    }

    func press(_ keys: String) { writeAll(keys, to: master) }

    /// Whether the screen looks so, sooner or later. Looks at each frame, so that a reader that is late misses none.
    /// - Returns: false after a minute without output, or after two minutes: a screen with a clock is never silent.
    func shows(where isRight: (TerminalGrid) -> Bool) -> Bool {
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

/// The screen of a terminal, as far as a session controls it. Every character is one column wide.
struct TerminalGrid {
    private(set) var isAlternate = false
    private(set) var isCursorShown = true
    private(set) var wrapsLines = true
    /// How often the whole screen was cleared.
    private(set) var clearCount = 0
    private var cells: [[Character]] = []
    private var row = 0
    private var column = 0
    private var pending: [UInt8] = []
    /// Bytes of `pending` that are drawn.
    private var drawn = 0

    init(columns: Int, rows: Int) { resize(columns: columns, rows: rows) }

    mutating func resize(columns: Int, rows: Int) {
        cells = Array(repeating: Array(repeating: " ", count: columns), count: rows)
    }

    var lines: [String] { cells.map { String($0) } }
    var text: String { lines.joined(separator: "\n") }

    /// Adds output to what is yet to be drawn.
    mutating func append(_ bytes: [UInt8]) {
        pending.removeFirst(drawn)
        drawn = 0
        pending += bytes
    }

    /// Draws the rest of a frame, up to the next one or to the end of the output so far.
    /// - Returns: false if nothing was drawn.
    mutating func drawFrame() -> Bool {
        let start = drawn
        while let next = next() {
            switch next {
            case .character(let character, let length):
                put(character)
                drawn += length
            case .control(let parameters, let final, let length):
                // A frame is drawn from its top: it begins where the cursor goes up.
                if final == "H", drawn > start, row(of: parameters) <= row { return true }
                control(parameters, final)
                drawn += length
            }
        }
        return drawn > start
    }

    private enum Piece {
        case character(Character, length: Int)
        case control(parameters: String, final: Character, length: Int)
    }

    /// The first character or sequence that is not drawn; nil while it is incomplete.
    private func next() -> Piece? {
        guard drawn < pending.count else { return nil }
        let first = pending[drawn]
        guard first == 0x1B else {
            let length = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
            guard pending.count - drawn >= length else { return nil }
            return .character(Character(String(decoding: pending[drawn..<drawn + length], as: UTF8.self)), length: length)
        }
        guard let end = pending[drawn...].dropFirst(2).firstIndex(where: { (0x40...0x7E).contains($0) }) else { return nil }
        return .control(
            parameters: String(decoding: pending[drawn + 2..<end], as: UTF8.self), final: Character(Unicode.Scalar(pending[end])),
            length: end + 1 - drawn)
    }

    private func row(of parameters: String) -> Int { (parameters.split(separator: ";").first.flatMap { Int($0) } ?? 1) - 1 }

    private mutating func put(_ character: Character) {
        switch character {
        case "\r": column = 0
        case "\n" where row >= cells.count - 1:
            cells.removeFirst()
            cells.append(Array(repeating: " ", count: cells[0].count))
        case "\n": row += 1
        default:
            if cells.indices.contains(row), cells[row].indices.contains(column) { cells[row][column] = character }
            column += 1
        }
    }

    private mutating func control(_ parameters: String, _ final: Character) {
        let numbers = parameters.split(separator: ";").map { Int($0) ?? 0 }
        switch (parameters, final) {
        case (_, "H"): (row, column) = ((numbers.first ?? 1) - 1, (numbers.last ?? 1) - 1)
        case (_, "G"): column = (numbers.first ?? 1) - 1
        case ("2", "J"):
            clearCount += 1
            resize(columns: cells[0].count, rows: cells.count)
        case (_, "K") where cells.indices.contains(row):
            for index in cells[row].indices.dropFirst(column) { cells[row][index] = " " }
        case ("?1049", let end): isAlternate = end == "h"
        case ("?25", let end): isCursorShown = end == "h"
        case ("?7", let end): wrapsLines = end == "h"
        default: break
        }
    }
}
