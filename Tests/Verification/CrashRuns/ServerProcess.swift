import CommandLineKit
import Foundation

/// A program as a child process, whose output is read without waiting. Confined to a thread.
final class ServerProcess {
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

    private let process: SpawnedProcess
    private var output: Output
    private var errors: Output
    private var ending: SpawnedProcess.Ending?

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
        guard let process = SpawnedProcess(path, arguments, output: out[1], errors: err[1]) else {
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
            process.wait()
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
        let line = outputText.split(separator: "\n").first { $0.hasPrefix("listening on ") }
        return line?.split(separator: ":").last.flatMap { Int($0) }
    }

    /// How it ended; nil while it runs.
    var ended: SpawnedProcess.Ending? {
        ending = ending ?? process.poll()
        return ending
    }

    func signal(_ signal: Int32) {
        // A process that was waited for has given its number back.
        if ending == nil { kill(process.id, signal) }
    }
}
