import Foundation

/// A program as a child process, whose output is read without waiting. Confined to a thread.
final class ServerProcess {
    /// The way in which a process ended.
    enum Ending: Equatable {
        case status(Int32)
        case signal(Int32)
    }

    /// Output of which only the end is kept.
    private struct Output {
        static let kept = 65_536
        let descriptor: Int32
        var text: [UInt8] = []
        var isOpen = true

        mutating func read() {
            var chunk = [UInt8](repeating: 0, count: 4096)
            while isOpen {
                let count = Foundation.read(descriptor, &chunk, chunk.count)
                if count > 0 {
                    text += chunk[..<count]
                    if text.count > Self.kept { text.removeFirst(text.count - Self.kept) }
                } else if count < 0, errno == EINTR {
                    continue
                } else {
                    if count == 0 || errno != EAGAIN { isOpen = false }
                    return
                }
            }
        }
    }

    private let process: pid_t
    private var output: Output
    private var errors: Output
    private var ending: Ending?

    /// - Parameter arguments: without the program's name.
    init(_ path: String, _ arguments: [String]) throws(CrashError) {
        var (out, err): ([Int32], [Int32]) = ([-1, -1], [-1, -1])
        guard pipe(&out) == 0 else { throw CrashError("no pipe: \(String(cString: strerror(errno)))", isSetup: true) }
        guard pipe(&err) == 0 else {
            for end in out { close(end) }
            throw CrashError("no pipe: \(String(cString: strerror(errno)))", isSetup: true)
        }
        for end in out + err { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        defer { for end in [out[1], err[1]] { close(end) } }
        guard let process = Self.spawn(path, arguments, output: out[1], errors: err[1]) else {
            let reason = String(cString: strerror(errno))
            for end in [out[0], err[0]] { close(end) }
            throw CrashError("cannot start \(path): \(reason)", isSetup: true)
        }
        for end in [out[0], err[0]] { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
        self.process = process
        output = Output(descriptor: out[0])
        errors = Output(descriptor: err[0])
    }

    deinit {
        if ended == nil {
            signal(SIGKILL)
            var status: Int32 = 0
            while waitpid(process, &status, 0) < 0, errno == EINTR {}
        }
        close(output.descriptor)
        close(errors.descriptor)
    }

    /// Descriptors that become readable with output.
    var descriptors: [Int32] { (output.isOpen ? [output.descriptor] : []) + (errors.isOpen ? [errors.descriptor] : []) }

    /// Reads available output.
    func read() {
        output.read()
        errors.read()
    }

    var outputText: String { String(decoding: output.text, as: UTF8.self) }
    var errorText: String { String(decoding: errors.text, as: UTF8.self) }

    /// The port of the line `listening on HOST:PORT`; nil before it.
    var port: Int? {
        guard let line = outputText.split(separator: "\n").first(where: { $0.hasPrefix("listening on ") }),
            let colon = line.lastIndex(of: ":")
        else { return nil }
        return Int(line[line.index(after: colon)...])
    }

    /// How it ended; nil while it runs.
    var ended: Ending? {
        if let ending { return ending }
        var status: Int32 = 0
        guard waitpid(process, &status, WNOHANG) == process else { return nil }
        let signal = status & 0x7F
        ending = signal == 0 ? .status(status >> 8 & 0xFF) : .signal(signal)
        return ending
    }

    func signal(_ signal: Int32) {
        // A process that was waited for has given its number back.
        if ending == nil { kill(process, signal) }
    }

    private static func spawn(_ path: String, _ words: [String], output: Int32, errors: Int32) -> pid_t? {
        #if canImport(Darwin)
            var actions: posix_spawn_file_actions_t?
            var attributes: posix_spawnattr_t?
        #else
            var actions = posix_spawn_file_actions_t()
            var attributes = posix_spawnattr_t()
        #endif
        posix_spawn_file_actions_init(&actions)
        posix_spawnattr_init(&attributes)
        defer {
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
        }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, output, 1)
        posix_spawn_file_actions_adddup2(&actions, errors, 2)
        var signals = sigset_t()
        sigemptyset(&signals)
        for signal in [SIGPIPE, SIGINT, SIGTERM, SIGHUP] { sigaddset(&signals, signal) }
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))
        let settings = ProcessInfo.processInfo.environment.map { "\($0.key)=\($0.value)" }
        var arguments: [UnsafeMutablePointer<CChar>?] = ([path] + words).map { strdup($0) }
        var environment: [UnsafeMutablePointer<CChar>?] = settings.map { strdup($0) }
        arguments.append(nil)
        environment.append(nil)
        defer { for text in arguments + environment { free(text) } }
        var process: pid_t = 0
        let status = posix_spawn(&process, path, &actions, &attributes, &arguments, &environment)
        errno = status
        return status == 0 ? process : nil
    }
}
