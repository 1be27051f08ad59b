import Foundation
import ServerCore
import Sockets
import TestKit
import Testing

/// The server as an operator has it: a process with a configuration file, signals, an admin socket and a service manager that listens.
private final class ManagedServer {
    let shell: ShellServer
    private let scratch = DataScratch()
    private let manager = socket(AF_UNIX, datagramType, 0)
    var admin: String { shell.folder.appending(path: "a.sock").path }

    init(_ settings: String) throws {
        let path = scratch.path("n.sock")
        try Self.listen(path, on: manager)
        shell = try ShellServer(
            "NOTIFY_SOCKET='\(path)' exec \"$0\" --config \"$1/bj.json\" --listen 127.0.0.1:0 --metrics 127.0.0.1:0 "
                + "--admin \"$1/a.sock\" 2>\"$1/log\"",
            settings: settings)
    }

    private static func listen(_ path: String, on manager: Int32) throws {
        try #require(SocketAddress(unixPath: path).withPointer { bind(manager, $0, $1) } == 0)
        var limit = timeval(tv_sec: 300, tv_usec: 0)
        setsockopt(manager, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    func write(_ settings: String) throws { try Data(settings.utf8).write(to: shell.folder.appending(path: "bj.json")) }

    /// The next thing that the service manager hears; empty when it hears nothing for five minutes.
    func hear() -> String {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = recv(manager, &buffer, buffer.count, 0)
        return String(decoding: buffer[..<max(0, count)], as: UTF8.self)
    }

    /// Has the configuration read again, and waits until that is done.
    func reload() {
        shell.signal(SIGHUP)
        #expect(hear().hasPrefix("RELOADING=1"))
        #expect(hear() == "READY=1")
    }

    /// What a setting is now.
    func setting(_ key: String) throws -> String? { try cell(key, 1) }

    /// A cell of a setting's row: what holds, what is configured, where from, what is pending.
    func cell(_ key: String, _ column: Int) throws -> String? {
        guard case .table(let table) = try AdminClient.ask(.config, path: admin, timeout: 120) else { return nil }
        return table.rows.first { $0[0] == .text(key) }.flatMap { if case .text(let text) = $0[column] { text } else { nil } }
    }

    deinit { close(manager) }
}

#if canImport(Glibc)
    private let datagramType = Int32(SOCK_DGRAM.rawValue)
#else
    private let datagramType = SOCK_DGRAM
#endif

@Test(.ownThread) func aServerIsStartedReloadedAskedAndStopped_asAnOperatorDoesIt() throws {
    let server = try ManagedServer(#"{"tables": ["low", "high"], "idleTimeout": "5m"}"#)
    #expect(server.hear().hasPrefix("READY=1\nSTATUS=Listening on 127.0.0.1:"))
    let metrics = try server.shell.port("metrics on 127.0.0.1:")
    #expect(HealthCheck.run(host: "127.0.0.1", port: metrics, timeout: 300_000) == .healthy)
    #expect(try server.setting("idleTimeout") == "5m")

    try server.write(
        #"{"tables": ["low", "new"], "idleTimeout": "6m", "chips": 5, "maxOutbound": 70000, "settle": "1s", "log": "debug"}"#)
    server.reload()
    #expect(try server.setting("idleTimeout") == "6m")
    #expect(try server.cell("settle", 1) == "4s" && server.cell("settle", 2) == "1s" && server.cell("settle", 4) == "restart")
    guard case .table(let tables) = try AdminClient.ask(.tables, path: server.admin, timeout: 120) else {
        Issue.record("tables are a table")
        return
    }
    #expect(Set(tables.rows.map { $0[0] }) == ["low", "new"])

    try server.write(#"{"tables": ["low"], "idleTimeout": 6}"#)
    server.reload()
    // What is faulty has changed nothing, its tables neither.
    #expect(
        try server.setting("idleTimeout") == "6m" && AdminClient.ask(.tables, path: server.admin, timeout: 120) == .table(tables))

    #expect(
        try AdminClient.ask(.kick(name: "nobody", reason: nil), path: server.admin, timeout: 120)
            == .refused(code: "no_such_player", message: "There is no player nobody."))
    server.shell.signal(SIGTERM)
    #expect(server.hear().hasPrefix("STOPPING=1"))
    #expect(server.shell.status() == 0)
    for event in [
        "config_refused", "config_needs_restart key=settle effective=4s configured=1s", "need_restart=1",
        "config_changed key=idleTimeout from=5m to=6m",
        "config_changed key=chips", "config_changed key=maxOutbound from=262144 to=70000", "stopped", "imbalance=0",
    ] {
        #expect(server.shell.log.contains(event), "\(event) is in the log")
    }
    #expect(!FileManager.default.fileExists(atPath: server.admin))
}
