import Foundation

/// A program as its user has it: a process with arguments, whose output goes to a file, a closed pipe or a full device.
public struct Tool {
    public struct Ending {
        /// 1000 + signal after a signal.
        public let status: Int32
        public let output: String
        public let errors: String

        public var text: String { output + errors }
    }

    public enum Output { case captured, closedPipe, full }

    /// The programs lie beside the bundle of the tests.
    private static let folder = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()

    /// - Parameter name: one of our programs, or a path.
    public static func path(_ name: String) -> String { name.hasPrefix("/") ? name : folder.appending(path: name).path }

    /// - Parameter environment: beside the path, and the sanitizers' settings.
    public static func process(_ name: String, _ arguments: [String], environment: [String: String] = [:]) -> Process {
        let process = Process()
        process.executableURL = URL(filePath: path(name))
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.filter { $0.key.hasSuffix("SAN_OPTIONS") || $0.key == "PATH" }
            .merging(["SWIFT_BACKTRACE": "enable=no"]) { $1 }
            .merging(environment) { $1 }
        process.standardInput = FileHandle.nullDevice
        return process
    }

    /// Runs a program to its end.
    public static func run(
        _ name: String, _ arguments: [String], input: String = "", output: Output = .captured, environment: [String: String] = [:]
    ) throws -> Ending {
        try process(name, arguments, environment: environment).ending(input: input, output: output)
    }
}

extension Process {
    /// Runs it to its end. Outputs go to files: they may be longer than a pipe holds.
    /// - Parameter input: standard input, less than a pipe holds; empty for what was set before.
    public func ending(input: String = "", output: Tool.Output = .captured) throws -> Tool.Ending {
        let (folder, feed, out) = (ScratchFolder(), Pipe(), Pipe())
        defer { withExtendedLifetime(folder) {} }
        let (text, complaint) = (URL(filePath: try folder.file("out", "")), URL(filePath: try folder.file("err", "")))
        if !input.isEmpty {
            standardInput = feed
            try feed.fileHandleForWriting.write(contentsOf: Data(input.utf8))
            try feed.fileHandleForWriting.close()
        }
        standardError = try FileHandle(forWritingTo: complaint)
        switch output {
        case .captured: standardOutput = try FileHandle(forWritingTo: text)
        case .closedPipe:
            standardOutput = out
            try out.fileHandleForReading.close()
        case .full: standardOutput = try FileHandle(forWritingTo: URL(filePath: "/dev/full"))
        }
        try start()
        waitUntilExit()
        func read(_ file: URL) throws -> String { String(decoding: try Data(contentsOf: file), as: UTF8.self) }
        return Tool.Ending(
            status: terminationReason == .exit ? terminationStatus : 1000 + terminationStatus, output: try read(text),
            errors: try read(complaint))
    }
}
