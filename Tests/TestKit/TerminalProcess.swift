import Foundation

/// A program at a pseudo-terminal that is its controlling terminal. A shell is between: the terminal keeps its modes when the program ends.
public final class TerminalProcess {
    private let master: Int32
    private var shell: pid_t = 0
    private var bytes: [UInt8] = []
    private var isOpen = true
    /// Process id of the program; 0 until it has started.
    public private(set) var program: pid_t = 0
    /// Modes of the terminal before the program, as ``modes``.
    public let modesBefore: [UInt]

    /// All that the program has written.
    public var text: String { String(decoding: bytes, as: UTF8.self) }

    public init(
        _ path: String, _ arguments: [String], environment: [String: String] = [:], columns: Int = 80, rows: Int = 24
    ) throws {
        let slave: String
        (master, slave) = try TerminalDevice.open()
        TerminalDevice.resize(master, columns: columns, rows: rows)
        modesBefore = TerminalDevice.modes(master)
        let script = """
            trap : INT QUIT TERM TSTP; sh -c 'echo "pid=$$."; exec "$0" "$@"' "$0" "$@"; echo "exit=$?."; exec cat >/dev/null
            """
        var variables = ProcessInfo.processInfo.environment.filter { $0.key == "PATH" || $0.key.hasSuffix("SAN_OPTIONS") }
        variables.merge(["TERM": "xterm-256color", "LANG": "C.UTF-8", "SWIFT_BACKTRACE": "enable=no"]) { $1 }
        variables.merge(environment) { $1 }
        try spawn("/bin/sh", ["sh", "-c", script, path] + arguments, variables, slave)
        guard shows("pid="), shows(".") else { throw POSIXError(.ESRCH) }
        program = text.firstMatch(of: /pid=(\d+)\./).flatMap { pid_t($0.1) } ?? 0
    }

