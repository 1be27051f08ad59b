import CommandLineKit
import Foundation
import Journal
import Postgres
import ServerCore

/// `bjserver audit`: recomputes a journal.
struct AuditOptions: DataCommand {
    static let program = "bjserver audit"

    var folder = ""
    var json = false

    static let command = Command<AuditOptions, ServerProgram>(
        "audit", "Recomputes every round of a journal.", defaults: AuditOptions(), program: ServerProgram.data
    ) { command in
        command.discussion(
            """
            Reads all stored records and checks each one: frames against their checksums, cards against the shoe's key, \
            moves against the rules, payouts, and the conservation of chips. Every checkpoint must equal the state that the \
            records produce. The audit does not change the data, and may run beside the server.

            If --history has removed older segments, the audit starts from the oldest remaining checkpoint and prints its \
            frame. An incomplete write at the end, as after a power cut, is not an error: the audit reports what a start would \
            remove.

            A store with several partitions is audited in one database snapshot, including the accounts' rows: \
            each account must be in exactly one place, and no chips may be lost between them. '?partition=K' in the URL audits one \
            partition.

            The audit stops at the first wrong record and prints its file, frame, line and table, and the expected value.
            """)
        command.dataFolder(\.folder)
        command.flag("--json", \.json, help: "Prints JSON: an object with the counts, or with the reason.")
        command.example("bjserver audit /var/lib/bjserver", "audit a server's journal")
    }
}

extension AuditOptions {
    private struct Counts: Encodable {
        let cutFile: String?
        let frames, records, rounds, hands, decisions, cards, shoes, accounts, tables, issued: Int
        /// The first frame audited.
        let firstFrame: UInt64
        let cutBytes: Int

        init(_ report: AuditReport) {
            let (sum, cut) = (report.summary, report.end.cut)
            (cutFile, cutBytes, frames, firstFrame) = (cut?.file, cut?.bytes ?? 0, Int(report.frames), report.start + 1)
            (records, rounds, hands, decisions) = (sum.records, sum.rounds, sum.hands, sum.decisions)
            (cards, shoes, accounts, tables, issued) = (sum.cards, sum.shoes, sum.accounts, sum.tables, sum.issued)
        }
    }

    private struct HouseCounts: Encodable {
        /// By partition; null for one that no server has had.
        let partitions: [Counts?]
        let accounts, accountsInPartitions, accountsInRows, accountsOnTheWay: Int
    }

    private struct Fault: Encodable { let reason: String }

    func run() {
        do throws(JournalError) {
            if let house = try DataFiles.house(of: folder), house.url.partition == nil { return try audit(house) }
            let report = try JournalFolder(reading: DataFiles.storage(of: folder)).audit()
            json ? Console.print(Console.jsonLine(Counts(report))) : print(report)
        } catch { fail(error) }
    }

    private func fail(_ error: JournalError, in place: String = "") -> Never {
        if json { Console.print(Console.jsonLine(Fault(reason: "\(place)\(error)"))) }
        let text = DataFault.inPlace("\(place)\(error)", of: folder)
        Console.fail(Self.program, text + (error.wayOut.map { "; \($0)" } ?? ""), status: DataFault.status(of: error))
    }

    /// All partitions and rows as of one moment, also while servers play.
    private func audit(_ store: PostgresStore) throws(JournalError) {
        let snapshot = store.houseSnapshot
        var house = HouseAudit()
        var counts: [Counts?] = []
        for partition in 1...store.partitions {
            do throws(JournalError) {
                let report = try JournalFolder(reading: snapshot.files(of: partition)).audit()
                try house.add(report.state, of: partition)
                counts.append(Counts(report))
                if json { continue }
                Console.print("partition \(partition):")
                print(report)
            } catch .empty {
                counts.append(nil)
                if !json { Console.print("partition \(partition): never used by a server") }
            } catch { fail(error, in: "partition \(partition): ") }
        }
        try snapshot.rows { row throws(JournalError) in try house.add(row) }
        try house.finish()
        let (here, inRows, onTheWay) = (house.residents, house.inRows, house.onTheWay)
        guard !json else {
            let sums = HouseCounts(
                partitions: counts, accounts: here + inRows + onTheWay, accountsInPartitions: here, accountsInRows: inRows,
                accountsOnTheWay: onTheWay)
            return Console.print(Console.jsonLine(sums))
        }
        Console.print(
            "house: accounts \(here + inRows + onTheWay), \(here) in partitions, \(inRows) in rows, \(onTheWay) in transit, each in one "
                + "place, imbalance 0")
    }

    private func print(_ report: AuditReport) {
        let (sum, cut) = (report.summary, report.end.cut)
        Console.print(
            """
            frames \(report.frames), records \(sum.records), rounds \(sum.rounds), hands \(sum.hands), decisions \(sum.decisions), \
            cards \(sum.cards), shoes \(sum.shoes)
            accounts \(sum.accounts), open tables \(sum.tables), chips issued \(sum.issued), imbalance 0
            """)
        if report.start > 0 {
            Console.print("Starts at frame \(report.start + 1): older history was removed, so its checkpoint is trusted.")
        }
        if let cut {
            Console.print(
                "The last write is incomplete: \(cut.bytes) bytes at offset \(cut.offset) of \(cut.file). A start removes "
                    + "them: \(report.end.lossByCut).")
        }
    }
}
