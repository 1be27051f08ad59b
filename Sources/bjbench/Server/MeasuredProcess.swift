import CFloor
import Foundation

/// A server in a process of its own, on a processor of its own, whose processor time is measured.
final class MeasuredProcess {
    /// What the process has used, in nanoseconds. `user` is known by the clock's ticks, 10 milliseconds as a rule; `total` exactly.
    struct Usage {
        var total: Double
        var user: Double

        static func - (later: Usage, earlier: Usage) -> Usage {
            Usage(total: later.total - earlier.total, user: later.user - earlier.user)
        }
    }

    /// The processor that servers run on, and the one for whoever measures them.
    static let (serverProcessor, driverProcessor) = (Int32(0), Int32(1))

    /// The port that it listens on.
    let port: Int
    /// The ports that its further lines end in.
    let otherPorts: [Int]
    private let process = Process()

    /// Starts a server that prints a line `listening on HOST:PORT`.
    /// - Parameter lines: how many lines it prints that end in a port, that one included.
    init?(_ program: URL, _ arguments: [String], environment: [String: String] = [:], lines: Int = 1) {
        process.executableURL = program
        process.arguments = arguments
        // Nobody's own settings are measured.
        process.environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("BJ_") }
            .merging(environment) { $1 }
        let output = Pipe()
        process.standardOutput = output
        process.standardInput = FileHandle.nullDevice
        guard floor_pin(Self.serverProcessor) == 0 else { return nil }
        defer { _ = floor_pin(Self.driverProcessor) }
        guard (try? process.run()) != nil else { return nil }
        var said: [UInt8] = []
        while said.count(where: { $0 == UInt8(ascii: "\n") }) < lines,
            let byte = try? output.fileHandleForReading.read(upToCount: 1)?.first
        {
            said.append(byte)
        }
        let ports = String(decoding: said, as: UTF8.self).split(separator: "\n").map {
            $0.split(separator: ":").last.flatMap { Int($0) } ?? 0
        }
        guard let port = ports.first, ports.count == lines, !ports.contains(0) else {
            process.terminate()
            return nil
        }
        self.port = port
        otherPorts = Array(ports.dropFirst())
    }

    var isRunning: Bool { process.isRunning }

    var usage: Usage {
        let ticks = (try? String(contentsOfFile: "/proc/\(process.processIdentifier)/stat", encoding: .utf8))
            // The name stands in brackets and may hold anything.
            .flatMap { $0.split(separator: ")").last?.split(separator: " ") }
        let user = ticks.flatMap { $0.count > 11 ? Double($0[11]) : nil } ?? 0
        return Usage(
            total: Double(floor_processor_time(process.processIdentifier)),
            user: user * 1e9 / Double(max(1, sysconf(Int32(_SC_CLK_TCK)))))
    }

    /// At once: a server that is asked would let the hands in play end first.
    func stop() {
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }
}
