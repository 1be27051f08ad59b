import Foundation
import Sockets
import Synchronization

extension ClientKit {
    /// A command in a process group of its own, with its last output.
    final class ChildProcess: Sendable {
        /// How a process has ended.
        enum Ending: Equatable {
            case status(Int32)
            case signal(Int32)

            var text: String {
                switch self {
                case .status(let status): "the client ended (status \(status))"
                case .signal(let signal): "the client ended (signal \(signal))"
                }
            }
        }

        private struct Output {
            var bytes: [UInt8] = []
            var isCut = false
        }

        /// Bytes of its output that are kept, the last ones.
        private static let kept = 8192

        private let process: pid_t
        private let output = Mutex(Output())
        private let ending = Mutex<Ending?>(nil)

        /// Starts a command through `/bin/sh`, with nothing to read.
        init(_ command: String) throws(ServerKit.Unreachable) {
            var ends: [Int32] = [-1, -1]
            guard pipe(&ends) == 0 else { throw ServerKit.Unreachable("cannot make a pipe") }
            for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
            guard let process = Self.spawn(command, output: ends[1]) else {
                for end in ends { close(end) }
                throw ServerKit.Unreachable("cannot start /bin/sh")
            }
            self.process = process
            close(ends[1])
            let source = ends[0]
            // A thread, since a pipe is read in no loop of ours; it ends with the last process that holds the other end.
            DetachedThread.start { [self] in read(source) }
        }

        private func read(_ source: Int32) {
            var chunk = [UInt8](repeating: 0, count: 4096)
            while true {
                let count = Foundation.read(source, &chunk, chunk.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { break }
                output.withLock { output in
                    output.bytes += chunk[..<count]
                    let excess = output.bytes.count - Self.kept
                    guard excess > 0 else { return }
                    output.bytes.removeFirst(excess)
                    output.isCut = true
                }
            }
            close(source)
        }

        /// How it has ended; nil while it runs.
        var ended: Ending? {
            ending.withLock { ending in
                if let ending { return ending }
                var status: Int32 = 0
                guard waitpid(process, &status, WNOHANG) == process else { return nil }
                let signal = status & 0x7F
                ending = signal == 0 ? .status(status >> 8 & 0xFF) : .signal(signal)
                return ending
            }
        }

        /// Ends it, and every process of its group.
        func kill() {
            // The group outlives its first process as long as one of its processes runs.
            _ = Foundation.kill(-process, SIGKILL)
            ending.withLock { ending in
                guard ending == nil else { return }
                var status: Int32 = 0
                while waitpid(process, &status, 0) < 0, errno == EINTR {}
                ending = .signal(SIGKILL)
            }
        }

        /// The last lines that it has printed, fit for a terminal.
        func lastLines(_ count: Int) -> [String] {
            let (bytes, isCut) = output.withLock { ($0.bytes, $0.isCut) }
            let lines = bytes.split(separator: UInt8(ascii: "\n"))
            return lines.dropFirst(isCut ? 1 : 0).suffix(count).map { Lines.shown($0.last == 0x0D ? $0.dropLast() : $0) }
        }

        private static func spawn(_ command: String, output: Int32) -> pid_t? {
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
            posix_spawn_file_actions_adddup2(&actions, output, 2)
            // A group of its own, to be ended as a whole; and signals that this program ignores or handles are as usual.
            var signals = sigset_t()
            sigemptyset(&signals)
            for signal in [SIGPIPE, SIGINT, SIGTERM, SIGHUP] { sigaddset(&signals, signal) }
            posix_spawnattr_setsigdefault(&attributes, &signals)
            posix_spawnattr_setpgroup(&attributes, 0)
            posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP) | Int16(POSIX_SPAWN_SETSIGDEF))
            let words: [String] = ["/bin/sh", "-c", command]
            let settings = ProcessInfo.processInfo.environment.map { "\($0.key)=\($0.value)" }
            var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) }
            var environment: [UnsafeMutablePointer<CChar>?] = settings.map { strdup($0) }
            arguments.append(nil)
            environment.append(nil)
            defer { for text in arguments + environment { free(text) } }
            var process: pid_t = 0
            return posix_spawn(&process, "/bin/sh", &actions, &attributes, &arguments, &environment) == 0 ? process : nil
        }
    }
}
