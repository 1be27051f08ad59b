import CommandLineKit
import Foundation
import TestKit
import Testing

/// Data that each release wrote, with a hand in play: each later version recovers them and goes on with that hand.
///
/// `BJ_RECORD=1` records them with this build under `Release.version`, beside those of the releases before.
@Suite(.ownThread) struct GoldenDataTests {
    private static let golden = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Golden")
    private static let releases = ["1.0.0", "1.1.0"]

    private static func records(_ release: String) -> Bool {
        ProcessInfo.processInfo.environment["BJ_RECORD"] == "1" && release == Release.version
    }

    private let scratch = DataScratch()

    private func audit(_ data: String) throws {
        let audit = try scratch.run("bjserver", ["audit", data])
        #expect(audit.status == 0 && audit.output.contains("imbalance 0"), "\(audit)")
    }

    private func player(_ port: Int) throws -> RawPeer {
        let ann = try #require(RawPeer(port: port))
        ann.send(#"{"type":"login","name":"ann","secret":"\#(DataServer.secret("ann"))","id":"l"}"#)
        return ann
    }

    /// Leaves the table while ann is asked; the seed's cards let her decide.
    private func bet(_ port: Int) throws {
        let ann = try player(port)
        ann.send(#"{"type":"sit"}"#)
        ann.send(#"{"type":"bet","amount":10,"id":"b","round":0}"#)
        _ = try #require(ann.line(with: #""actions""#))
    }

    /// Ends the hand in play: ann stands.
    private func finish(_ port: Int) throws {
        let ann = try player(port)
        let login = try #require(ann.line(with: #""id":"l""#))
        #expect(login.contains(#""table":"main","seats":[1]"#), "\(login)")
        ann.send(#"{"type":"watch"}"#)
        let table = try #require(ann.line(with: #""snapshot""#))
        #expect(table.contains(#""hand":1,"turn":1"#) && table.contains(#""b1.1":10"#), "\(table)")
        ann.send(#"{"type":"act","action":"stand","id":"s","turn":1}"#)
        #expect(ann.line(with: #""id":"s""#)?.contains(#""ok""#) == true)
        #expect(ann.line(with: #""outcome""#) != nil)
    }

    @Test(arguments: releases) func theFolder_isRecovered_andItsHandGoesOn(_ release: String) throws {
        let folder = Self.golden.appending(path: "folder-\(release).txt")
        let data = scratch.path("data")
        if Self.records(release) {
            let first = try DataServer(on: scratch, "--seed 37")
            try bet(first.port)
            first.kill()
            // A name, the size, and the bytes without repetitions of the last one: a journal reserves room ahead.
            let files = try scratch.files().filter { !$0.hasSuffix(".sock") }.map { name in
                let bytes = try Data(contentsOf: URL(filePath: "\(data)/\(name)"))
                let written = bytes.prefix((bytes.lastIndex { $0 != bytes.last } ?? -1) + 2)
                return "\(name) \(bytes.count) \(written.base64EncodedString())\n"
            }
            try files.joined().write(to: folder, atomically: true, encoding: .utf8)
            try FileManager.default.removeItem(atPath: data)
        }
        try FileManager.default.createDirectory(
            atPath: data, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        for line in try String(contentsOf: folder, encoding: .utf8).split(separator: "\n") {
            let file = line.split(separator: " ", omittingEmptySubsequences: false)
            let (size, written) = try (#require(Int(file[1])), #require(Data(base64Encoded: String(file[2]))))
            let content = written + Data(repeating: written.last ?? 0, count: size - written.count)
            #expect(
                FileManager.default.createFile(
                    atPath: "\(data)/\(file[0])", contents: content, attributes: [.posixPermissions: 0o600]))
        }
        try audit(data)
        let server = try DataServer(on: scratch, "--seed 37")
        try finish(server.port)
        server.stop()
        try audit(data)
    }

    @Test(.postgres, arguments: releases) func theStore_isRecovered_andItsHandGoesOn(_ release: String) throws {
        let store = Self.golden.appending(path: "store-\(release).sql")
        let database = try PostgresServer()
        defer { database.remove() }
        func server(_ url: String) throws -> ShellServer {
            try ShellServer(
                "exec \"$0\" --listen 127.0.0.1:0 --data '\(url)' --admin '\(scratch.path("a.sock"))' "
                    + "--settle 0s --seed 37 2>\"$1/log\"")
        }
        if Self.records(release) {
            let url = try database.newDatabase()
            let made = try scratch.run("bjserver", ["store", "create", url])
            #expect(made.status == 0, "\(made)")
            let first = try server(url)
            try bet(try first.port())
            first.end(SIGTERM)
            try database.dump(of: url).write(to: store, atomically: true, encoding: .utf8)
        }
        try database.load(store.path)
        try audit(database.url())
        let next = try server(database.url())
        try finish(try next.port())
        next.end(SIGTERM)
        try audit(database.url())
    }
}
