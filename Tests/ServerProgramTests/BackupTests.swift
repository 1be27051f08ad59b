import Foundation
import ServerCore
import TestKit
import Testing

@Suite(.ownThread) struct BackupTests {
    private let scratch = DataScratch()

    @Test func aCopyOfALiveFolder_isWhatAServerGoesOnFrom() throws {
        let server = try DataServer(on: scratch)
        try server.account("bob")
        _ = try server.bettor("ann")
        let backup = try scratch.run("bjserver", ["backup", scratch.path("data"), scratch.path("new/copy")])
        #expect(backup.status == 0 && backup.output.contains(", accounts: 2, tables: 1."))
        #expect(try !scratch.files("new/copy").contains("lock"))
        let attributes = try FileManager.default.attributesOfItem(atPath: scratch.path("new/copy"))
        #expect(attributes[.posixPermissions] as? Int == 0o700)
        // Later than the backup.
        _ = try scratch.control("credit", "bob", "77")
        server.kill()
        let restored = try DataServer(on: scratch, data: "new/copy")
        #expect(try restored.login("bob").contains(#""chips":1000"#))
        #expect(try restored.login("ann").contains(#""table":"main","seats":[1]"#))
        restored.kill()
        #expect(try DataSnapshot(folder: scratch.path("new/copy")).state.ledger == 0)
    }

    @Test func aTargetWithFiles_andASourceWithoutAJournal_areRefused() throws {
        let server = try DataServer(on: scratch)
        try server.account("ann")
        let full = try scratch.run("bjserver", ["backup", scratch.path("data"), scratch.path("data")])
        #expect(full.status == 73 && full.errors.contains("is not empty"))
        let beneath = try scratch.run("bjserver", ["backup", scratch.path("data"), "/proc/none/copy"])
        #expect(beneath.status == 73)
        // A start would refuse the copy.
        try FileManager.default.createDirectory(atPath: scratch.path("shared"), withIntermediateDirectories: true)
        try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: scratch.path("shared"))
        let shared = try scratch.run("bjserver", ["backup", scratch.path("data"), scratch.path("shared")])
        #expect(shared.status == 77 && shared.errors.contains("777"), "\(shared)")
        #expect(try scratch.files("shared").isEmpty)
        let missing = try scratch.run("bjserver", ["backup", scratch.path("none"), scratch.path("copy")])
        #expect(missing.status == 66 && !FileManager.default.fileExists(atPath: scratch.path("copy")))
        server.kill()
    }

    @Test func aRepair_keepsWhatPrecedesTheDamage_saysWhatIsLost_andCanBeUndone() throws {
        let server = try DataServer(on: scratch)
        try server.account("ann")
        try server.account("bob")
        _ = try scratch.control("credit", "ann", "77")
        let busy = try scratch.run("bjserver", ["journal", "repair", scratch.path("data")])
        #expect(busy.status == 69)
        server.kill()
        let healthy = try scratch.run("bjserver", ["journal", "repair", scratch.path("data")])
        #expect(healthy.status == 0 && healthy.output.contains("nothing was changed"))
        try FileManager.default.createDirectory(atPath: scratch.path("empty"), withIntermediateDirectories: true)
        let empty = try scratch.run("bjserver", ["journal", "repair", scratch.path("empty")])
        #expect(empty.status == 66 && empty.errors.contains("has no journal"))
        let segment = URL(filePath: scratch.path("data/segment-0000000001.log"))
        var bytes = try Data(contentsOf: segment)
        let second = try #require(bytes.range(of: Data(#""type":"account","account":2"#.utf8)))
        bytes[second.lowerBound + 1] ^= 1
        try bytes.write(to: segment)
        let refused = try scratch.run("bjserver", ["--listen", "127.0.0.1:0", "--data", scratch.path("data")])
        let ways = "cannot be read; restore a backup, or keep the readable part with 'bjserver journal repair'\n"
        #expect(refused.status == 65 && refused.errors.hasSuffix(ways))
        #expect(try scratch.run("bjserver", ["audit", scratch.path("data")]).errors.hasSuffix(ways))
        let repair = try scratch.run("bjserver", ["journal", "repair", scratch.path("data")])
        #expect(
            repair.status == 0 && repair.output.contains("1 accounts, 1 tables")
                && repair.output.contains("Lost: everything after that"))
        #expect(try scratch.files("data").contains("segment-0000000001.log.damaged"))
        #expect(try Data(contentsOf: URL(filePath: segment.path() + ".damaged")) == bytes)
        let restored = try DataServer(on: scratch)
        #expect(try restored.login("ann").contains(#""chips":1000"#))
        restored.kill()
    }
}
