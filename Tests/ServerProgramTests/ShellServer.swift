import Foundation
import TestKit
import Testing

/// The server as a shell starts it: with limits, redirections, variables.
final class ShellServer {
    let process: Process
    let folder = FileManager.default.temporaryDirectory.appending(path: "bj-\(UUID().uuidString.prefix(8))")
    private let output = Pipe()
    private var said = ""

    static let program = Tool.path("bjserver")

    /// - Parameter script: what the shell does; `$0` is the program and `$1` a folder for files, where the log goes to `log`.
    init(_ script: String, settings: String = "{}", input: FileHandle = .nullDevice) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data(settings.utf8).write(to: folder.appending(path: "bj.json"))
        process = Tool.process("/bin/sh", ["-c", script, Self.program, folder.path])
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

    /// Sends a signal, and waits for the end.
    /// - Returns: the status.
    @discardableResult
    func end(_ number: Int32) -> Int32 {
        signal(number)
        return status()
    }

    /// The status at the end, which it waits for.
    func status() -> Int32 {
        process.waitUntilExit()
        return process.terminationStatus
    }

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
