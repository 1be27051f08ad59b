import ClientCore
import Dispatch
import EventStreams
import Foundation
import Sockets
import Synchronization
import TestKit

@testable import TerminalUI

/// A table session at a terminal of the test's, with signals of the test's.
final class SessionRun: Sendable {
    /// Sessions live as long as the process, as in the program.
    private static let all = Mutex<[LoopConfined<TableSession>]>([])

    private let handle: LoopConfined<TableSession>
    private let signals: SignalBoard
    private let endings: AsyncStream<TableSession.Ending>
    private let endCount: Count

    /// Starts the session.
    init(
        port: Int, terminal: Terminal, name: TableSession.Name = .given("ann"),
        change: (inout TableSession.Options) -> Void = { _ in }
    ) {
        var options = TableSession.Options(host: "127.0.0.1", port: port, name: name)
        options.environment = ["TERM": "xterm", "LANG": "C.UTF-8"]
        // With the server's seed it determines the cards: no first hand is a blackjack, which leaves nothing to decide.
        options.client.contributionSeed = 1
        change(&options)
        let (endings, continuation) = AsyncStream.makeStream(of: TableSession.Ending.self)
        let (signals, count) = (SignalBoard(), Count())
        (self.endings, self.signals, endCount) = (endings, signals, count)
        handle = TableSession.start(options, terminal: terminal, signals: signals.signals) {
            count.increase()
            continuation.yield($0)
        }
        Self.all.withLock { [handle] in $0.append(handle) }
    }

    /// The session; inside `onQueue` only.
    var session: TableSession { handle.value }

    /// Waits for the end of the session.
    func ending() async -> TableSession.Ending? { await endings.first { _ in true } }

    /// How often the session has said that it ended.
    var endingCount: Int { onQueue { endCount.value } }
    /// How often the session has stopped the process.
    var stopCount: Int { onQueue { signals.stops.value } }

    func send(_ signal: Int32) { onQueue { signals.send(signal) } }

    /// Runs work on the session's queue, behind all that is queued there.
    func onQueue<Result: Sendable>(_ work: @Sendable () throws -> Result) rethrows -> Result {
        try handle.loop.performAndWait(work)
    }
}

/// A number that any thread may raise.
final class Count: Sendable {
    private let number = Atomic<Int>(0)
    var value: Int { number.load(ordering: .sequentiallyConsistent) }
    func increase() { number.add(1, ordering: .sequentiallyConsistent) }
}

/// Signals that reach one session only.
final class SignalBoard: Sendable {
    private typealias Handler = (queue: DispatchQueue, action: @Sendable () -> Void)
    private let handlers = Mutex<[Int32: Handler]>([:])
    let stops = Count()

    var signals: ProcessSignals {
        ProcessSignals { [self] number, queue, action in
            handlers.withLock { $0[number] = (queue, action) }
            return AnyCancellable { [weak self] in self?.handlers.withLock { $0[number] = nil } }
        } stop: { [stops] in
            stops.increase()
        }
    }

    func send(_ number: Int32) {
        guard let handler = handlers.withLock({ $0[number] }) else { return }
        handler.queue.async(execute: handler.action)
    }
}

/// Waits for bytes and reads them. Blocks.
/// - Returns: nil at the end of the input, or after a minute without a byte: a failing test ends too.
func readChunk(_ descriptor: Int32, timeout milliseconds: Int32 = 60_000) -> [UInt8]? {
    var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    guard poll(&wait, 1, milliseconds) == 1 else { return nil }
    var buffer = [UInt8](repeating: 0, count: 4096)
    let count = read(descriptor, &buffer, buffer.count)
    return count > 0 ? Array(buffer.prefix(count)) : nil
}

func writeAll(_ text: String, to descriptor: Int32) {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
        let count = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
        guard count > 0 else { return }
        bytes = bytes.dropFirst(count)
    }
}

/// Standard input and output as pipes.
final class PipeTerminal {
    let terminal: Terminal
    private let keys: Int32
    private let sentences: Int32
    private var isInputOpen = true
    private var bytes: [UInt8] = []
    /// All output read so far.
    var text: String { String(decoding: bytes, as: UTF8.self) }

    init() throws {
        let (input, output) = (try Self.makePipe(), try Self.makePipe())
        terminal = Terminal(input: input.read, output: output.write)
        (keys, sentences) = (input.write, output.read)
    }

    private static func makePipe() throws -> (read: Int32, write: Int32) {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        return (ends[0], ends[1])
    }

    func type(_ line: String) { writeAll(line + "\n", to: keys) }

    /// - Parameter rest: a last line without its end.
    func endInput(after rest: String = "") {
        guard isInputOpen else { return }
        writeAll(rest, to: keys)
        isInputOpen = false
        close(keys)
    }

    /// Whether a text is in the output, sooner or later.
    /// - Parameter minutes: the longest without a byte.
    func shows(_ words: String, minutes: Int32 = 1) -> Bool {
        var isThere = text.contains(words)
        while !isThere {
            guard let chunk = readChunk(sentences, timeout: minutes * 60_000) else { return false }
            // Bytes before these were searched: a long output is not searched again with each chunk.
            let start = max(0, bytes.count - words.utf8.count)
            bytes += chunk
            isThere = String(decoding: bytes[start...], as: UTF8.self).contains(words)
        }
        return true
    }

    /// The whole output of a session that has ended.
    func rest() -> String {
        while let chunk = readChunk(sentences, timeout: 0) { bytes += chunk }
        return text
    }

    // The session's ends stay open: its reader may still use them, and must not meet a descriptor of another test.
    deinit { endInput() }
}

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
