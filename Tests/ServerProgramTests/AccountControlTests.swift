import Foundation
import Journal
import ServerCore
import Synchronization
import TestKit
import Testing

/// `bjserver ctl`: accounts of a running server.
@Suite(.ownThread) struct AccountControlTests {
    private let scratch = DataScratch()

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

    /// Of 1970: a command takes no later day than yesterday.
    @Test func accountsThatNobodyUses_areListedAndDeletedTogether_butNotThoseThatAreDisabled() throws {
        let now = try DataServer(on: scratch)
        for name in ["ann", "bob", "cay"] { try now.account(name).send(#"{"type":"logout"}"#) }
        _ = try AdminClient.ask(["disable", "bob"], path: scratch.path("data/admin.sock"), milliseconds: 120_000)
        now.stop()
        let log = try DurableLog(
            JournalFolder(locking: FileStorage(path: scratch.path("old"), creating: true)), continuing: JournalEnd(), house: 7,
            callbacks: .init(failed: { Issue.record("\($0)") }))
        try DataSnapshot(folder: scratch.path("data")).lines { line, _ in
            let text = String(decoding: line, as: UTF8.self).replacing(#/"time":[0-9]+/#, with: #""time":1000"#)
            _ = log.append(Array("\(text)\n".utf8))
        }
        #expect(log.close())
        let server = try DataServer(on: scratch, data: "old")
        try server.account("eve").send(#"{"type":"logout"}"#)
        func control(_ words: String...) throws -> String {
            let ending = try scratch.run("bjserver", ["ctl", "--data", scratch.path("old")] + words)
            return ending.output + ending.errors
        }
        let list = try control("delete", "--unused-since", "1970-01-02", "--limit", "1")
        #expect(
            list.contains(" ann ") && list.contains("1 more account is not listed (see --limit). --yes deletes them."), "\(list)")
        let deleted = try control("delete", "--unused-since", "1970-01-02", "--limit", "1", "--yes")
        #expect(deleted.contains("1 account is deleted; 1000 chips returned to the bank."), "\(deleted)")
        let rest = try control("delete", "--unused-since", "1970-01-02")
        #expect(rest.contains(" cay ") && !rest.contains(" bob ") && !rest.contains(" eve "), "\(rest)")
        #expect(try control("delete", "--unused-since", "1970-01-02", "--yes").contains("1 account is deleted"))
        let accounts = try control("accounts")
        #expect(accounts.contains(" bob ") && accounts.contains(" eve ") && !accounts.contains(" cay "), "\(accounts)")
        server.kill()
    }
}
