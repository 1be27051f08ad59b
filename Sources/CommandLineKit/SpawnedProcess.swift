import Foundation

/// A program that was started as a child process. To be waited for once.
package struct SpawnedProcess: Sendable {
    /// How it has ended.
    package enum Ending: Equatable, Sendable, CustomStringConvertible {
        case status(Int32)
        case signal(Int32)

        /// - Parameter status: of `waitpid`.
        fileprivate init(_ status: Int32) {
            let signal = status & 0x7F
            self = signal == 0 ? .status(status >> 8 & 0xFF) : .signal(signal)
        }

        package var description: String {
            switch self {
            case .status(let status): "status \(status)"
            case .signal(let signal): "signal \(signal)"
            }
        }
    }

    package let id: pid_t

    /// Starts a program with the words after its name, this process's environment, and nothing to read. Signals that this program ignores,
    /// handles or blocks are as usual in it. nil with errno set if it cannot be started.
    /// - Parameters:
    ///   - output, errors: descriptors that it writes to.
    ///   - leadsGroup: whether it is in a process group of its own, to be ended as a whole.
    package init?(_ path: String, _ words: [String], output: Int32, errors: Int32, leadsGroup: Bool = false) {
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
        // Threads of Dispatch block signals, and a child inherits it.
        posix_spawnattr_setsigmask(&attributes, &signals)
        for signal in [SIGPIPE, SIGINT, SIGTERM, SIGHUP, SIGQUIT] { sigaddset(&signals, signal) }
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setpgroup(&attributes, 0)
        posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK) | (leadsGroup ? Int16(POSIX_SPAWN_SETPGROUP) : 0))
        let settings = ProcessInfo.processInfo.environment.map { "\($0.key)=\($0.value)" }
        var arguments: [UnsafeMutablePointer<CChar>?] = ([path] + words).map { strdup($0) } + [nil]
        var environment: [UnsafeMutablePointer<CChar>?] = settings.map { strdup($0) } + [nil]
        defer { for text in arguments + environment { free(text) } }
        var process: pid_t = 0
        errno = posix_spawn(&process, path, &actions, &attributes, &arguments, &environment)
        guard errno == 0 else { return nil }
        id = process
    }

    /// How it has ended, once; nil while it runs.
    package func poll() -> Ending? {
        var status: Int32 = 0
        return waitpid(id, &status, WNOHANG) == id ? Ending(status) : nil
    }

    /// Waits for its end.
    @discardableResult
    package func wait() -> Ending {
        var status: Int32 = 0
        while waitpid(id, &status, 0) < 0, errno == EINTR {}
        return Ending(status)
    }
}
