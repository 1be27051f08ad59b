import CommandLineKit
import Foundation
import ServerCore
import TestKit
import Testing

@testable import bjserver

/// `ctl` and the socket of the server that it asks.
@Suite(.ownThread) struct ServerSocketTests {
    private let scratch = DataScratch()

    @Test func aSocketElsewhere_isFoundByTheFolder_andTheLogSaysWhichProcessItIs() throws {
        let socket = scratch.path("a.sock")
        let server = try DataServer(on: scratch, "--admin '\(socket)'")
        #expect(try scratch.control("tables").status == 0)
        let identity = "event=started version=\(Release.version) pid=\(server.shell.process.processIdentifier) role=single"
        #expect(
            server.shell.waits(
                forLog: "\(identity) listen=127.0.0.1:\(server.port) admin=\(socket) data=\(scratch.path("data"))"))
        // Of a link that leads nowhere, the error has the way.
        let wrong = try scratch.run("bjserver", ["ctl", "--data", scratch.path("wrong"), "tables"])
        #expect(wrong.status == 69 && wrong.errors.contains("cannot connect to \(scratch.path("wrong/admin.sock"))"))
        server.stop()
        #expect(try !scratch.files().contains("admin.sock"))
        try DataServer(on: scratch, "--admin '\(socket)'").kill()
        // The former link is no socket of this one.
        let next = try DataServer(on: scratch)
        #expect(try scratch.control("tables").status == 0)
        next.stop()
    }

    @Test func ctlFindsTheOnlyServerThatRuns_andNamesTheSocketsOfSeveral() throws {
        let (home, unit) = (scratch.path("state/bjserver"), scratch.path("run"))
        for folder in ["\(home)/2121", "\(home)/2199", unit] {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        }
        var sockets = ServerSocket(environment: ["XDG_STATE_HOME": scratch.path("state")])
        sockets.unitFolders = [unit]
        func fault() -> String {
            do { return try sockets.find() } catch { return "\(error)" }
        }
        #expect(fault().contains("no server is running with data in \(home), \(unit)"))
        let packaged = try AdminListener(path: "\(unit)/admin.sock") { _ in .done("") }
        // Two paths of one socket.
        #expect(ServerSocket.link(in: "\(home)/2199", to: "\(unit)/admin.sock") == 0)
        #expect(try sockets.find() == "\(unit)/admin.sock")
        let own = try AdminListener(path: "\(home)/2121/admin.sock") { _ in .done("") }
        #expect(fault().hasSuffix("choose one with --socket: \(home)/2121/admin.sock, \(unit)/admin.sock"))
        packaged.stop()
        #expect(try sockets.find() == "\(home)/2121/admin.sock")
        own.stop()
    }
}
