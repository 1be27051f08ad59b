import Foundation
import TestKit
import Testing

/// Servers of a database, as an operator starts them.
@Suite(.ownThread, .serialized, .postgres)
final class SpareTests {
    private let database: PostgresServer
    private let scratch: DataScratch

    init() throws {
        (database, scratch) = (try PostgresServer(), DataScratch())
        _ = try scratch.run("bjserver", ["store", "create", database.url()])
    }

    deinit { database.remove() }

    private func server(_ more: String = "") throws -> ShellServer {
        try ShellServer(
            "exec \"$0\" --listen 127.0.0.1:0 --data '\(database.url())' --lease 1s --settle 0s \(more) 2>\"$1/log\"")
    }

    private func run(_ words: String...) throws -> Tool.Ending { try scratch.run("bjserver", words) }

    private func start(_ words: String...) throws -> Tool.Ending {
        try scratch.run("bjserver", ["--listen", "127.0.0.1:0", "--lease", "1s"] + words)
    }

    @Test func anOwnerThatStoodStill_endsWith75_andItsSpareGoesOnWithItsPlayers() throws {
        let socket = scratch.path("spare.sock")
        let owner = try server()
        let port = try owner.port()
        let (ann, bob) = (try #require(RawPeer(port: port)), try #require(RawPeer(port: port)))
        for (peer, name) in [(ann, "ann"), (bob, "bob")] {
            peer.send(#"{"type":"login","name":"\#(name)","secret":"\#(DataServer.secret(name))","id":"l"}"#)
            peer.send(#"{"type":"sit","id":"s"}"#)
            _ = try #require(peer.line(with: #""id":"s""#))
        }
        // Bob has not bet: the cards wait for him.
        ann.send(#"{"type":"bet","amount":10,"round":0,"id":"b"}"#)
        #expect(try #require(ann.line(with: #""id":"b""#)).contains(#""type":"ok""#))
        // Of another configuration: the table of the owner is not in it.
        let spare = try server("--table other --admin '\(socket)'")
        #expect(Waiting.until { (try? run("store", "status", database.url()))?.output.contains("\nspare ") == true })
        var answer = try run("ctl", "--socket", socket, "tables")
        _ = try Waiting.until {
            answer = try run("ctl", "--socket", socket, "tables")
            return answer.status == 1
        }
        #expect(answer.errors.contains("This server is a spare: ask the owner"))
        owner.signal(SIGSTOP)
        let next = try spare.port()
        owner.signal(SIGCONT)
        #expect(owner.status() == 75)
        #expect(spare.waits(forLog: "event=table_not_continued") && spare.log.contains("ann, bob"))
        let back = try #require(RawPeer(port: next))
        back.send(#"{"type":"login","name":"ann","secret":"\#(DataServer.secret("ann"))","id":"l"}"#)
        // The bet, too.
        #expect(try #require(back.line(with: #""id":"l""#)).contains(#""chips":1000"#))
        #expect(try run("ctl", "--socket", socket, "tables").status == 0)
        #expect(spare.end(SIGTERM) == 0)
        #expect(try run("audit", database.url()).status == 0)
    }

    @Test func queriesAreAnswered_whileTheDatabaseIsAway_andItsStallIsNoneOfADisk() throws {
        let socket = scratch.path("owner.sock")
        let owner = try server("--admin '\(socket)' --metrics 127.0.0.1:0")
        let player = try #require(RawPeer(port: try owner.port()))
        player.send(#"{"type":"login","name":"ann","secret":"\#(DataServer.secret("ann"))","id":"l"}"#)
        _ = try #require(player.line(with: #""id":"l""#))
        database.stop(abruptly: true)
        player.send(#"{"type":"sit","id":"s"}"#)
        let stall = "the newest changes may not be stored"
        #expect(try Waiting.until { try run("ctl", "--socket", socket, "tables").errors.contains(stall) })
        for query in ["tables", "players", "accounts", "config", "stats", "bans", "standings"] {
            let answer = try run("ctl", "--socket", socket, query)
            #expect(answer.status == 0 && answer.errors.contains(stall), "\(query) \(answer)")
        }
        let refusal = try run("ctl", "--socket", socket, "account", "nobody")
        #expect(refusal.status == 1 && refusal.errors.contains(stall) && !refusal.errors.contains("takes effect"), "\(refusal)")
        #expect(owner.waits(forLog: "event=lease_in_doubt"))
        try database.start()
        #expect(owner.waits(forLog: "event=storage_caught_up") && !owner.log.contains("event=disk"))
        #expect(owner.log.contains("role=spare") && owner.log.contains("role=owner"))
        #expect(try !run("ctl", "--socket", socket, "tables").errors.contains(stall))
        #expect(owner.end(SIGTERM) == 0)
    }

    @Test func aStartWhileTheDatabaseIsAway_waitsAsASpare_andPlaysOnceItIsBack() throws {
        let socket = scratch.path("away.sock")
        database.stop()
        let server = try server("--metrics 127.0.0.1:0 --admin '\(socket)'")
        let metrics = try server.port("metrics on 127.0.0.1:")
        let ready = try run("healthcheck", "127.0.0.1:\(metrics)")
        #expect(ready.status == 1 && ready.text.contains("spare"), "\(ready)")
        #expect(server.waits(forLog: "event=database_away"))
        #expect(try run("ctl", "--socket", socket, "tables").text.contains("This server is a spare"))
        try database.start()
        _ = try server.port()
        #expect(try run("healthcheck", "127.0.0.1:\(metrics)").status == 0)
        #expect(server.end(SIGTERM) == 0)
    }

    /// No spare waits for the lease of a process that has ended.
    @Test func anOwnerThatCannotListen_givesThePartitionUp() throws {
        let ended = try start("--data", database.url(), "--listen", "192.0.2.1:0")
        #expect(ended.status == 69 && ended.errors.contains("cannot listen on 192.0.2.1:0"), "\(ended)")
        let status = try scratch.run("bjserver", ["store", "status", database.url()])
        #expect(status.output.contains("no owner"), "\(status)")
    }

    @Test func anEmptiedStore_andDamagedRows_endAServerAndItsCommandsWith65_andTheReason() throws {
        let first = try server()
        _ = try first.port()
        #expect(first.end(SIGTERM) == 0)
        try database.sql("CREATE TABLE kept AS TABLE bjserver.file; CREATE TABLE owners AS TABLE bjserver.partition")
        let damagedAnchor = """
            UPDATE bjserver.file SET name = 'anchor' WHERE name = 'anchor.json';
            UPDATE bjserver.file SET name = 'anchor.json'
                WHERE name = (SELECT min(name) FROM bjserver.file WHERE name LIKE 'segment%')
            """
        for (statement, reason) in [
            ("DELETE FROM bjserver.file", "anchor.json is missing"),
            ("DELETE FROM bjserver.file WHERE name = 'anchor.json'", "anchor.json is missing"),
            (damagedAnchor, "anchor.json is damaged"),
            ("UPDATE bjserver.partition SET epoch = -1", "is damaged"),
            ("UPDATE bjserver.partition SET renewals = 9223372036854775807", "is damaged"),
            ("DELETE FROM bjserver.partition", "partition 1 is missing"),
        ] {
            try database.sql(statement)
            let ended = try start("--data", database.url())
            #expect(ended.status == 65 && ended.errors.contains("event=journal_failed"), "\(ended)")
            #expect(ended.errors.contains(reason), "\(ended)")
            if statement.contains("file") {
                let audited = try run("audit", database.url())
                #expect(audited.status == 65 && audited.errors.contains(reason), "\(audited)")
            }
            try database.sql(
                """
                DELETE FROM bjserver.file; INSERT INTO bjserver.file TABLE kept;
                DELETE FROM bjserver.partition; INSERT INTO bjserver.partition TABLE owners
                """)
        }
    }

    @Test func eachCauseHasOneStatus_ofAServerAndOfCommands() throws {
        let (url, away) = (database.url(), "postgres://bj@/bj?host=\(scratch.path("nowhere"))")
        for (fault, reason) in [
            ("postgress://bj@db/x", "begins with postgres://"), ("postgres:/bj@db/x", "begins with postgres://"),
            ("postgres://bj@db/x?sslmode=", "sslmode="),
            ("postgres://bj:hunter2@db/x", "PGPASSFILE"), ("postgres://db/x", "names no user"),
        ] {
            for ended in [try start("--data", fault), try run("audit", fault), try run("store", "status", fault)] {
                #expect(ended.status == 64 && ended.errors.contains(reason) && !ended.errors.contains("hunter2"), "\(ended)")
            }
        }
        let asked = try run("ctl", "--data", url, "tables")
        #expect(asked.status == 64 && asked.errors.contains("--socket"))
        func both(_ data: String, _ status: Int32, _ reason: String) throws {
            for ended in [try start("--data", data), try run("audit", data)] {
                #expect(ended.status == status && ended.errors.contains(reason), "\(ended)")
                #expect(!ended.errors.contains("--create"))
            }
        }
        let audited = try run("audit", away)
        #expect(audited.status == 69 && audited.errors.contains("No such file"), "\(audited)")
        try both(database.url("nobody"), 66, "nobody")
        try both(database.url("postgres"), 66, "store create")
        try database.sql("CREATE ROLE stranger LOGIN")
        try both(database.url(user: "stranger"), 77, "permission denied")
        try both(database.url(user: "ghost"), 77, "ghost")
        #expect(try run("store", "create", database.url("postgres", user: "stranger")).status == 77)
        #expect(try run("store", "create", url).status == 73)
        try database.sql("UPDATE bjserver.store SET format = 9")
        try both(url, 65, "use the program that wrote it")
        for words in [[], ["audit"], ["store"]] {
            let help = try scratch.run("bjserver", words + ["--help", "all"]).output
            for status in [65, 66, 69, 74, 77] { #expect(help.contains("\n  \(status) "), "\(words) \(status)") }
        }
    }
}
