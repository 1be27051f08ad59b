import Foundation
import ServerCore
import Synchronization
import TestKit
import Testing

/// `bjserver ctl`: accounts of a running server.
@Suite(.ownThread) struct AccountControlTests {
    private let scratch = DataScratch()

    @Test func accountsAreSeenAndChanged_whereverTheyAre_andTheChangeOutlivesTheProcess() throws {
        var server = try DataServer(on: scratch)
        let ann = try server.account("ann")
        try server.account("bob").send(#"{"type":"logout"}"#)
        #expect(try scratch.control("accounts").output.contains("ann"))
        #expect(try scratch.control("accounts", "--limit", "1").errors.contains("1 more account is not listed (see --limit)."))
        #expect(try scratch.control("credit", "ann", "500").output == "ann got 500 chips and has 1500.\n")
        #expect(try scratch.control("credit", "BOB", "-1000").output == "bob gave back 1000 chips and has 0.\n")
        #expect(try scratch.control("credit", "bob", "-1").status == 1)
        #expect(try scratch.control("rename", "bob", "Ann").errors.contains("The name Ann is in use"))
        #expect(try scratch.control("rename", "bob", "robert").output == "bob is now robert.\n")
        #expect(try scratch.control("account", "robert", "--json").output.contains(#""chips":0"#))
        let detail = try scratch.control("account", "ann", "--json").output
        #expect(detail.contains(#""issued":1500"#) && detail.contains(#""created":"20"#))
        #expect(try scratch.control("disable", "ann").output == "ann is disabled.\n")
        #expect(ann.line(with: #""bye""#)?.contains("kicked") == true)
        let reset = try scratch.control("reset-secret", "robert")
        #expect(reset.errors.contains("bjclient accounts import --server HOST:PORT"))
        #expect(!server.shell.log.contains("secret="))
        server.kill()
        server = try DataServer(on: scratch)
        #expect(try server.login("ann").contains("not_allowed"))
        let fields = try #require(JSONSerialization.jsonObject(with: Data(reset.output.utf8)) as? [String: Any])
        #expect(fields["name"] as? String == "robert" && (fields["server"] as? String)?.hasPrefix("127.0.0.1:") == true)
        #expect(try server.login("robert", secret: #require(fields["secret"] as? String)).contains(#""chips":0"#))
        server.stop()
        #expect(server.shell.log.contains("imbalance=0"))
    }

    @Test func accountsThatNobodyUses_areListed_andDeletedTogether_butNotThoseThatAreHere_orDisabled() throws {
        let server = try DataServer(on: scratch)
        for name in ["ann", "bob", "cay"] { try server.account(name).send(#"{"type":"logout"}"#) }
        let eve = try server.account("eve")
        #expect(try scratch.control("disable", "bob").status == 0)
        func delete(_ words: String...) throws -> Tool.Ending {
            try scratch.run("bjserver", ["ctl", "--data", scratch.path("data"), "delete", "--unused-since"] + words)
        }
        for wrong in ["soon", "2026-13-01"] { #expect(try delete(wrong).status == 64) }
        #expect(try delete("2026-01-01", "ann").status == 64 && delete("2026-01-01", "--limit", "0").status == 64)
        #expect(try scratch.control("delete").status == 64 && scratch.control("credit", "cay", "x").status == 64)
        let nobody = try delete("2001-02-03")
        #expect(nobody.status == 0 && nobody.output.split(separator: "\n").count == 1, "\(nobody)")
        let listed = try delete("2999-01-01", "--limit", "1")
        #expect(listed.output.contains(" ann "), "\(listed)")
        #expect(listed.errors.contains("1 more account is not listed (see --limit). --yes deletes them."))
        let both = try delete("2999-01-01").output
        #expect(!both.contains(" bob ") && !both.contains(" eve "), "\(both)")
        let done = try delete("2999-01-01", "--limit", "1", "--yes").output
        #expect(done == "1 account is deleted; 1000 chips returned to the bank.\n")
        #expect(try delete("2999-01-01", "--yes").output.contains("1 account is deleted"))
        let left = try scratch.control("accounts").output
        #expect(left.contains(" bob ") && left.contains(" eve ") && !left.contains(" ann ") && !left.contains(" cay "))
        eve.send(#"{"type":"logout"}"#)
        server.stop()
        #expect(server.shell.log.contains("imbalance=0"))
    }

    /// Records of the operator's changes stand in the journal in the order in which the server made them: it can be replayed.
    @Test func changesWhileThePlayerComesAndGoes_areAllKept_andTheJournalReplays() throws {
        let server = try DataServer(on: scratch, "--table t0 --table t1")
        try server.account("ann").send(#"{"type":"logout"}"#)
        let credits = Mutex(0)
        let path = scratch.path("data/admin.sock")
        let operating = DispatchGroup()
        DispatchQueue(label: "operator").async(group: operating) {
            for number in 0..<300 {
                let words = number % 3 == 0 ? ["enable", "ann"] : ["credit", "ann", "1"]
                if case .done? = try? AdminClient.ask(words, path: path, milliseconds: 120_000), number % 3 != 0 {
                    credits.withLock { $0 += 1 }
                }
            }
        }
        for number in 0..<60 {
            let ann = try server.player("ann")
            ann.send(#"{"type":"sit","table":"t\#(number % 2)"}"#)
            ann.send(#"{"type":"leave"}"#)
            ann.send(#"{"type":"logout"}"#)
            _ = ann.line(with: #""bye""#)
        }
        operating.wait()
        server.kill()
        let state = try DataSnapshot(folder: scratch.path("data")).state
        #expect(state.account(named: "ann")?.chips == 1000 + credits.withLock { $0 } && credits.withLock { $0 > 0 })
        #expect(state.ledger == 0)
        let audit = try scratch.run("bjserver", ["audit", scratch.path("data")])
        #expect(audit.status == 0, "\(audit.errors)")
    }
}
