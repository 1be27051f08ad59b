import Foundation

@testable import TerminalUI

/// A pseudo-terminal: the session has one end, and this draws the other one into a grid.
final class PseudoTerminal {
    let terminal: Terminal
    private let master: Int32
    private let slave: Int32
    private var isConnected = true
    private(set) var grid: TerminalGrid

    init(columns: Int, rows: Int) throws {
        (master, slave) = try Self.makePair()
        terminal = Terminal(input: slave, output: slave)
        grid = TerminalGrid(columns: columns, rows: rows)
        resize(columns: columns, rows: rows)
    }

    private static func makePair() throws -> (master: Int32, slave: Int32) {
        #if canImport(Glibc)
            // Glibc hides `posix_openpt` without a feature macro. Linux, tty_ioctl(4): TIOCSPTLCK unlocks, TIOCGPTN is the slave's number.
            let (unlock, getNumber): (UInt, UInt) = (0x4004_5431, 0x8004_5430)
            let master = open("/dev/ptmx", O_RDWR | O_NOCTTY)
            var (lock, number): (Int32, Int32) = (0, 0)
            let isReady = ioctl(master, unlock, &lock) == 0 && ioctl(master, getNumber, &number) == 0
            let slave = isReady ? open("/dev/pts/\(number)", O_RDWR | O_NOCTTY) : -1
        #else
            let master = posix_openpt(O_RDWR | O_NOCTTY)
            let isReady = grantpt(master) == 0 && unlockpt(master) == 0
            let slave = isReady ? open(ptsname(master), O_RDWR | O_NOCTTY) : -1
        #endif
        guard slave >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        return (master, slave)
    }

    /// Sets the size. The kernel's signal goes to the foreground process alone: a test sends its own.
    func resize(columns: Int, rows: Int) {
        var size = winsize()
        (size.ws_col, size.ws_row) = (UInt16(columns), UInt16(rows))
        _ = ioctl(slave, UInt(TIOCSWINSZ), &size)
        if columns > 0 { grid.resize(columns: columns, rows: rows) }
    }

    func press(_ keys: String) { writeAll(keys, to: master) }

    /// Whether the screen looks so, sooner or later.
    func shows(where isRight: (TerminalGrid) -> Bool) -> Bool {
        while !isRight(grid) {
            guard let chunk = readChunk(master) else { return false }
            grid.feed(chunk)
        }
        return true
    }

    func shows(_ words: String) -> Bool { shows { $0.text.contains(words) } }

    /// Draws what a session that has ended, or waits, has written.
    func drawRest() { while let chunk = readChunk(master, timeout: 0) { grid.feed(chunk) } }

    /// Modes as numbers: input, output, control, local.
    var modes: [UInt] {
        var settings = termios()
        guard tcgetattr(slave, &settings) == 0 else { return [] }
        return [settings.c_iflag, settings.c_oflag, settings.c_cflag, settings.c_lflag].map { UInt($0) }
    }

    /// True when single keys arrive, without echo, and control keys still raise signals.
    var isRaw: Bool {
        guard let local = modes.last else { return false }
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

    init(columns: Int, rows: Int) { resize(columns: columns, rows: rows) }

    mutating func resize(columns: Int, rows: Int) {
        cells = Array(repeating: Array(repeating: " ", count: columns), count: rows)
    }

    var lines: [String] { cells.map { String($0) } }
    var text: String { lines.joined(separator: "\n") }
    /// The hint line: the last but one, where the hints fit one line.
    var hints: String { lines[lines.count - 2].trimmingCharacters(in: .whitespaces) }

    mutating func feed(_ bytes: [UInt8]) {
        pending += bytes
        while let count = take(pending) { pending.removeFirst(count) }
    }

    /// Carries out the first character or sequence.
    /// - Returns: its length in bytes; nil while it is incomplete.
    private mutating func take(_ bytes: [UInt8]) -> Int? {
        guard let first = bytes.first else { return nil }
        guard first == 0x1B else {
            let length = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
            guard bytes.count >= length else { return nil }
            put(Character(String(decoding: bytes.prefix(length), as: UTF8.self)))
            return length
        }
        guard let end = bytes.dropFirst(2).firstIndex(where: { (0x40...0x7E).contains($0) }) else { return nil }
        control(String(decoding: bytes[2..<end], as: UTF8.self), bytes[end])
        return end + 1
    }

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

    private mutating func control(_ parameters: String, _ final: UInt8) {
        let numbers = parameters.split(separator: ";").map { Int($0) ?? 0 }
        switch (parameters, Character(Unicode.Scalar(final))) {
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