    private func spawn(_ path: String, _ arguments: [String], _ variables: [String: String], _ slave: String) throws {
        #if canImport(Glibc)
            var (actions, attributes) = (posix_spawn_file_actions_t(), posix_spawnattr_t())
            let newSession: Int16 = 0x80
        #else
            var (actions, attributes): (posix_spawn_file_actions_t?, posix_spawnattr_t?) = (nil, nil)
            let newSession: Int16 = 0x400
        #endif
        posix_spawn_file_actions_init(&actions)
        posix_spawnattr_init(&attributes)
        defer {
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
        }
        posix_spawnattr_setflags(&attributes, newSession)
        // The first terminal that the leader of a session opens controls it.
        posix_spawn_file_actions_addopen(&actions, 0, slave, O_RDWR, 0)
        posix_spawn_file_actions_adddup2(&actions, 0, 1)
        posix_spawn_file_actions_adddup2(&actions, 0, 2)
        var words = arguments.map { strdup($0) } + [nil]
        var settings = variables.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for word in words + settings { free(word) } }
        let status = posix_spawn(&shell, path, &actions, &attributes, &words, &settings)
        guard status == 0 else { throw POSIXError(POSIXErrorCode(rawValue: status) ?? .EIO) }
    }

    public func press(_ keys: String) { _ = Array(keys.utf8).withUnsafeBytes { write(master, $0.baseAddress, $0.count) } }

    public func signal(_ number: Int32) { if program > 0, !hasEnded { kill(program, number) } }

    /// Whether the shell has told the end, after which the number may be another process's, or a thread's of this one.
    private var hasEnded: Bool { text.contains(/exit=\d+\./) }

    /// Presses keys until an answer is written: a program that takes over its terminal discards those typed before.
    public func press(_ keys: String, until answer: String) -> Bool {
        let start = count
        return (0..<60).contains { _ in
            press(keys)
            return shows(answer, after: start, within: 1000)
        }
    }

    /// Whether a text is written, sooner or later.
    /// - Parameters:
    ///   - start: bytes of ``text`` to skip.
    ///   - silence: milliseconds without any output.
    public func shows(_ words: String, after start: Int = 0, within silence: Int32 = 60_000) -> Bool {
        let wanted = Data(words.utf8)
        var start = start
        while Data(bytes.dropFirst(start)).firstRange(of: wanted) == nil {
            // These bytes were searched, but for a beginning of the words at their end.
            start = max(start, bytes.count - wanted.count)
            guard readMore(within: silence) else { return false }
        }
        return true
    }

    /// Bytes written so far.
    public var count: Int { bytes.count }

    private func readMore(within silence: Int32 = 60_000) -> Bool {
        var wait = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
        guard poll(&wait, 1, silence) == 1 else { return false }
        var chunk = [UInt8](repeating: 0, count: 65536)
        let count = read(master, &chunk, chunk.count)
        guard count > 0 else { return false }
        bytes += chunk.prefix(count)
        return true
    }

    /// Waits for the end of the program.
    /// - Returns: its status as the shell has it, 128 + signal after a signal; nil within a minute of silence.
    public func exitStatus() -> Int? {
        while true {
            if let match = text.firstMatch(of: /exit=(\d+)\./) { return Int(match.1) }
            guard readMore() else { return nil }
        }
    }

    /// As ``TerminalDevice/modes(_:)``. The master's attributes are the slave's (Linux and macOS).
    public var modes: [UInt] { TerminalDevice.modes(master) }

    /// Waits until a signal has stopped the program.
    public func waitsUntilStopped() -> Bool {
        var status = ""
        let isOver = Waiting.until {
            status = (try? String(contentsOfFile: "/proc/\(program)/stat", encoding: .utf8)) ?? ""
            return status.isEmpty || status.contains(") T ")
        }
        return isOver && !status.isEmpty
    }

    /// Waits until the program is no process.
    public func waitsUntilGone() -> Bool {
        Waiting.until {
            // A shell that has ended leaves it to nobody here.
            kill(program, 0) != 0
                || (try? String(contentsOfFile: "/proc/\(program)/stat", encoding: .utf8))?.contains(") Z ") == true
        }
    }

    /// Closes the terminal's window.
    public func hangUp() {
        guard isOpen else { return }
        isOpen = false
        close(master)
    }

    deinit {
        signal(SIGKILL)
        hangUp()
        if shell > 0 {
            kill(shell, SIGKILL)
            var status: Int32 = 0
            waitpid(shell, &status, 0)
        }
    }
}

/// Pseudo-terminals of the system.
public enum TerminalDevice {
    /// A new one: a descriptor of its master, and the path of its slave.
    public static func open() throws -> (master: Int32, slave: String) {
        #if canImport(Glibc)
            // Glibc hides `posix_openpt` without a feature macro. Linux, tty_ioctl(4): TIOCSPTLCK unlocks, TIOCGPTN is the slave's number.
            let (unlock, getNumber): (UInt, UInt) = (0x4004_5431, 0x8004_5430)
            let master = Foundation.open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
            var (lock, number): (Int32, Int32) = (0, 0)
            guard ioctl(master, unlock, &lock) == 0, ioctl(master, getNumber, &number) == 0 else { throw POSIXError(.EIO) }
            return (master, "/dev/pts/\(number)")
        #else
            let master = posix_openpt(O_RDWR | O_NOCTTY)
            guard grantpt(master) == 0, unlockpt(master) == 0 else { throw POSIXError(.EIO) }
            return (master, String(cString: ptsname(master)))
        #endif
    }

    public static func resize(_ descriptor: Int32, columns: Int, rows: Int) {
        var size = winsize()
        (size.ws_col, size.ws_row) = (UInt16(columns), UInt16(rows))
        _ = ioctl(descriptor, UInt(TIOCSWINSZ), &size)
    }

    /// Modes as numbers: input, output, control, local, control characters.
    public static func modes(_ descriptor: Int32) -> [UInt] {
        var settings = termios()
        guard tcgetattr(descriptor, &settings) == 0 else { return [] }
        let characters = withUnsafeBytes(of: settings.c_cc) { $0.map { UInt($0) } }
        return [settings.c_iflag, settings.c_oflag, settings.c_cflag, settings.c_lflag].map { UInt($0) } + characters
    }
}
