import Foundation
import TestKit
import Testing

/// A server that cannot start leaves nothing behind that it has made.
@Suite(.ownThread) struct FailedStartTests {
    @Test func aTakenPort_leavesNoDataFolder_andAFolderThatWasThereStays() throws {
        let scratch = try DataScratch()
        let server = try DataServer(on: scratch)
        let words = ["--listen", "127.0.0.1:\(server.port)", "--data", scratch.path("new/2121")]
        let refused = try scratch.run("bjserver", words)
        #expect(refused.status == 69 && refused.errors.contains("perhaps a bjserver that still runs"))
        #expect(!FileManager.default.fileExists(atPath: scratch.path("new")))
        try FileManager.default.createDirectory(atPath: scratch.path("new/2121"), withIntermediateDirectories: true)
        #expect(try scratch.run("bjserver", words).status == 69)
        #expect(try !scratch.files("new/2121").isEmpty)
        // A second server on the folder of the first.
        let second = try scratch.run("bjserver", ["--listen", "127.0.0.1:0", "--data", scratch.path("data")])
        #expect(second.status == 73 && second.errors.contains("another"))
        try server.account("ann")
        #expect(try scratch.files().contains("lock"))
    }

    /// SIGHUP finds the owner's account, also where nothing outlives the process.
    @Test func withoutData_theOwnerComesWithAReload() throws {
        let server = try ShellServer(
            "exec \"$0\" --listen 127.0.0.1:0 --data none --config \"$1/bj.json\" 2>\"$1/log\"",
            settings: #"{"tables": [{"name": "friends", "owner": "ann"}]}"#)
        let ann = try #require(ShellPeer(port: try server.port()))
        #expect(server.log.contains("event=table_owner_unknown table=friends owner=ann data=none"))
        ann.send(#"{"type":"login","name":"ann","secret":"\#(String(repeating: "a1", count: 32))"}"#)
        ann.send(#"{"type":"sit","id":1}"#)
        #expect(ann.line(with: #""id":1"#) != nil)
        server.signal(SIGHUP)
        #expect(server.waits(forLog: "event=table_owned table=friends owner=ann"))
        ann.send(#"{"type":"pass","pass":"open sesame","id":2}"#)
        #expect(ann.line(with: #""id":2"#)?.contains(#""type":"ok""#) == true)
        server.signal(SIGTERM)
    }
}
