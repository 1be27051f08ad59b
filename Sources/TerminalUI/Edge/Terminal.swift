import Foundation
import Synchronization

/// The process's terminal: raw mode, alternate screen, size. `exit` restores it on every path.
enum Terminal {
    /// The attributes to restore; nil while the terminal is unchanged.
    private static let original = Mutex<termios?>(nil)
    /// True once the `atexit` handler is registered.
    private static let isRegistered = Mutex(false)

    /// Alternate screen, cursor hidden, no line wrap.
    private static let entering = "\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l\u{1B}[2J"
    private static let leaving = "\u{1B}[0m\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l"

    /// True when standard input and output are terminals.
    static var isInteractive: Bool { isatty(0) == 1 && isatty(1) == 1 }

    /// Enters raw mode: single keys, no echo. Control-C and Control-Z still raise signals.
    /// - Returns: false when standard input is not a terminal.
    static func open() -> Bool {
        var settings = termios()
        guard tcgetattr(0, &settings) == 0 else { return false }
        let before = settings
        original.withLock { if $0 == nil { $0 = before } }
        isRegistered.withLock { known in
            if !known { atexit { Terminal.close() } }
            known = true
        }
        cfmakeraw(&settings)
        settings.c_lflag |= tcflag_t(ISIG)
        tcsetattr(0, TCSAFLUSH, &settings)
        return write(entering)
    }

    /// Restores the terminal. No effect when it is unchanged.
    static func close() {
        original.withLock { before in
            guard var settings = before else { return }
            before = nil
            write(leaving)
            tcsetattr(0, TCSAFLUSH, &settings)
        }
    }

    static var size: ScreenSize {
        var window = winsize()
        guard ioctl(1, UInt(TIOCGWINSZ), &window) == 0, window.ws_col > 0, window.ws_row > 0 else {
            return ScreenSize(columns: 80, rows: 24)
        }
        return ScreenSize(columns: Int(window.ws_col), rows: Int(window.ws_row))
    }

    /// Writes to standard output.
    /// - Returns: false when the reader has closed it.
    @discardableResult
    static func write(_ text: String) -> Bool {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { Foundation.write(1, $0.baseAddress, $0.count) }
            if count < 0 && errno == EINTR { continue }
            if count < 0 && errno == EAGAIN {
                // Another process made the terminal non-blocking: wait until it is writable.
                var wait = pollfd(fd: 1, events: Int16(POLLOUT), revents: 0)
                poll(&wait, 1, 1000)
                continue
            }
            guard count > 0 else { return false }
            bytes = bytes.dropFirst(count)
        }
        return true
    }
}
