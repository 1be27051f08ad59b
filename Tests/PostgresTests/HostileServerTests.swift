import Journal
import ServerCore
import TableEngine
import TableModel
import TestKit
import Testing
import Wire

@testable import Postgres

/// A database that is an attacker's: every call ends, with words.
@Suite(.ownThread)
final class HostileServerTests {
    private typealias Answer = ScriptedServer.Answer
    private var servers: [ScriptedServer] = []

    deinit { for server in servers { server.stop() } }

    private func server(
        greeting: ScriptedServer.Answer = .bytes(ScriptedServer.greeting),
        _ answer: @escaping @Sendable (String, Int) -> ScriptedServer.Answer? = { _, _ in nil }
    ) throws -> ScriptedServer {
        servers.append(try ScriptedServer(greeting: greeting, answer))
        return servers[servers.count - 1]
    }

    private func refusal(_ server: ScriptedServer, _ options: String = "", milliseconds: Int = 600_000) throws -> String {
        let url = try DatabaseURL("\(server.url)\(options)")
        do throws(DatabaseError) { _ = try DatabaseConnection.open(url, by: .after(milliseconds)) } catch { return "\(error)" }
        return "none"
    }

    // MARK: Talking without end

    private static let floods: [[UInt8]] = [
        notice("N", severity: "NOTICE", state: "00000", "words"), message("S", text("application_name") + text("x")),
        row([[1]]), row([]), message("C", text("SELECT 1")), message("1", []),
    ]

    @Test(arguments: floods) func aServerThatNeverStopsTalking_isLeftAtTheDeadline(_ message: [UInt8]) throws {
        let server = try server { statement, _ in statement == "lease" ? .flood(message) : nil }
        let lease = PostgresLease(server.url, partition: 1, timeout: 200)
        #expect(failure { try lease.status() }?.text == "the server is not responding")
    }

    /// Long messages: a megabyte of short ones takes seconds on a busy machine, and a host has three.
    private static let longFloods: [[UInt8]] = {
        let words = String(repeating: "x", count: 1 << 13)
        return [
            notice("N", severity: "NOTICE", state: "00000", words), message("S", text("application_name") + text(words)),
            row([Array(words.utf8)]), message("C", text(words)),
        ]
    }()

    @Test(arguments: longFloods) func aLoginWithoutEnd_isLeftAfterItsBytes(_ message: [UInt8]) throws {
        let server = try server(greeting: .flood(message))
        let words = try refusal(server)
        #expect(words.contains(/without proof|longer than/))
    }

