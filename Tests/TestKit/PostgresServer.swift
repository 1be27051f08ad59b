import Foundation
import Synchronization
import Testing

/// A PostgreSQL server of a test, in a folder of its own, on a Unix-domain socket. As root it runs as nobody: `initdb` refuses root.
public final class PostgresServer: Sendable {
    /// The folder of its socket.
    public let folder: String
    private let binaries: String
    private let process = Mutex<Process?>(nil)
    private let isReported = Atomic(false)

    public struct Failure: Error, CustomStringConvertible { public var description: String }

    /// The folder of the programs; nil where they are not installed.
    private static let installed: String? = {
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: "/usr/lib/postgresql")) ?? []
        let folders =
            versions.sorted { (Int($0) ?? 0) > (Int($1) ?? 0) }.map { "/usr/lib/postgresql/\($0)/bin" } + [
                "/usr/local/bin", "/usr/bin",
            ]
        return folders.first { FileManager.default.isExecutableFile(atPath: "\($0)/initdb") }
    }()

    /// Whether tests with a server run. On a machine of continuous integration a missing one is a failure.
    public static var isInstalled: Bool { installed != nil || ProcessInfo.processInfo.environment["CI"] == "true" }

    /// The server, stopped, whose folder the others begin with: to make one takes six times as long as to copy it.
    private static let first = Result {
        let server = try PostgresServer { binaries, data in
            try run(binaries, "initdb", ["-D", data, "-A", "trust", "-U", "bj", "--no-sync", "-E", "UTF8", "--locale=C"])
        }
        try server.sql("CREATE DATABASE bj", in: "postgres")
        server.stop()
        return server.untilExit()
    }

    /// Starts a server with the user and the database `bj`, who logs in by trust.
    public convenience init() throws {
        let data = try Self.first.get().data
        try self.init { _, copy in try Self.run("/bin", "cp", ["-R", data, copy]) }
    }

    /// Starts a standby with the same databases, which follows a server; returns once that one knows it.
    public convenience init(standbyOf primary: PostgresServer) throws {
        try primary.setLogins("local all all trust\nlocal replication all trust\n")
        try self.init { binaries, data in
            let words = ["-h", primary.folder, "-U", "bj", "-D", data, "-R", "-X", "stream", "-c", "fast", "--no-sync"]
            try Self.run(binaries, "pg_basebackup", words)
        }
        _ = Waiting.until { (try? primary.sql("SELECT count(*) FROM pg_stat_replication")) == "1\n" }
    }

    /// - Parameter make: writes the folder of the data, with the programs in a folder.
    private init(_ make: (_ programs: String, _ data: String) throws -> Void) throws {
        guard let binaries = Self.installed else { throw Failure(description: "PostgreSQL is not installed") }
        self.binaries = binaries
        folder = FileManager.default.temporaryDirectory.appending(path: "bj-pg-\(UUID().uuidString.prefix(8))").path
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
        if geteuid() == 0, let nobody = getpwnam("nobody") { chown(folder, nobody.pointee.pw_uid, nobody.pointee.pw_gid) }
        try make(binaries, data)
        try start()
    }

    private static let running = Mutex<[PostgresServer]>([])
    private static let removal: Void = {
        atexit { for server in PostgresServer.running.withLock({ $0 }) { server.remove() } }
    }()

    /// The server, which is removed when the process ends.
    public func untilExit() -> PostgresServer {
        _ = Self.removal
        Self.running.withLock { $0.append(self) }
        return self
    }

    private var data: String { "\(folder)/data" }

    /// - Parameter options: such as `-c fsync=off`.
    public func start(_ options: [String] = []) throws {
        let server = Self.process(
            binaries, "postgres", ["-D", data, "-k", folder, "-c", "listen_addresses=", "-c", "max_connections=40"] + options)
        server.standardError = try output("log")
        server.standardOutput = server.standardError
        try server.start(deadline: nil)
        process.withLock { $0 = server }
        guard Waiting.until({ (try? sql("SELECT 1", in: "postgres")) != nil || !server.isRunning }), server.isRunning else {
            throw failure ?? Failure(description: "the server of \(folder) does not answer")
        }
    }

    /// A server that has ended by itself: with the last lines of its log for the first test that meets it, in a few words for the others.
    private var failure: Failure? {
        guard process.withLock({ $0?.isRunning == false }) else { return nil }
        let isFirst = !isReported.exchange(true, ordering: .relaxed)
        let log =
            (try? String(contentsOfFile: "\(folder)/log", encoding: .utf8))?.split(separator: "\n").suffix(isFirst ? 20 : 0) ?? []
        return Failure(description: (["the server of \(folder) has ended"] + log).joined(separator: "\n"))
    }

    /// - Parameter abruptly: as a power cut does, but for what the system has not yet written; the next start recovers.
    public func stop(abruptly: Bool = false) {
        guard let server = process.withLock({ $0.take() }) else { return }
        kill(server.processIdentifier, abruptly ? SIGQUIT : SIGINT)
        server.waitUntilExit()
    }

    /// Stops the server and removes its folder.
    public func remove() {
        stop(abruptly: true)
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// The URL of the server's own database, without a store. Each further database is some 1,000 files that a stop has to sync and a standby
    /// to copy: with one for each test, four tests took 280 s.
    public func emptyDatabase() throws -> String {
        try sql("ALTER DATABASE bj RESET ALL", in: "postgres")
        try sql("DROP SCHEMA IF EXISTS bjserver CASCADE")
        return url()
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
        let words = ["-h", folder, "-U", "bj", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-c", text, database]
        do { return try Self.run(binaries, "psql", words) } catch { throw failure ?? error }
    }

    /// Runs a file of statements.
    public func load(_ path: String, in database: String = "bj") throws {
        try Self.run(binaries, "psql", ["-h", folder, "-U", "bj", "-X", "-q", "-v", "ON_ERROR_STOP=1", "-f", path, database])
    }

    /// The statements that make a database of the given URL, without those that only one version of PostgreSQL has.
    public func dump(of url: String) throws -> String {
        let name = url.dropFirst("postgres://bj@/".count).prefix { $0 != "?" }
        let text = try Self.run(
            binaries, "pg_dump", ["-h", folder, "-U", "bj", "--inserts", "--no-owner", "--no-comments", String(name)])
        let lines = text.split(separator: "\n").filter { line in
            !["--", "\\", "SET ", "SELECT pg_catalog.set_config"].contains { line.hasPrefix($0) }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// Sets the methods of logging in, lines of `pg_hba.conf`.
    public func setLogins(_ lines: String) throws {
        try lines.write(toFile: "\(data)/pg_hba.conf", atomically: false, encoding: .utf8)
        process.withLock { if let server = $0 { _ = kill(server.processIdentifier, SIGHUP) } }
    }

    private static func process(_ binaries: String, _ program: String, _ arguments: [String]) -> Process {
        let command = ["\(binaries)/\(program)"] + arguments
        let asNobody = ["/usr/bin/setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups"]
        let all = geteuid() == 0 && !["psql", "pg_dump"].contains(program) ? asNobody + command : command
        let process = Tool.process(all[0], Array(all.dropFirst()))
        process.currentDirectoryURL = URL(filePath: "/")
        return process
    }

    private func output(_ name: String) throws -> FileHandle {
        let path = "\(folder)/\(name)"
        if !FileManager.default.fileExists(atPath: path) { _ = FileManager.default.createFile(atPath: path, contents: nil) }
        let handle = try FileHandle(forWritingTo: URL(filePath: path))
        try handle.seekToEnd()
        return handle
    }

    @discardableResult
    private static func run(_ binaries: String, _ program: String, _ arguments: [String]) throws -> String {
        let ending = try process(binaries, program, arguments).ending()
        guard ending.status == 0 else { throw Failure(description: "\(program) \(arguments): \(ending.text)") }
        return ending.output
    }
}

extension Trait where Self == ConditionTrait {
    /// For tests with a server of PostgreSQL.
    public static var postgres: Self {
        .enabled(if: PostgresServer.isInstalled, "PostgreSQL is not installed: apt-get install postgresql")
    }
}
