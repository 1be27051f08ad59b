import Foundation

/// A program as its user has it: a process with arguments, whose output goes to a pipe, a full device or nowhere.
struct Tool {
    struct Ending {
        let status: Int32
        let output: String
        let errors: String
    }

    enum Output { case pipe, closedPipe, full }

    /// The programs lie beside the bundle of the tests.
    private static let folder = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()

    static func path(_ name: String) -> String { folder.appending(path: name).path }

    static func process(_ name: String, _ arguments: [String], home: String? = nil) -> Process {
        let process = Process()
        process.executableURL = folder.appending(path: name)
        process.arguments = arguments
        // Passes the sanitizers' settings on to the program.
        process.environment = ProcessInfo.processInfo.environment.filter { $0.key.hasSuffix("SAN_OPTIONS") || $0.key == "PATH" }
            .merging(["SWIFT_BACKTRACE": "enable=no"]) { $1 }
            .merging(home.map { ["HOME": $0] } ?? [:]) { $1 }
        process.standardInput = FileHandle.nullDevice
        return process
    }

    /// Runs a program to its end.
    /// - Parameter input: standard input, less than a pipe holds.
    static func run(
        _ name: String, _ arguments: [String], input: String = "", output: Output = .pipe, home: String? = nil
    ) throws -> Ending {
        let process = process(name, arguments, home: home)
        if !input.isEmpty {
            let pipe = Pipe()
            process.standardInput = pipe
            try pipe.fileHandleForWriting.write(contentsOf: Data(input.utf8))
            try pipe.fileHandleForWriting.close()
        }
        let (out, errors) = (Pipe(), Pipe())
        process.standardError = errors
        switch output {
        case .pipe: process.standardOutput = out
        case .closedPipe:
            process.standardOutput = out
            try out.fileHandleForReading.close()
        case .full: process.standardOutput = try FileHandle(forWritingTo: URL(filePath: "/dev/full"))
        }
        try process.start()
        // Both outputs fit into their pipes, so they may be read in turn.
        let text = output == .pipe ? try out.fileHandleForReading.readToEnd() ?? Data() : Data()
        let complaint = try errors.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        let status = process.terminationReason == .exit ? process.terminationStatus : 1000 + process.terminationStatus
        return Ending(
            status: status, output: String(decoding: text, as: UTF8.self), errors: String(decoding: complaint, as: UTF8.self))
    }
}