    /// A megabyte at a time.
    @Test func anAnswerWithoutEnd_isLeftAfterItsBytes() throws {
        let long = row([[UInt8](repeating: 0, count: 1 << 20)])
        let server = try server { statement, _ in statement == "endless" ? .flood(long) : nil }
        let connection = try DatabaseConnection.open(server.url, by: .after(600_000))
        #expect(throws: DatabaseError.away("the server's answer is longer than 336592896 bytes")) {
            try connection.execute(Statement(name: "endless", sql: ""), [], by: .after(600_000))
        }
    }

    // MARK: Logins

    @Test func aLoginWithoutProof_isRefusedWhereTheURLAsksForOne() throws {
        let server = try server()
        #expect(try refusal(server) == "none")
        #expect(try refusal(server, "&require_auth=none") == "none")
        #expect(try refusal(server, "&require_auth=scram-sha-256").contains("require_auth is scram-sha-256"))
        let asking = try self.server(greeting: .bytes(message("R", number(10) + text("SCRAM-SHA-256") + [0])))
        #expect(try refusal(asking, "&require_auth=none").contains("require_auth is none"))
    }

    /// Each step of a login in the wrong place.
    @Test(arguments: [
        ScriptedServer.ready, message("K", number(7) + number(1)), message("R", number(11) + [7]),
        message("R", number(12) + [7]), message("R", number(0)) + message("R", number(0)),
        message("R", number(0)) + message("R", number(10) + text("SCRAM-SHA-256") + [0]), row([[1]]),
    ])
    func aLoginInAnotherOrder_isRefused(_ greeting: [UInt8]) throws {
        #expect(try refusal(server(greeting: .bytes(greeting))).contains("without proof, or out of order"))
    }

    @Test func aPooler_anotherEncoding_andASessionThatLosesCommits_areRefusedByName() throws {
        let pooler = try server { statement, _ in statement == "settings" ? .row([[], ScriptedServer.int8(8)]) : nil }
        #expect(try refusal(pooler).contains("PgBouncer"))
        let words = "unsupported startup parameter: search_path"
        let strict = try server(greeting: .bytes(notice("E", severity: "FATAL", state: "08P01", words)))
        #expect(try refusal(strict).contains("PgBouncer"))
        let fast = "synchronous_commit=off"
        let unsafe = try server { statement, _ in
            statement == "settings" ? .row([Array(fast.utf8), ScriptedServer.int8(7)]) : nil
        }
        #expect(try refusal(unsafe).contains(fast))
        let latin = ScriptedServer.settings(standby: false, encoding: "LATIN1")
        let greeting = message("R", number(0)) + latin + message("K", number(7) + number(1)) + ScriptedServer.ready
        #expect(try refusal(server(greeting: .bytes(greeting))).contains("the encoding LATIN1"))
    }

    // MARK: Rows

    /// Every call gets any number of columns with any bytes: none traps, and a damaged row is named.
    @Test func rowsOfAnyShape_areErrorsOrValues() throws {
        var generator = SeededGenerator()
        let extremes: [[UInt8]?] = [
            nil, [], [0xFF], ScriptedServer.int8(.min), ScriptedServer.int8(.max), ScriptedServer.int8(-1),
            ScriptedServer.int8(0),
            ScriptedServer.int8(1), ScriptedServer.int8(3), ScriptedServer.int8(70_000), ScriptedServer.int8(1 << 62),
            Array("ann".utf8),
            [UInt8](repeating: 7, count: 32), [UInt8](repeating: 0xFF, count: 300),
        ]
        for round in 0..<Thorough.count(60, most: 2000) {
            let columns = (0..<generator.below(11)).map { _ in extremes[generator.below(extremes.count)] }
            let rows = Array(repeatElement(row(columns), count: 1 + generator.below(3)).joined())
            let answer = Answer.bytes(rows + message("C", text("SELECT 1")) + ScriptedServer.ready)
            let server = try ScriptedServer { statement, _ in statement == "settings" ? nil : answer }
            defer { server.stop() }
            for (name, call) in try calls(of: server.url) {
                do { try call() } catch let error as JournalError {
                    #expect(error.kind != .unavailable, "seed \(Seed.value), round \(round), \(name): \(error)")
                }
            }
        }
    }

    private func calls(of url: DatabaseURL) throws -> [(String, () throws -> Void)] {
        let registry = PostgresRegistry(url, partition: 1, of: 3, epoch: 1)
        let lease = PostgresLease(url, partition: 1)
        let storage = PostgresStorage(url, partition: 1, access: .owner(epoch: 1))
        let name = try PlayerName("ann")
        let row = AccountRow(id: PlayerID(1), name: name, place: 1, secret: nil)
        return [
            ("store", { _ = try PostgresStore(opening: url).accounts() }), ("status", { _ = try lease.status() }),
            ("notice", { _ = try lease.notice() }), ("renew", { _ = try lease.renew(1) }), ("names", { _ = try storage.names() }),
            ("time", { _ = try storage.modificationTime(of: "a") }), ("lock", { try? storage.lock() }),
            (
                "file",
                {
                    let file = try storage.open("a", forWriting: true)
                    _ = try storage.size(of: file)
                    var bytes: [UInt8] = []
                    try storage.read(file, at: 5, count: 100, into: &bytes)
                    try storage.write([1], to: file, at: 3)
                }
            ), ("row", { _ = try registry.row(named: name) }),
            ("here", { _ = try registry.rowsHere(after: PlayerID(7), limit: 3) }),
            ("away", { _ = try registry.rowsAway(limit: 3) }), ("ended", { _ = try registry.endedRows(at: 3, limit: 1) }),
            ("insert", { _ = try registry.insert(name, secret: nil) }),
            ("replace", { _ = try registry.replace(row, serial: 0) }),
            ("remove", { _ = try registry.remove(row.id, serial: 0) }),
            ("exchange", { _ = try registry.exchange(nil) }),
        ]
    }
}
