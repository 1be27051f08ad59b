import CommandLineKit
import Dispatch
import EventStreams
import Foundation
import Sockets
import Synchronization

/// A terminal: raw mode, alternate screen, size. `exit` restores the process's own on every path.
final class Terminal: Sendable {
    /// Standard input and output.
    static let standard = Terminal(input: 0, output: 1)
    /// No terminal, of the usual size.
    static let none = Terminal(input: -1, output: -1)
    /// Registers the `atexit` handler once.
    private static let registration: Void = { atexit { Terminal.standard.close() } }()

    /// Descriptor of the keys.
    let input: Int32
    /// Descriptor of the screen.
    let output: Int32
    /// The attributes to restore; nil while the terminal is unchanged.
    private let original = Mutex<termios?>(nil)

    init(input: Int32, output: Int32) {
        (self.input, self.output) = (input, output)
    }

    /// Alternate screen, cursor hidden, no line wrap, pastes marked; the title is kept for later.
    private static let entering = "\u{1B}[22;2t\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l\u{1B}[?2004h\u{1B}[2J"
    /// Cleared first: tmux keeps lines of the alternate screen above the prompt where the window has grown.
    private static let leaving: StaticString = "\u{1B}[23;2t\u{1B}[?2004l\u{1B}[0m\u{1B}[2J\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l"

    /// True when input and output are terminals.
    var isInteractive: Bool { isatty(input) == 1 && isatty(output) == 1 }

    /// Enters raw mode: single keys, no echo. Control-C and Control-Z still raise signals.
    /// - Returns: false when the input is not a terminal.
    func open() -> Bool {
        var settings = termios()
        guard tcgetattr(input, &settings) == 0 else { return false }
        let before = settings
        original.withLock { if $0 == nil { $0 = before } }
        if self === Self.standard {
            Self.registration
            CrashGuard.arm(before, leaving: Self.leaving, input: input, output: output)
        }
        cfmakeraw(&settings)
        settings.c_lflag |= tcflag_t(ISIG)
        tcsetattr(input, TCSAFLUSH, &settings)
        return write(Self.entering) == 0
    }

    /// Restores the terminal. No effect when it is unchanged. Does not wait for a terminal that takes nothing.
    func close() {
        original.withLock { before in
            guard var settings = before else { return }
            before = nil
            if self === Self.standard { CrashGuard.disarm() }
            // The shell has set modes of its own.
            guard isForeground else { return }
            if isWritable(within: 200) { write(Self.leaving.description) }
            tcflush(input, TCIFLUSH)
            tcsetattr(input, TCSANOW, &settings)
        }
    }

    private func isWritable(within milliseconds: Int32) -> Bool {
        var wait = pollfd(fd: output, events: Int16(POLLOUT), revents: 0)
        return poll(&wait, 1, milliseconds) == 1
    }

    /// Whether the terminal was closed: its window, or the connection that it came by. False for a pipe.
    var isClosed: Bool {
        var state = pollfd(fd: input, events: 0, revents: 0)
        return poll(&state, 1, 0) == 1 && Int32(state.revents) & (POLLHUP | POLLERR | POLLNVAL) != 0
    }

    /// False for a job in the background: its terminal is another process's.
    var isForeground: Bool { Self.isForeground(input) }

    /// True also for a terminal that does not control the process, and for other files.
    fileprivate static func isForeground(_ descriptor: Int32) -> Bool {
        let group = tcgetpgrp(descriptor)
        return group < 0 || group == getpgrp()
    }

    /// Shows typed characters, or hides them: a pass phrase. A signal that ends the process shows them again.
    func setEcho(_ isShown: Bool) {
        var settings = termios()
        guard isForeground, tcgetattr(input, &settings) == 0 else { return }
        if self === Self.standard, !isShown { CrashGuard.arm(settings, leaving: "", input: input, output: output) }
        if self === Self.standard, isShown { CrashGuard.disarm() }
        if isShown { settings.c_lflag |= tcflag_t(ECHO) } else { settings.c_lflag &= ~tcflag_t(ECHO) }
        tcsetattr(input, TCSANOW, &settings)
    }

    /// True when a person types, not a file or a pipe.
    var isTyped: Bool { isatty(input) == 1 }

    var size: ScreenSize {
        let size = Console.windowSize(of: output) ?? (columns: 80, rows: 24)
        return ScreenSize(columns: size.columns, rows: size.rows)
    }

