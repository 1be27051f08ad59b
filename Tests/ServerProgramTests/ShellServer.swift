import Foundation
import TestKit
import Testing

/// The server as a shell starts it: with limits, redirections, variables.
final class ShellServer {
    let process = Process()
    let folder = FileManager.default.temporaryDirectory.appending(path: "bj-\(UUID().uuidString.prefix(8))")
    private let output = Pipe()
    private var said = ""

    static var program: String {
        URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(path: "bjserver").path
    }

    /// - Parameter script: what the shell does; `$0` is the program and `$1` a folder for files, where the log goes to `log`.
    init(_ script: String, settings: String = "{}", input: FileHandle = .nullDevice) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data(settings.utf8).write(to: folder.appending(path: "bj.json"))
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-c", script, Self.program, folder.path]
        process.environment = ProcessInfo.processInfo.environment.filter { $0.key.hasSuffix("SAN_OPTIONS") || $0.key == "PATH" }
        process.standardInput = input
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.start()
    }

    var log: String { (try? String(contentsOf: folder.appending(path: "log"), encoding: .utf8)) ?? "" }

    /// The port after some words on standard output, which it waits for.
    func port(_ words: String = "listening on 127.0.0.1:") throws -> Int {
        while true {
            let lines = said.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
            if let line = lines.first(where: { $0.hasPrefix(words) }), let port = Int(line.dropFirst(words.count)) { return port }
            let data = output.fileHandleForReading.availableData
            try #require(!data.isEmpty, "the server has ended: \(log)")
            said += String(decoding: data, as: UTF8.self)
        }
    }

    func signal(_ number: Int32) { kill(process.processIdentifier, number) }

    /// Waits until the log has a text. It is written at once, so this is soon.
    func waits(forLog text: String) -> Bool {
        _ = Waiting.until { log.contains(text) || !process.isRunning }
        return log.contains(text)
    }

    deinit {
        if process.isRunning {
            signal(SIGCONT)
            signal(SIGKILL)
        }
        try? FileManager.default.removeItem(at: folder)
    }
}

/// A player with the plainest of sockets. Calls block, for two minutes at most.
final class ShellPeer {
    private let descriptor: Int32
    private var buffer: [UInt8] = []

    init?(port: Int) {
        guard let descriptor = try? Loopback.connect(to: port) else { return nil }
        self.descriptor = descriptor
    }

    func send(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        #if canImport(Glibc)
            _ = Foundation.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
        #else
            _ = Foundation.send(descriptor, bytes, bytes.count, 0)
        #endif
    }

    /// The next line that contains a text; nil at the end.
    func line(with text: String) -> String? {
        while true {
            while let end = buffer.firstIndex(of: 10) {
                let line = String(decoding: buffer[..<end], as: UTF8.self)
                buffer.removeFirst(end + 1)
                if line.contains(text) { return line }
            }
            var chunk = [UInt8](repeating: 0, count: 65536)
            let count = recv(descriptor, &chunk, chunk.count, 0)
            guard count > 0 else { return nil }
            buffer += chunk[..<count]
        }
    }

    deinit { close(descriptor) }
}
