import Foundation
import Journal
import ServerCore
import TestKit
import Testing

/// `bjserver accounts`, of a folder without a server, and command lines of `ctl` that make no sense.
@Suite(.ownThread) struct AccountCommandTests {
    private let scratch = DataScratch()

    @Test func otherFolders_areLeftAlone() throws {
        #expect(try scratch.accounts("export", "ann").status == 66)
        try FileManager.default.createDirectory(atPath: scratch.path("data"), withIntermediateDirectories: true)
        try Data("mine".utf8).write(to: URL(filePath: scratch.path("data/notes.tmp")))
        let ending = try scratch.accounts("export", "ann")
        #expect(ending.status == 66 && ending.errors.contains("has no journal"))
        #expect(try scratch.files() == ["notes.tmp"])
    }

    @Test(arguments: [
        ["accounts"], ["accounts", "/tmp"], ["accounts", "/tmp", "export"], ["accounts", "/tmp", "explode", "ann"],
        ["backup", "/tmp"],
        ["ctl", "-s", "/tmp/none", "credit", "ann"], ["ctl", "-s", "/tmp/none", "accounts", "ann"],
        ["ctl", "-s", "/tmp/none", "tables", "--limit", "3"], ["ctl", "-s", "/tmp/none", "account"],
        ["ctl", "-s", "/tmp/none", "account", "ann", "--unused-since", "2026-01-01"], ["ctl", "-s", "/tmp/none", "explode"],
        ["ctl", "-s", "/tmp/none", "kick", "--reason"], ["ctl", "-s", "/tmp/none", "kick", "ann", "--file", "/dev/null"],
    ])
    func aCommandThatMakesNoSense_isAUsageError(_ words: [String]) throws {
        let ending = try DataScratch().run("bjserver", words)
        #expect(ending.status == 64 && !ending.errors.isEmpty && ending.output.isEmpty)
    }
}
