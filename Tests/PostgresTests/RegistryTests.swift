import Fairness
import Foundation
import Journal
import Rules
import ServerCore
import Sockets
import Synchronization
import SystemSimulation
import TableEngine
import TableModel
import TestKit
import Testing
import Wire

@testable import Postgres

/// A real server, shared by the tests of this suite.
private let server = Result { try PostgresServer().untilExit() }

/// The rows of accounts, on a real server.
@Suite(.serialized, .ownThread, .postgres)
struct RegistryTests {
    private let store: PostgresStore
    private let (first, second): (PostgresRegistry, PostgresRegistry)

    init() throws {
        let url = try DatabaseURL(try server.get().emptyDatabase())
        try PostgresStore.create(url, partitions: 3, house: 1)
        store = try PostgresStore(opening: url)
        (first, second) = (try Self.claim(1, of: store), try Self.claim(2, of: store))
    }

    private static func claim(_ partition: Int, of store: PostgresStore) throws -> PostgresRegistry {
        var store = store
        store.partition = partition
        return store.registry(epoch: try #require(try store.lease.claim(from: store.lease.status(), as: "test")))
    }

    private func insert(_ name: String, by registry: PostgresRegistry? = nil) throws -> AccountRow {
        let name = try PlayerName(name)
        guard let id = try (registry ?? first).insert(name, secret: digest("s")) else {
            throw TestFailure(text: "\(name) is in use")
        }
        return AccountRow(id: id, name: name, place: (registry ?? first).partition, secret: digest("s"))
    }

    private struct TestFailure: Error { var text: String }

    /// As a row has it whose place is 0.
    private func account(_ id: PlayerID, chips: Int) -> [UInt8] {
        Array(
            #"{"type":"arrived","time":1,"account":\#(id.rawValue),"name":"ann","bot":false,"chips":\#(chips),"issued":\#(chips),"created":1}"#
                .utf8
        )
    }

    private func digest(_ text: String) -> Digest { SHA256.hash(text.utf8) }

    // MARK: Rows

    @Test func aName_andOneThatLooksLikeIt_areOfOneAccount_inAllPartitions() throws {
        let ann = try insert("Ann1")
        for name in ["Ann1", "ann1", "Annl"] {
            #expect(try second.insert(PlayerName(name), secret: nil) == nil)
            #expect(try second.row(named: PlayerName(name)) == ann)
        }
        #expect(try second.row(named: PlayerName("bob")) == nil)
        #expect(try second.row(of: ann.id) == ann)
        #expect(try insert("bob", by: second).id != ann.id)
    }

    @Test func aRowHasAllThatWasWritten() throws {
        var row = try insert("ann")
        (row.name, row.place, row.serial, row.secret, row.isDisabled) = (try PlayerName("Éva"), 0, 7, nil, true)
        (row.ticket, row.end, row.account) = (digest("ticket"), -5, account(row.id, chips: 250))
        #expect(try first.replace(row, serial: 0))
        #expect(try second.row(ticket: digest("ticket")) == row)
        #expect(try second.row(named: PlayerName("ann")) == nil)
        #expect(try second.endedRows(at: -6, limit: 9) == [])
        #expect(try second.endedRows(at: -5, limit: 9) == [row])
        // In a full house guests make no room.
        #expect(try second.endedRows(at: .max, limit: 9) == [])
        let bob = try insert("bob")
        var named = row
        (named.name, named.serial) = (bob.name, 8)
        #expect(try !first.replace(named, serial: 7))
        #expect(try first.row(of: row.id) == row)
    }

    @Test func rowsHere_comeInPages_byTheirIds() throws {
        let rows = try (0..<7).map { try insert("player \($0)") }
        _ = try insert("elsewhere", by: second)
        var found: [AccountRow] = []
        while case let page = try first.rowsHere(after: found.last?.id ?? PlayerID(0), limit: 3), !page.isEmpty { found += page }
        #expect(found == rows)
    }

    /// Each of two servers takes a row as often as it can: every serial is of one of them.
    @Test func ofTwoChangesOfOneSerial_oneHasEffect() throws {
        let row = try insert("ann")
        let wins = Mutex<[UInt64]>([])
        DispatchQueue.concurrentPerform(iterations: 4) { number in
            for serial in UInt64(0)..<40 {
                var next = row
                (next.serial, next.place) = (serial + 1, number % 2 + 1)
                if (try? (number % 2 == 0 ? first : second).replace(next, serial: serial)) == true {
                    wins.withLock { $0.append(serial) }
                }
            }
        }
        let serial = try #require(try first.row(of: row.id)).serial
        #expect(wins.withLock { $0.sorted() } == Array(0..<serial))
        #expect(try !first.remove(row.id, serial: serial + 1))
        #expect(try second.remove(row.id, serial: serial))
        #expect(try !second.remove(row.id, serial: serial))
        #expect(try insert("ann").id != row.id)
    }

    @Test func afterAClaim_noChangeOfTheFormerOwnerHasEffect() throws {
        var row = try insert("ann")
        let next = try Self.claim(1, of: store)
        row.serial = 1
        let changes: [() throws -> Void] = [
            { _ = try first.replace(row, serial: 0) }, { _ = try first.remove(row.id, serial: 0) },
            { _ = try first.insert(PlayerName("bob"), secret: nil) },
            { try first.ban(try #require(AddressBlock("192.0.2.1")), until: nil) },
            { _ = try first.exchange(PartitionNotice(relay: "a:1", tables: [])) },
        ]
        for change in changes { #expect(failure(change)?.kind == .fenced) }
        #expect(try second.exchange(nil).bans.isEmpty && second.exchange(nil).partitions[1]?.relay == nil)
        #expect(try next.row(named: PlayerName("bob")) == nil)
        #expect(try next.replace(row, serial: 0))
        #expect(try next.insert(PlayerName("bob"), secret: nil) != nil)
    }

    @discardableResult
    private func sql(_ text: String) throws -> String { try server.get().sql(text, in: store.url.database) }

    @Test(arguments: [
        ("secret = 'x'", "secret is not 32 bytes"), ("place = 4", "place is 4, not in 0...3"), ("place = -1", "place is -1"),
        ("serial = -1", "serial is -1"), ("name = ''", "name is not a player's name"), ("ticket = ''", "ticket"),
        ("place = 0", "account is not the account"), ("id = -7", "id is -7"),
        ("id = 9223372036854775807", "id is 9223372036854775807"),
    ])
    func aRowThatNoServerHasWritten_isDamage_namedByTableRowAndColumn(_ change: String, _ fault: String) throws {
        let row = try insert("ann")
        try sql("UPDATE bjserver.account SET \(change)")
        let error = failure { try first.row(named: row.name) }
        let key = change.hasPrefix("id") ? "" : ", id \(row.id.rawValue)"
        #expect(error?.kind == .lost, "\(error as Any)")
        #expect(error?.text?.hasPrefix("the row of bjserver.account\(key) is damaged: \(fault)") == true, "\(error as Any)")
        // A snapshot says the same, and the other servers' log.
        if !["name = ''", "id = -7"].contains(change) {
            #expect(throws: JournalError.self) { try store.houseSnapshot.rows { _ in } }
        }
        #expect(try first.exchange(nil).damage.contains { $0.contains(fault) })
    }

    /// More than a page of them, whose end comes first.
    @Test func impossibleRows_endNoExpiry() throws {
        for number in 0..<40 {
            var row = try insert("player \(number)")
            (row.place, row.serial, row.secret, row.end, row.account) = (0, 1, nil, Int64(number), account(row.id, chips: 5))
            #expect(try first.replace(row, serial: 0))
        }
        try sql("UPDATE bjserver.account SET account = '{' WHERE ends < 36")
        #expect(try second.endedRows(at: 99, limit: 8).map(\.name.text) == (36..<40).map { "player \($0)" })
        #expect(try second.rowsAway(limit: 40).rows.count == 4)
        #expect(try second.rowsAway(limit: 40).others == 0)
        let damage = try second.exchange(nil).damage
        #expect(damage.count == 36 && damage.allSatisfy { $0.contains("bjserver.account, id ") }, "\(damage)")
    }

    /// Of the other partitions and bans, the rest holds.
    @Test func impossibleNotices_areLeftOutAndReported() throws {
        let block = try #require(AddressBlock("192.0.2.0/24"))
        for (block, number) in [("nonsense", 5), ("192.0.2.0/24", 6), ("192.0.2.1", -3)] {
            try sql("INSERT INTO bjserver.ban (block, number) VALUES ('\(block)', \(number))")
        }
        try sql("INSERT INTO bjserver.partition (partition) VALUES (-1), (0), (4), (70000), (2147483647)")
        try sql("UPDATE bjserver.partition SET notice = -1 WHERE partition = 3")
        let notice = try first.exchange(nil)
        #expect(notice.partitions.keys.sorted() == [2])
        #expect(notice.bans == [block: nil])
        for words in [
            "bjserver.partition is damaged: partition is -1, not in 1...3", "partition is 70000", "partition is 2147483647",
            "bjserver.partition, partition 3 is damaged: notice is -1", "bjserver.ban, number 5 is damaged: block",
        ] {
            #expect(notice.damage.contains { $0.contains(words) }, "\(words): \(notice.damage)")
        }
    }

    /// A sequence that was set back gives no account the id of another one.
    @Test func idsOfASequenceThatWasSetBack_areNotUsedTwice() throws {
        let ann = try insert("ann")
        try sql("SELECT setval('bjserver.account_id', \(ann.id.rawValue), false)")
        #expect(try first.insert(PlayerName("bob"), secret: nil) == nil)
        #expect(try first.row(of: ann.id) == ann)
        #expect(try ![nil, ann.id].contains(first.insert(PlayerName("bob"), secret: nil)), "the id is not used")
        try sql("ALTER SEQUENCE bjserver.account_id MINVALUE -9 RESTART WITH -5")
        #expect(failure { try first.insert(PlayerName("cay"), secret: nil) }?.kind == .lost)
    }

    /// Any calls of two owners have the results of rows in memory, whose ids differ.
    @Test func aDatabaseAnswersAsRowsInMemory() throws {
        let rows = SharedRows()
        let pairs: [(database: PostgresRegistry, memory: MemoryRegistry)] = [(first, rows.claim(1)), (second, rows.claim(2))]
        let names = try ["ann", "ANN", "b0b", "bob", "cay", "cay 1", "cay l", "dora"].map { try PlayerName($0) }
        var generator = SeededGenerator()
        var ids: [PlayerID: PlayerID] = [:]
        func known(_ row: AccountRow?) -> AccountRow? {
            guard var row else { return nil }
            let chips = row.state?.chips
            row.id = ids[row.id] ?? row.id
            if let chips { row.account = account(row.id, chips: chips) }
            return row
        }
        for step in 0..<400 {
            let (pair, name) = (pairs[generator.below(2)], names[generator.below(names.count)])
            let comment = Comment(rawValue: "seed \(Seed.value), step \(step)")
            let old = rows.rows.isEmpty ? nil : rows.rows[generator.below(rows.rows.count)]
            switch (generator.below(5), old) {
            case (0, _), (_, nil):
                let inserted = try pair.memory.insert(name, secret: nil)
                let found = try pair.database.insert(name, secret: nil)
                #expect((inserted == nil) == (found == nil), comment)
                if let inserted { ids[inserted] = found }
            case (1, let old?):
                let serial = old.serial + UInt64(generator.below(8) / 7)
                let other = try #require(ids[old.id])
                #expect(try pair.memory.remove(old.id, serial: serial) == pair.database.remove(other, serial: serial), comment)
            case (_, let old?):
                var row = old
                (row.name, row.place, row.serial) = (name, generator.below(3), old.serial + UInt64(generator.below(2)))
                (row.end, row.account) = ([nil, 5, 9][generator.below(3)], account(row.id, chips: generator.below(256)))
                row.isDisabled = generator.below(2) == 0
                let serial = old.serial + UInt64(generator.below(8) / 7)
                let expected = try pair.memory.replace(row, serial: serial)
                #expect(try pair.database.replace(try #require(known(row)), serial: serial) == expected, comment)
            }
            #expect(try known(pair.memory.row(named: name)) == pair.database.row(named: name), comment)
        }
        for (database, memory) in pairs {
            let here = try memory.rowsHere(after: PlayerID(0), limit: 99).compactMap(known)
            #expect(try database.rowsHere(after: PlayerID(0), limit: 99) == here, "seed \(Seed.value)")
            let away = try (database.rowsAway(limit: 2), memory.rowsAway(limit: 2))
            #expect(away.0.rows == away.1.rows.compactMap(known) && away.0.others == away.1.others, "seed \(Seed.value)")
            for time: Int64 in [7, .max] {
                let ended = try database.endedRows(at: time, limit: 99).sorted { $0.id.rawValue < $1.id.rawValue }
                let expected = try memory.endedRows(at: time, limit: 99).sorted { $0.id.rawValue < $1.id.rawValue }
                #expect(ended == expected.compactMap(known), "seed \(Seed.value)")
            }
        }
    }

    // MARK: Lost answers

    @Test func aDatabaseThatStops_isWaitedFor_andEveryChangeIsMadeOnce() throws {
        var row = try insert("ann")
        for serial in UInt64(0)..<2 {
            try server.get().stop(abruptly: serial % 2 == 0)
            try server.get().start()
            row.serial = serial + 1
            #expect(try first.replace(row, serial: serial))
        }
        #expect(try second.row(of: row.id) == row)
    }

    @Test func aChangeWithoutAnAnswer_isKnownByItsRow() throws {
        var row = AccountRow(id: PlayerID(4), name: try PlayerName("ann"), place: 1, serial: 3, secret: nil)
        let server = try ScriptedServer { statement, number in
            let count = ScriptedServer.int8
            return switch statement {
            case "replace": number == 1 ? .cut : .row([count(1), count(0)])
            case "row": .row([count(4), Array("ann".utf8), count(1), count(3), nil, count(0), nil, nil, []])
            default: nil
            }
        }
        defer { server.stop() }
        #expect(try PostgresRegistry(server.url, partition: 1, of: 2, epoch: 1).replace(row, serial: 2))
        #expect(server.statements == ["replace", "replace", "row", "barrier"])
        // Another change of the same serial has won.
        row.place = 0
        #expect(try !PostgresRegistry(server.url, partition: 1, of: 2, epoch: 1).replace(row, serial: 2))
    }

    // MARK: The house

    @Test func serversLearnOfEachOther_ofBansAndOfTheNumberOfAccounts() throws {
        #expect(try first.exchange(nil).partitions.keys.sorted() == [2, 3])
        let table = TableSummary(
            name: "high", seats: 5, freeSeats: 4, players: ["ann"], watchers: 2, rules: HouseRules(), isLocked: true,
            owner: "ann",
            edge: -4000)
        let notice = PartitionNotice(relay: "10.0.0.2:2122", tables: [table])
        _ = try second.exchange(notice)
        #expect(try first.exchange(nil).partitions[2] == notice)
        #expect(try first.exchange(nil).partitions[2] == notice)
        let block = try #require(AddressBlock("192.0.2.0/24"))
        try second.ban(block, until: 9_000_000_000_000)
        #expect(try first.exchange(nil).bans == [block: 9_000_000_000_000])
        try first.ban(block, until: nil)
        #expect(try first.exchange(nil).bans == [block: nil] && second.exchange(nil).bans == [block: nil])
        // Accounts that were here once.
        _ = try insert("bob")
        for name in ["ann", "guest"] {
            var row = try insert(name)
            (row.place, row.serial, row.account) = (0, 1, account(row.id, chips: 5))
            if name == "guest" { row.secret = nil }
            #expect(try first.replace(row, serial: 0))
        }
        #expect(try second.exchange(nil).accounts == 1)
        // An owner that has not said where it is.
        _ = try Self.claim(2, of: store)
        #expect(try first.exchange(nil).partitions[2] == PartitionNotice(relay: nil, tables: [table]))
    }
}
