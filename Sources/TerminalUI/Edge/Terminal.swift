import Foundation
import Synchronization

/// A terminal: raw mode, alternate screen, size. `exit` restores the process's own on every path.
final class Terminal: Sendable {
    /// Standard input and output.
    static let standard = Terminal(input: 0, output: 1)
    /// Registers the `atexit` handler once.
    private static let registration: Void = { atexit { Terminal.standard.close() } }()

    /// Descriptor of the keys.
    let input: Int32
    /// Descriptor of the screen.
    let output: Int32
    /// The attributes to restore, and the text that restores the screen; nil while the terminal is unchanged.
    private let original = Mutex<(settings: termios, leaving: String)?>(nil)

    init(input: Int32, output: Int32) {
        self.input = input
        self.output = output
    }

    /// The use of a terminal.
    enum Mode {
        /// The whole screen, drawn by cells.
        case screen
        /// Lines that scroll, with an input line that the program edits.
        case line

        fileprivate var entering: String { self == .screen ? Terminal.entering : "\u{1B}[?2004h" }
        fileprivate var leaving: String { self == .screen ? Terminal.leaving : "\u{1B}[?2004l\r\u{1B}[K" }
    }

    /// Alternate screen, cursor hidden, no line wrap, pastes marked. Old terminals print the last letter of the question: it is cleared.
    fileprivate static let entering = "\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l\u{1B}[?2004h" + FrameMarks.question + "\u{1B}[2J"
    fileprivate static let leaving =
        "\u{1B}[?2026l\u{1B}[?1006l\u{1B}[?1000l\u{1B}[?2004l\u{1B}[0m\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l"

    /// Reports of clicks and of the wheel, with columns beyond 223 (xterm's modes 1000 and 1006).
    static func mouse(_ isOn: Bool) -> String { isOn ? "\u{1B}[?1000h\u{1B}[?1006h" : "\u{1B}[?1006l\u{1B}[?1000l" }

    /// True when input and output are terminals.
    var isInteractive: Bool { isatty(input) == 1 && isatty(output) == 1 }

    /// Enters raw mode: single keys, no echo. Control-C and Control-Z still raise signals.
    /// - Returns: false when the input is not a terminal.
    func open(_ mode: Mode = .screen, mouse: Bool = false) -> Bool {
        var settings = termios()
        guard tcgetattr(input, &settings) == 0 else { return false }
        let before = settings
        original.withLock { if $0 == nil { $0 = (before, mode.leaving) } }
        if self === Self.standard {
            Self.registration
            CrashGuard.arm(before, leaving: mode.leaving, input: input, output: output)
        }
        cfmakeraw(&settings)
        settings.c_lflag |= tcflag_t(ISIG)
        // Lines keep the translation of line ends and Control-S.
        if mode == .line { (settings.c_iflag, settings.c_oflag) = (before.c_iflag, before.c_oflag) }
        tcsetattr(input, TCSAFLUSH, &settings)
        return write(mode.entering + (mouse ? Self.mouse(true) : ""))
    }

    /// Restores the terminal. No effect when it is unchanged. Does not wait for a terminal that takes nothing.
    func close() {
        original.withLock { before in
            guard let (earlier, leaving) = before else { return }
            var settings = earlier
            before = nil
            if self === Self.standard { CrashGuard.disarm() }
            if isWritable(within: 200) { write(leaving) }
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

    /// Shows typed characters, or hides them: a pass phrase. For a terminal that is not raw.
    func setEcho(_ isShown: Bool) {
        var settings = termios()
        guard tcgetattr(input, &settings) == 0 else { return }
        if isShown { settings.c_lflag |= tcflag_t(ECHO) } else { settings.c_lflag &= ~tcflag_t(ECHO) }
        tcsetattr(input, TCSANOW, &settings)
    }

    /// True when a person types, not a file or a pipe.
    var isTyped: Bool { isatty(input) == 1 }

    var size: ScreenSize {
        var window = winsize()
        guard ioctl(output, UInt(TIOCGWINSZ), &window) == 0, window.ws_col > 0, window.ws_row > 0 else {
            return ScreenSize(columns: 80, rows: 24)
        }
        return ScreenSize(columns: Int(window.ws_col), rows: Int(window.ws_row))
    }

    /// Writes to the output.
    /// - Returns: false when the reader has closed it.
    @discardableResult
    func write(_ text: String) -> Bool {
        CrashGuard.endAfterCrash()
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { Foundation.write(output, $0.baseAddress, $0.count) }
            if count < 0 && errno == EINTR { continue }
            if count < 0 && errno == EAGAIN {
                // Another process made the terminal non-blocking: wait until it is writable.
                var wait = pollfd(fd: output, events: Int16(POLLOUT), revents: 0)
                poll(&wait, 1, 1000)
                continue
            }
            guard count > 0 else { return false }
            bytes = bytes.dropFirst(count)
        }
        return true
    }
}
