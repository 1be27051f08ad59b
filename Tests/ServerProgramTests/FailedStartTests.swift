import Foundation
import TestKit
import Testing

/// A server that cannot start leaves nothing behind that it has made.
@Suite(.ownThread) struct FailedStartTests {
    private let scratch = DataScratch()

    @Test func aTakenPort_leavesNoDataFolder_andAFolderThatWasThereStays() throws {
        let server = try DataServer(on: scratch)
        let words = ["--listen", "127.0.0.1:\(server.port)", "--data", scratch.path("new/2121"), "--create"]
        let refused = try scratch.run("bjserver", words)
        #expect(refused.status == 69 && refused.errors.contains("perhaps another bjserver"))
        #expect(!FileManager.default.fileExists(atPath: scratch.path("new")))
        // Its socket for ctl goes, too.
        let late = [
            "--listen", "127.0.0.1:0", "--metrics", "127.0.0.1:\(server.port)", "--data", scratch.path("late"), "--create",
        ]
        #expect(try scratch.run("bjserver", late).status == 69)
        #expect(!FileManager.default.fileExists(atPath: scratch.path("late")))
        try FileManager.default.createDirectory(atPath: scratch.path("new/2121"), withIntermediateDirectories: true)
        #expect(try scratch.run("bjserver", words).status == 69)
        #expect(try !scratch.files("new/2121").isEmpty)
        // A second server on the folder of the first.
        let second = try scratch.run("bjserver", ["--listen", "127.0.0.1:0", "--data", scratch.path("data")])
        #expect(second.status == 69 && second.errors.contains("another"))
        try server.account("ann")
        #expect(try scratch.files().contains("lock"))
    }

    /// A mount point whose disk is not mounted is no new house.
    @Test func aMissingFolder_andAnEmptyOne_needCreate() throws {
        let words = ["--listen", "127.0.0.1:0", "--data", scratch.path("data")]
        let missing = try scratch.run("bjserver", words)
        #expect(missing.status == 66 && missing.errors.contains("is its disk mounted? --create creates one"))
        #expect(!FileManager.default.fileExists(atPath: scratch.path("data")))
        try FileManager.default.createDirectory(atPath: scratch.path("data"), withIntermediateDirectories: true)
        let empty = try scratch.run("bjserver", words)
        #expect(
            empty.status == 66 && empty.errors.contains("has no journal. Is its disk mounted? --create starts a new house there"))
        // Somebody's folder stays as it was.
        try Data().write(to: URL(filePath: scratch.path("data/draft.tmp")))
        #expect(try scratch.run("bjserver", words).status == 66)
        #expect(try scratch.run("bjserver", ["journal", "repair", scratch.path("data")]).status == 66)
        #expect(try scratch.files() == ["draft.tmp"])
        try DataServer(on: scratch).kill()
        let again = try ShellServer("exec \"$0\" --listen 127.0.0.1:0 --data '\(scratch.path("data"))' 2>\"$1/log\"")
        _ = try again.port()
        again.signal(SIGTERM)
        #expect(try scratch.files().contains("draft.tmp"))
        // Without $HOME, there is nowhere to make the default folder.
        let homeless = try ShellServer("HOME=/absent exec \"$0\" 2>\"$1/log\"")
        #expect(homeless.status() == 73 && homeless.log.contains("/absent does not exist"))
    }

    @Test func aFolderThatOthersMayWriteTo_isRefused() throws {
        let server = try DataServer(on: scratch)
        try server.account("ann")
        server.kill()
        for mode in [0o720, 0o702] {
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: scratch.path("data"))
            let refused = try scratch.run("bjserver", ["--listen", "127.0.0.1:0", "--data", scratch.path("data")])
            #expect(refused.status == 77 && refused.errors.contains("other users may write to"))
            #expect(try scratch.run("bjserver", ["journal", "repair", scratch.path("data")]).status == 77)
            #expect(try scratch.accounts("export", "ann").status == 0)
        }
    }
}
