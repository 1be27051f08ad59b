import CommandLineKit
import Foundation
import ServerCore
import TestKit
import Testing

@testable import bjserver

/// `ctl` and the socket of the server that it asks.
@Suite(.ownThread) struct ServerSocketTests {
    private let scratch = DataScratch()

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
