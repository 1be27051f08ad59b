import Foundation
import Journal
import ServerCore
import TestKit
import Testing

/// `bjserver accounts`: offline, through the journal of a server that has ended.
@Suite(.ownThread) struct AccountCommandTests {
    private let scratch = DataScratch()

    /// Fills the folder with the accounts of ann and bob, of a server that was killed.
    private func openAccounts() throws {
        let server = try DataServer(on: scratch)
        try server.account("ann")
        try server.account("bob")
        server.kill()
    }

    @Test func theAccountsAreListed_forPeopleAndForPrograms() throws {
        try openAccounts()
        let list = try scratch.accounts()
        #expect(list.status == 0 && list.errors.isEmpty)
        let rows = list.output.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
        #expect(rows.map { $0[1] } == ["NAME", "ann", "bob"] && rows[1][3] == "1000")
        #expect(rows[0].contains("SEEN") && rows[1][6].hasPrefix("20"), "\(list.output)")
        let json = try scratch.accounts("show", "ANN", "--json")
        #expect(
            json.output.hasPrefix(#"[{"chips":1000,"chipsAtTable":0,"created":"20"#) && json.output.contains(#""issued":1000"#))
        #expect(!(list.output + json.output).contains(DataServer.secret("ann").prefix(16)))
    }

    @Test func chipsAreCreditedAndTakenBack_andTheServerKnows() throws {
        try openAccounts()
        #expect(try scratch.accounts("credit", "ann", "500").output == "ann got 500 chips and has 1500.\n")
        #expect(try scratch.accounts("credit", "Ann", "-1400", "--json").output.contains("ann gave back 1400 chips and has 100."))
        let refused = try scratch.accounts("credit", "ann", "-101")
        #expect(
            refused.status == 1 && refused.output.isEmpty && refused.errors.contains("ann has 100 chips; an account has 0 to"))
        let server = try DataServer(on: scratch)
        #expect(try server.login("ann").contains(#""chips":100"#))
        server.stop()
        #expect(server.shell.log.contains("imbalance=0"))
    }

    @Test func accountsThatNobodyUses_areDeletedTogether_butNotThoseOfTheDisabled() throws {
        try openAccounts()
        #expect(try scratch.accounts("disable", "bob").status == 0)
        let nobody = try scratch.accounts("delete", "--unused-since", "2001-02-03")
        #expect(nobody.status == 0 && nobody.errors.contains("0 accounts are deleted"))
        let deleted = try scratch.accounts("delete", "--unused-since", "2999-01-01")
        #expect(deleted.status == 0 && deleted.output.contains(" ann ") && !deleted.output.contains("bob"))
        #expect(deleted.errors.contains("1 account is deleted, and 1000 chips are back in the bank."))
        #expect(try scratch.accounts("show", "ann").status == 1 && scratch.accounts("show", "bob").status == 0)
        for wrong in [
            ["delete", "ann", "--unused-since", "2026-01-01"], ["list", "--unused-since", "2026-01-01"],
            ["delete", "--unused-since", "soon"], ["delete"],
        ] {
            #expect(try scratch.run("bjserver", ["accounts", scratch.path("data")] + wrong).status == 64, "\(wrong)")
        }
        let server = try DataServer(on: scratch)
        server.stop()
        #expect(server.shell.log.contains("imbalance=0"))
    }

    @Test func aNameIsChanged_unlessItIsInUse() throws {
        try openAccounts()
        #expect(try scratch.accounts("rename", "ann", "B0b").status == 1, "it looks like bob")
        #expect(try scratch.accounts("rename", "ann", "Anna").output == "ann is now Anna.\n")
        #expect(try scratch.accounts("show", "ann").status == 1)
        #expect(try scratch.accounts("rename", "anna", "x\u{202E}y").status == 64)
        let server = try DataServer(on: scratch)
        #expect(try server.login("anna", secret: DataServer.secret("ann")).contains(#""name":"Anna","chips":1000"#))
    }

    @Test func aDisabledAccountAdmitsNoLogin_untilItIsEnabled() throws {
        try openAccounts()
        #expect(try scratch.accounts("disable", "ann").output == "ann is disabled.\n")
        #expect(try scratch.accounts("list").output.contains("disabled"))
        let server = try DataServer(on: scratch)
        #expect(try server.login("ann").contains("account_disabled"))
        server.kill()
        #expect(try scratch.accounts("enable", "ann").output == "ann is enabled.\n")
        #expect(try DataServer(on: scratch).login("ann").contains(#""chips":1000"#))
    }

    @Test func aNewSecret_isALineForTheClient_andTheOldOneIsVoid() throws {
        try openAccounts()
        let reset = try scratch.accounts("reset-secret", "ann")
        #expect(reset.status == 0 && reset.errors.contains("bjclient accounts import"))
        let imported = try scratch.run("bjclient", ["accounts", "import", "--server", "example.org:7000"], input: reset.output)
        #expect(imported.status == 0 && imported.output.hasPrefix("example.org:7000  ann  house "))
        let fields = try #require(JSONSerialization.jsonObject(with: Data(reset.output.utf8)) as? [String: Any])
        let server = try DataServer(on: scratch)
        #expect(try server.login("ann").contains("wrong_secret"))
        #expect(try server.login("ann", secret: #require(fields["secret"] as? String)).contains(#""chips":1000"#))
    }

