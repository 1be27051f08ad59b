import Foundation
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
}
