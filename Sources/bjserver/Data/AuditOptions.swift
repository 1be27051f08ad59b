import CommandLineKit
import Foundation
import Journal
import ServerCore

/// `bjserver audit`: recomputes a journal.
struct AuditOptions: Sendable {
    var folder = ""
    var json = false

    static let command = Command<AuditOptions, ServerProgram>(
        "audit", "Recomputes every round of a journal.", defaults: AuditOptions(), program: ServerProgram.audit
    ) { command in
        command.discussion(
            """
            Reads all records that are kept and checks each: frames against their checksums, cards against the shoe's key, moves against \
            the rules, payouts, and that chips are conserved. Every checkpoint has to be the state that the records give. Only reads, \
            also while a server uses the folder.

            If --history has removed older segments, the audit starts from the oldest checkpoint kept, and says at which frame. A torn \
            end, as after a power cut, is no fault: nobody was told of it. The audit says what a start would cut there.

            The first wrong record ends the audit with its file, frame and line; the reason names the table and what would be right.
            """)
        command.dataFolder(\.folder)
        command.flag("--json", \.json, help: "Prints JSON: an object with the counts, or with the reason.")
        command.example("bjserver audit /var/lib/bjserver", "check the journal of a server")
    }
}

extension AuditOptions {
    private struct Counts: Encodable {
        let cutFile: String?
        let frames, records, rounds, hands, decisions, cards, shoes, accounts, tables, issued: Int
        /// The first frame audited.
        let firstFrame: UInt64
        let cutBytes: Int
    }

    private struct Fault: Encodable { let reason: String }

    func run() -> Never {
        do throws(AuditFailure) {
            let storage: any JournalStorage
            do throws(RecoveryError) { storage = try DataFiles.storage(of: folder) } catch { throw .unreadable(error) }
            report(try JournalFolder(reading: storage).audit())
        } catch {
            if json { Console.print(DataText.json(Fault(reason: error.description))) }
            switch error {
            case .unreadable(let error): DataFault.fail("bjserver audit", error)
            case .wrong, .checkpoint: Console.fail("bjserver audit", error, status: DataFault.damaged)
            }
        }
        exit(0)
    }

    private func report(_ report: AuditReport) {
        let (sum, cut) = (report.summary, report.end.cut)
        if json {
            Console.print(
                DataText.json(
                    Counts(
                        cutFile: cut?.file, frames: Int(report.frames), records: sum.records, rounds: sum.rounds,
                        hands: sum.hands,
                        decisions: sum.decisions, cards: sum.cards, shoes: sum.shoes, accounts: sum.accounts, tables: sum.tables,
                        issued: sum.issued, firstFrame: report.start + 1, cutBytes: cut?.bytes ?? 0)))
            return
        }
        Console.print(
            """
            frames \(report.frames), records \(sum.records), rounds \(sum.rounds), hands \(sum.hands), decisions \(sum.decisions), \
            cards \(sum.cards), shoes \(sum.shoes)
            accounts \(sum.accounts), open tables \(sum.tables), chips issued \(sum.issued), imbalance 0
            """)
        if report.start > 0 {
            Console.print("Starts at frame \(report.start + 1): older history is pruned, and its checkpoint is taken as true.")
        }
        if let cut {
            Console.print(
                "The end is torn, or being written: \(cut.bytes) bytes at byte \(cut.offset) of \(cut.file) are no frame. A start cuts "
                    + "them: nobody was told of them.")
        }
    }
}
