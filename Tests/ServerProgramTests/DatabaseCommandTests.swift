import Foundation
import TestKit
import Testing

/// Commands about data in a database: those about a folder, with a URL.
@Suite(.ownThread, .postgres)
struct DatabaseCommandTests {
    private let scratch = DataScratch()

    @Test func aJournalMovesToADatabaseAndBack_andEveryCommandReadsItThere() throws {
        let database = try PostgresServer()
        defer { database.remove() }
        let url = database.url()
        let server = try DataServer(on: scratch)
        try server.account("ann")
        try server.account("bob")
        #expect(try scratch.control("credit", "ann", "77").status == 0)
        server.kill()
        func run(_ words: String...) throws -> Tool.Ending { try scratch.run("bjserver", words) }
        #expect(try run("audit", url).status == 66)
        let created = try run("store", "create", url, "--partitions", "1")
        #expect(created.status == 0 && created.output.contains("1 partition"))
        #expect(try run("store", "create", url).status == 73)
        for words in [["audit"], ["journal", "repair"]] {
            let empty = try scratch.run("bjserver", words + [url])
            #expect(empty.status == 66 && empty.errors.contains("has no journal yet: its first owner creates one"))
        }

        let copied = try run("backup", scratch.path("data"), url)
        #expect(copied.status == 0 && copied.output.contains("2 accounts"), "\(copied)")
        #expect(try run("backup", scratch.path("data"), url).status == 73)
        let shown = try run("store", "status", url).output
        #expect(try shown.contains("partition 1: no owner, epoch 2") && shown.contains(house()), "\(shown)")

        for words in [["audit"], ["accounts", "export", "ann"], ["journal"], ["history"]] {
            func output(_ data: String) throws -> String {
                try scratch.run("bjserver", [words[0], data] + words.dropFirst()).output
            }
            #expect(try output(url) == output(scratch.path("data")), "\(words)")
        }
        #expect(try run("journal", "repair", url).output.contains("nothing was changed"))
        #expect(try run("audit", url).output.contains("imbalance 0"))

        #expect(try run("backup", url, scratch.path("back")).status == 0)
        let restored = try DataServer(on: scratch, data: "back")
        #expect(try restored.login("ann").contains(#""chips":1077"#))
        restored.kill()
        // A server has it, and renews.
        let stop = try renewing(database)
        defer { stop() }
        let busy = try run("journal", "repair", url)
        #expect(busy.status == 69, "\(busy)")
        try database.sql("DELETE FROM bjserver.store")
        for words in [["store", "create", url], ["store", "status", url], ["audit", url]] {
            let ended = try scratch.run("bjserver", words)
            #expect(ended.status == 65 && ended.errors.contains("the row of bjserver.store is missing"), "\(words) \(ended)")
        }
    }

    /// The house of a folder's journal, as text.
    private func house() throws -> String {
        let anchor = try String(contentsOfFile: scratch.path("data/anchor.json"), encoding: .utf8)
        return try #require(anchor.firstMatch(of: /"house":"0*([0-9a-f]+)"/).map { String($0.1) })
    }

    /// An owner that renews until it is stopped.
    private func renewing(_ database: PostgresServer) throws -> () -> Void {
        try database.sql("UPDATE bjserver.partition SET owner = 'server', epoch = epoch + 1")
        // The database itself: a process for each renewal would be late on a busy machine.
        DispatchQueue(label: "owner").async {
            _ = try? database.sql(
                """
                DO $$ BEGIN LOOP
                  UPDATE bjserver.partition SET renewals = renewals + 1; COMMIT; PERFORM pg_sleep_for('200 ms');
                END LOOP; END $$
                """)
        }
        return {
            _ = try? database.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'DO %renewals%'")
        }
    }

    @Test func aPasswordInTheURL_isRefused_andNotRepeated() throws {
        let result = try scratch.run("bjserver", ["audit", "postgres://bj:hunter2@localhost/bj"])
        #expect(result.status == 64)
        #expect(result.errors.contains("PGPASSFILE") && !result.errors.contains("hunter2"))
    }
}