    @Test func aDeletedAccountIsGone_itsChipsAreInTheBank_andItsNameIsFree() throws {
        try openAccounts()
        let deleted = try scratch.accounts("delete", "ann")
        #expect(deleted.output.hasPrefix("ann is deleted, and 1000 chips are back in the bank. Older segments"))
        #expect(try scratch.accounts("delete", "ann").status == 1)
        let state = try DataSnapshot(folder: scratch.path("data")).state
        #expect(state.account(named: "ann") == nil && state.bank == -1000 && state.ledger == 0)
        let server = try DataServer(on: scratch)
        #expect(try server.login("ann", secret: DataServer.secret("eve")).contains(#""type":"ok""#))
    }

    @Test func aPlayerWithASeat_keepsNameAndChips_andDeadlinesMoveByTheTimeBefore() throws {
        let server = try DataServer(on: scratch)
        try server.account("bob")
        _ = try server.bettor("ann")
        server.kill()
        for words in [["credit", "ann", "5"], ["rename", "ann", "anna"], ["delete", "ann"]] {
            let ending = try scratch.run("bjserver", ["accounts", scratch.path("data")] + words)
            #expect(ending.status == 1 && ending.errors.contains("ann has a seat at table main"))
        }
        let before = try DataSnapshot(folder: scratch.path("data")).state
        var offline = try OfflineAccounts(
            FileStorage(path: scratch.path("data"), creating: false), wallClock: before.time + 3_600_000
        ) { _ in }
        _ = try offline.change(accountNamed: "bob", .credit(1))
        offline.close()
        let after = try DataSnapshot(folder: scratch.path("data")).state
        let deadlines = [before, after].compactMap { $0.tables["main"]?.table.nextEvent?.milliseconds }
        #expect(deadlines.count == 2 && deadlines[1] - deadlines[0] == 3_600_000)
        #expect(after.ledger == 0 && after.accounts.count == 2)
        #expect(try scratch.run("bjserver", ["audit", scratch.path("data")]).status == 0)
    }

    @Test func aFolderInUseIsReadOnly_andTheErrorNamesTheOtherCommand() throws {
        let server = try DataServer(on: scratch)
        try server.account("ann")
        for words in [["credit", "ann", "5"], ["disable", "ann"], ["reset-secret", "ann"]] {
            let ending = try scratch.run("bjserver", ["accounts", scratch.path("data")] + words)
            let command = "bjserver ctl --data \(scratch.path("data")) \(words.joined(separator: " "))"
            #expect(ending.status == 69 && ending.errors.contains("use '\(command)', or stop it"))
        }
        #expect(try scratch.accounts().output.contains("ann") && scratch.accounts("show", "ann").status == 0)
        #expect(try server.login("ann").contains(#""chips":1000"#))
    }

    @Test func otherFolders_areLeftAlone() throws {
        #expect(try scratch.accounts().status == 66)
        try FileManager.default.createDirectory(atPath: scratch.path("data"), withIntermediateDirectories: true)
        try Data("mine".utf8).write(to: URL(filePath: scratch.path("data/notes.tmp")))
        for words in [["list"], ["credit", "ann", "5"]] {
            let ending = try scratch.run("bjserver", ["accounts", scratch.path("data")] + words)
            #expect(ending.status == 66 && ending.errors.contains("has no journal"))
        }
        #expect(try scratch.files() == ["notes.tmp"])
    }

    @Test func aDamagedJournal_isReportedWithItsPlace_andStaysAsItIs() throws {
        try openAccounts()
        try scratch.damage("data/segment-0000000001.log", at: #""name":"ann""#)
        for words in [["list"], ["credit", "ann", "5"]] {
            let ending = try scratch.run("bjserver", ["accounts", scratch.path("data")] + words)
            #expect(ending.status == 65 && ending.errors.contains("segment-0000000001.log is damaged at byte "))
        }
        let backup = try scratch.run("bjserver", ["backup", scratch.path("data"), scratch.path("copy")])
        #expect(backup.status == 65 && !FileManager.default.fileExists(atPath: scratch.path("copy")))
    }

    @Test(arguments: [
        ["accounts"], ["accounts", "/tmp", "credit", "ann"], ["accounts", "/tmp", "credit", "ann", "0"],
        ["accounts", "/tmp", "credit", "ann", "9999999999999"], ["accounts", "/tmp", "credit", "ann", "many"],
        ["accounts", "/tmp", "show"], ["accounts", "/tmp", "list", "ann"], ["accounts", "/tmp", "delete", "ann", "now"],
        ["accounts", "/tmp", "rename", "ann"], ["accounts", "/tmp", "explode"], ["backup", "/tmp"],
        ["ctl", "-s", "/tmp/none", "credit", "ann"], ["ctl", "-s", "/tmp/none", "credit", "ann", "x"],
        ["ctl", "-s", "/tmp/none", "rename", "ann", "a  b"], ["ctl", "-s", "/tmp/none", "accounts", "ann"],
        ["ctl", "-s", "/tmp/none", "tables", "--limit", "3"], ["ctl", "-s", "/tmp/none", "account"],
    ])
    func aCommandThatMakesNoSense_isAUsageError(_ words: [String]) throws {
        let ending = try DataScratch().run("bjserver", words)
        #expect(ending.status == 64 && !ending.errors.isEmpty && ending.output.isEmpty)
    }
}
