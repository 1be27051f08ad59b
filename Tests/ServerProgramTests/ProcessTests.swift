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

    func write(_ text: String, to file: String) throws { try Data(text.utf8).write(to: shell.folder.appending(path: file)) }

    /// The next thing that the service manager hears; empty when it hears nothing for five minutes.
    func hear() -> String {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = recv(manager, &buffer, buffer.count, 0)
        return String(decoding: buffer[..<max(0, count)], as: UTF8.self)
    }

    /// The value of a setting.
    func setting(_ key: String) throws -> String? {
        guard case .table(let table) = try AdminClient.ask(["config"], path: admin, milliseconds: 120_000) else { return nil }
        return table.rows.first { $0[0] == .text(key) }.flatMap { if case .text(let text) = $0[1] { text } else { nil } }
    }

    deinit { close(manager) }
}

#if canImport(Glibc)
    private let datagramType = Int32(SOCK_DGRAM.rawValue)
#else
    private let datagramType = SOCK_DGRAM
#endif

@Test(.ownThread) func aServerIsStartedAskedAndStopped_asAnOperatorDoesIt() throws {
    let server = try ManagedServer(#"{"tables": ["low", "high"], "away": "5m"}"#)
    #expect(server.hear().hasPrefix("READY=1\nSTATUS=Listening on 127.0.0.1:"))
    let metrics = try server.shell.port("metrics on 127.0.0.1:")
    #expect(HealthCheck.run(host: "127.0.0.1", port: metrics, timeout: 300_000) == nil)
    #expect(try server.setting("away") == "5m")

    #expect(try server.setting("tables") == "low,high")
    #expect(
        try AdminClient.ask(["log", "debug"], path: server.admin, milliseconds: 120_000)
            == .done("The log level is debug until the next start."))
    // The kernel's queue has the healthy probe's end before this connection.
    _ = try #require(RawPeer(port: server.shell.port()))
    #expect(server.shell.waits(forLog: "event=connected"))
    try server.write("192.0.2.0/24\n203.0.113.7 # both\n", to: "bans")
    func control(_ words: String...) throws -> Tool.Ending {
        try Tool.run("bjserver", ["ctl", "--socket", server.admin] + words)
    }
    let bans = server.shell.folder.appending(path: "bans").path
    #expect(try control("ban", "--file", bans).output == "2 networks are banned; 0 connections closed.\n")
    #expect(try control("unban", "203.0.113.7").status == 0)
    // One of them is lifted already.
    #expect(try control("unban", "--file", bans).output == "1 of 2 bans lifted.\n")
    #expect(try control("bans").output.split(separator: "\n").count == 1)
    #expect(try control("kick", "--file", bans).status == 64 && control("ban", "--file", server.admin).status == 65)
    #expect(
        try AdminClient.ask(["kick", "nobody"], path: server.admin, milliseconds: 120_000)
            == .refused(code: "no_such_player", message: "There is no player nobody."))
    // Ends it as SIGTERM does.
    server.shell.signal(SIGQUIT)
    #expect(server.hear().hasPrefix("STOPPING=1"))
    #expect(server.shell.status() == 0)
    #expect(server.shell.log.contains("imbalance=0"))
    #expect(!FileManager.default.fileExists(atPath: server.admin))
}
