import Foundation

/// A PostgreSQL server of a test, in a folder of its own, on a Unix-domain socket. As root it runs as nobody: `initdb` refuses root.
public final class PostgresServer: Sendable {
    /// The folder of its socket.
    public let folder: String
    private let binaries: String

    public struct Failure: Error, CustomStringConvertible { public var description: String }

    /// The folder of the programs; nil where they are not installed.
    private static let installed: String? = {
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: "/usr/lib/postgresql")) ?? []
        let folders = versions.sorted { (Int($0) ?? 0) > (Int($1) ?? 0) }.map { "/usr/lib/postgresql/\($0)/bin" } + ["/usr/local/bin", "/usr/bin"]
        return folders.first { FileManager.default.isExecutableFile(atPath: "\($0)/initdb") }
    }()

    /// Whether tests with a server run. On a machine of continuous integration a missing one is a failure.
    public static var isInstalled: Bool { installed != nil || ProcessInfo.processInfo.environment["CI"] == "true" }

    /// Starts a server with the user and the database `bj`, who logs in by trust.
    public init() throws {
        guard let binaries = Self.installed else { throw Failure(description: "PostgreSQL is not installed") }
        self.binaries = binaries
        folder = FileManager.default.temporaryDirectory.appending(path: "bj-pg-\(UUID().uuidString.prefix(8))").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
        if geteuid() == 0 { _ = try Self.run("/bin/chown", ["nobody", folder]) }
        try asServer("initdb", ["-D", data, "-A", "trust", "-U", "bj", "--no-sync", "-E", "UTF8", "--locale=C"])
        try start()
        try sql("CREATE DATABASE bj", in: "postgres")
    }

    private var data: String { "\(folder)/data" }

    /// - Parameter options: such as `-c fsync=off`.
    public func start(_ options: String = "") throws {
        try asServer(
            "pg_ctl",
            ["-D", data, "-w", "-s", "-l", "\(folder)/log", "-o", "-k \(folder) -c listen_addresses='' -c max_connections=40 \(options)", "start"])
    }

    /// - Parameter mode: `immediate` is as a power cut.
    public func stop(_ mode: String = "immediate") throws { try asServer("pg_ctl", ["-D", data, "-w", "-s", "-m", mode, "stop"]) }

    /// Stops the server and removes its folder.
    public func remove() {
        try? stop()
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// The URL of a new database.
    public func newDatabase() throws -> String {
        let name = "bj\(UUID().uuidString.prefix(8).lowercased())"
        try sql("CREATE DATABASE \(name)", in: "postgres")
        return url(name)
    }

    public func url(_ database: String = "bj", user: String = "bj") -> String { "postgres://\(user)@/\(database)?host=\(folder)" }

    /// The output of statements, a line for each row, columns separated by `|`.
    @discardableResult
    public func sql(_ text: String, in database: String = "bj") throws -> String {
        try Self.run("\(binaries)/psql", ["-h", folder, "-U", "bj", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-c", text, database])
    }

    /// Sets the methods of logging in, lines of `pg_hba.conf`.
    public func setLogins(_ lines: String) throws {
        try lines.write(toFile: "\(data)/pg_hba.conf", atomically: false, encoding: .utf8)
        try asServer("pg_ctl", ["-D", data, "-s", "reload"])
    }

    private func asServer(_ program: String, _ arguments: [String]) throws {
        let command = ["\(binaries)/\(program)"] + arguments
        let asNobody = ["/usr/bin/setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups"]
        let all = geteuid() == 0 ? asNobody + command : command
        _ = try Self.run(all[0], Array(all.dropFirst()))
    }

    private static func run(_ program: String, _ arguments: [String]) throws -> String {
        let process = Process()
        process.executableURL = URL(filePath: program)
        process.arguments = arguments
        process.currentDirectoryURL = URL(filePath: "/")
        // A file: the server keeps the output of `pg_ctl` open.
        let output = FileManager.default.temporaryDirectory.appending(path: "bj-pg-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: output) }
        _ = FileManager.default.createFile(atPath: output.path, contents: nil)
        let handle = try FileHandle(forWritingTo: output)
        process.standardOutput = handle
        process.standardError = handle
        try process.start()
        process.waitUntilExit()
        let text = (try? String(contentsOf: output, encoding: .utf8)) ?? ""
        guard process.terminationStatus == 0 else { throw Failure(description: "\(program) \(arguments): \(text)") }
        return text
    }
}