    /// Writes to the output.
    /// - Returns: 0, or why not: `EPIPE` when the reader has closed it.
    @discardableResult
    func write(_ text: String) -> Int32 {
        Console.write(text, to: output, stall: -1) ? 0 : errno
    }
}

/// Writes to a terminal on a queue of its own: a terminal that takes nothing (Control-S, a stalled connection) delays no other work.
/// Text that waits has a bound.
final class TerminalOutput: Sendable {
    /// Bytes that may wait. The text that waits beyond them is dropped, and a note says so.
    static let limit = 1 << 20

    private struct State {
        var waiting = ""
        var hasDropped = false
        var isWriting = false
        /// 0 while none.
        var failure: Int32 = 0
    }

    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "bj.terminal")
    private let write: @Sendable (String) -> Int32
    private let idle: @Sendable (_ failure: Int32) -> Void

    /// - Parameters:
    ///   - write: blocks until the terminal has the text, and returns 0 or the error's number.
    ///   - idle: called on any queue each time when nothing is left to write.
    init(write: @escaping @Sendable (String) -> Int32, idle: @escaping @Sendable (_ failure: Int32) -> Void) {
        (self.write, self.idle) = (write, idle)
    }

    var isIdle: Bool { state.withLock { !$0.isWriting } }

    /// Returns at once.
    func send(_ text: String) {
        let starts = state.withLock { state in
            if !state.waiting.isEmpty, state.waiting.utf8.count + text.utf8.count > Self.limit {
                (state.waiting, state.hasDropped) = ("", true)
            }
            state.waiting += text
            defer { state.isWriting = true }
            return !state.isWriting
        }
        if starts { queue.async { [self] in writeAll() } }
    }

    /// Waits until everything is written, at most this time.
    func finish(within milliseconds: Int) {
        let done = DispatchSemaphore(value: 0)
        queue.async { done.signal() }
        _ = done.wait(timeout: .now() + .milliseconds(milliseconds))
    }

    private func writeAll() {
        while let text = next() {
            let failure = write(text)
            if failure != 0 { state.withLock { $0.failure = failure } }
        }
        idle(state.withLock { $0.failure })
    }

    private func next() -> String? {
        state.withLock { state in
            let (text, hasDropped) = (state.waiting, state.hasDropped)
            (state.waiting, state.hasDropped) = ("", false)
            guard state.failure == 0, !text.isEmpty else {
                state.isWriting = false
                return nil
            }
            return (hasDropped ? "(Some lines were dropped: the terminal was not read for too long.)\n" : "") + text
        }
    }
}

/// Restores the terminal when a signal ends the process that the session does not handle: a trap, an invalid access, `abort`, SIGUSR1.
/// The handler calls only `write`, `tcsetattr`, `signal`, `raise` and the handler before it, which are async-signal-safe (POSIX,
/// signal-safety(7)).
enum CrashGuard {
    private struct State {
        var settings: termios
        let text: StaticString
        let input: Int32
        let output: Int32
    }

    private static let signals = [
        SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGFPE, SIGABRT, SIGSYS, SIGUSR1, SIGUSR2, SIGALRM, SIGVTALRM, SIGPROF,
        SIGXCPU, SIGXFSZ,
    ]
    /// The address of a ``State``, 0 for none. Taken by whoever restores the terminal first: a handler finds a whole one or none.
    private static let state = Atomic<UInt>(0)
    /// Whether the handlers are installed.
    private static let isInstalled = Atomic(false)
    /// The actions before, by signal: some report a trap.
    nonisolated(unsafe) private static let former =  // Written before a handler can run.
        UnsafeMutablePointer<sigaction>.allocate(capacity: 65)

    static func arm(_ settings: termios, leaving: StaticString, input: Int32, output: Int32) {
        guard state.load(ordering: .acquiring) == 0 else { return }
        let new = UnsafeMutablePointer<State>.allocate(capacity: 1)
        new.initialize(to: State(settings: settings, text: leaving, input: input, output: output))
        state.store(UInt(bitPattern: new), ordering: .releasing)
        install()
    }

    static func disarm() {
        guard let old = take() else { return }
        old.deallocate()
    }

    private static func take() -> UnsafeMutablePointer<State>? {
        UnsafeMutablePointer(bitPattern: state.exchange(0, ordering: .acquiringAndReleasing))
    }

