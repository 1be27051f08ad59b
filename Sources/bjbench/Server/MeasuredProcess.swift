import CFloor
import Foundation

/// A server process pinned to its own processor, with its processor time.
final class MeasuredProcess: Sendable {
    /// Nanoseconds. `user` has the resolution of clock ticks (usually 10 ms), `total` is exact.
    struct Usage {
        var total: Double
        var user: Double

        static func - (later: Usage, earlier: Usage) -> Usage {
            Usage(total: later.total - earlier.total, user: later.user - earlier.user)
        }
    }

    /// Processors of the servers and of the driver.
    static let (serverProcessor, driverProcessor) = (Int32(0), Int32(1))

    /// The port of its first line.
    let port: Int
    /// The ports of further lines.
    let otherPorts: [Int]
    private let process = Process()

    /// Starts a server that prints a line `listening on HOST:PORT`.
    /// - Parameter lines: lines that end in a port, including that one.
    init?(_ program: URL, _ arguments: [String], environment: [String: String] = [:], lines: Int = 1) {
        process.executableURL = program
        process.arguments = arguments
        // Excludes the user's own settings.
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

    /// Starts a server of others at a port, and waits until it listens there.
    init?(_ program: URL, _ arguments: [String], port: Int) {
        (self.port, otherPorts) = (port, [])
        process.executableURL = program
        process.arguments = arguments
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        process.standardInput = FileHandle.nullDevice
        guard floor_pin(Self.serverProcessor) == 0 else { return nil }
        defer { _ = floor_pin(Self.driverProcessor) }
        guard (try? process.run()) != nil else { return nil }
        for _ in 0..<200 where process.isRunning {
            if BlockingPeer(port: port) != nil { return }
            Thread.sleep(forTimeInterval: 0.05)
        }
        process.terminate()
        return nil
    }

    var isRunning: Bool { process.isRunning }

    var usage: Usage {
        let ticks = (try? String(contentsOfFile: "/proc/\(process.processIdentifier)/stat", encoding: .utf8))
            // The name stands in parentheses and may hold any character.
            .flatMap { $0.split(separator: ")").last?.split(separator: " ") }
        let user = ticks.flatMap { $0.count > 11 ? Double($0[11]) : nil } ?? 0
        return Usage(
            total: Double(floor_processor_time(process.processIdentifier)),
            user: user * 1e9 / Double(max(1, sysconf(Int32(_SC_CLK_TCK)))))
    }

    /// Kills at once: a signal would drain first.
    func stop() {
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }
}