    private static func install() {
        guard !isInstalled.exchange(true, ordering: .acquiringAndReleasing) else { return }
        for number in signals {
            var action = sigaction()
            #if canImport(Glibc)
                action.__sigaction_handler.sa_sigaction = { CrashGuard.restore($0, $1, $2) }
            #else
                action.__sigaction_u.__sa_sigaction = { CrashGuard.restore($0, $1, $2) }
            #endif
            // A stack that overflowed has no room for a handler.
            action.sa_flags = SA_ONSTACK | SA_SIGINFO
            sigaction(number, nil, former + Int(number))
            // The parent process wants the signal ignored.
            if !isIgnored(former[Int(number)]) { sigaction(number, &action, nil) }
        }
    }

    private static func isIgnored(_ action: sigaction) -> Bool {
        #if canImport(Glibc)
            let handler = action.__sigaction_handler.sa_handler
        #else
            let handler = action.__sigaction_u.__sa_handler
        #endif
        return unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    }

    private static func restore(_ number: Int32, _ info: UnsafeMutablePointer<siginfo_t>?, _ context: UnsafeMutableRawPointer?) {
        if let now = take() {
            _ = write(now.pointee.output, now.pointee.text.utf8Start, now.pointee.text.utf8CodeUnitCount)
            tcsetattr(now.pointee.input, TCSANOW, &now.pointee.settings)
        }
        if former[Int(number)].sa_flags & SA_SIGINFO != 0 {
            #if canImport(Glibc)
                former[Int(number)].__sigaction_handler.sa_sigaction(number, info, context)
            #else
                former[Int(number)].__sigaction_u.__sa_sigaction(number, info, context)
            #endif
        }
        // The default action ends the process as soon as this one returns.
        signal(number, SIG_DFL)
        raise(number)
    }
}

/// The signals of a process, as a value: a test sends its own without touching the process that runs it.
struct ProcessSignals: Sendable {
    /// Replaces a signal's default action by a closure on a queue, until cancelled.
    var observe: @Sendable (_ number: Int32, DispatchQueue, @escaping @Sendable () -> Void) -> AnyCancellable
    /// Stops the process until `SIGCONT`.
    var stop: @Sendable () -> Void

    /// No signals: those of the process are not for one of several sessions.
    static let none = ProcessSignals { _, _, _ in
        AnyCancellable {}
    } stop: {
    }

    /// The process's own.
    static let standard = ProcessSignals { number, queue, action in
        let sources = Signals.observe([number], on: queue) { _ in action() }
        return AnyCancellable { for source in sources { source.cancel() } }
    } stop: {
        kill(getpid(), SIGSTOP)
    }
}

/// Standard input as a stream of chunks. Finishes at end of file. Backpressure: the next chunk is read after ``more()``.
/// A thread of its own: a blocking read serves files, pipes and terminals alike.
final class StandardInput: Sendable {
    /// Why the input cannot be read, as `errno`.
    struct Failure: Error { let number: Int32 }

    let bytes = PassthroughSubject<[UInt8], Failure>()
    private let descriptor: Int32
    private let credit = DispatchSemaphore(value: 1)
    private let isStopped = Atomic(false)

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    /// Reads the next chunk; called once for each.
    func more() { credit.signal() }

    /// Leaves what comes next to another reader.
    func stop() { isStopped.store(true, ordering: .sequentiallyConsistent) }

    /// - Precondition: called once, after subscribing.
    func start() {
        DispatchQueue(label: "bj.keys").async { [self] in
            var buffer = [UInt8](repeating: 0, count: 4096)
            while true {
                credit.wait()
                guard let count = read(into: &buffer) else { return }
                guard count > 0 else {
                    let failure = count < 0 ? Failure(number: errno) : nil
                    return bytes.send(completion: failure.map { .failure($0) } ?? .finished)
                }
                bytes.send(Array(buffer.prefix(count)))
            }
        }
    }

    /// Waits for bytes.
    /// - Returns: their number; 0 or less at the end of the input; nil once stopped.
    private func read(into buffer: inout [UInt8]) -> Int? {
        var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        while true {
            while poll(&wait, 1, -1) < 0 && errno == EINTR {}
            if isStopped.load(ordering: .sequentiallyConsistent) { return nil }
            let count = Foundation.read(descriptor, &buffer, buffer.count)
            guard count < 0 else { return count }
            let number = errno
            switch number {
            case EINTR, EAGAIN: break
            // A job in the background may not read its terminal; this thread blocks the signal that would stop the process (termios(3)).
            case EIO where !Terminal.isForeground(descriptor): poll(nil, 0, 500)
            default:
                errno = number
                return count
            }
        }
    }
}
