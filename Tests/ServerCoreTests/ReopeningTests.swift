import Records
import Rules
import TableEngine
import Testing

@testable import ServerCore

/// The records with which a start begins.
struct ReopeningTests {
    /// Found by `bjverify simulate-system`: the frame of a start survived a crash, those of its loop did not, and the deadlines had not moved.
    @Test func aStartThatIsCutShort_hasMovedTheDeadlines() throws {
        let server = VirtualServer.small(ceremonies: false)
        server.connect(1)
        server.receive([login("ann"), #"{"type":"sit"}"#, #"{"type":"bet","amount":10,"round":"now"}"#], from: 1)
        let table = try #require(server.shard.hostedTables.first { $0.name == "main" })
        let due = try #require(table.engine.nextEvent)
        let configuration = server.shard.configuration
        let first = try Reopening(replayed(server.records), configuration, version: "test", at: server.now + 100_000)
        let records = server.records + first.lines
        let second = try Reopening(replayed(records), configuration, version: "test", at: server.now + 250_000)
        #expect(second.outage == 150_000)
        #expect(second.state.tables["main"]?.table.nextEvent == due.adding(milliseconds: 250_000))
        #expect(try replayed(records + second.lines).tables["main"]?.table == second.state.tables["main"]?.table)
    }

    /// Found by `bjverify simulate-system` (world 985212139).
    @Test func aTableThatIsClosedAtAStart_playsItsDueTimeOutsFirst_alsoWhereTheClockWasSetBack() throws {
        let server = VirtualServer.small(ceremonies: false)
        server.connect(1)
        server.receive([login("ann"), #"{"type":"sit"}"#, #"{"type":"bet","amount":10,"round":"now"}"#], from: 1)
        server.cut(1)
        let due = try #require(server.shard.hostedTables.first { $0.name == "main" }?.engine.nextEvent)
        // Another loop was later.
        let records = server.records + Record.stopped(time: due.milliseconds + 100).encoded()
        let start = try Reopening(replayed(records), ShardConfiguration(tables: []), version: "test", at: server.now - 500_000)
        #expect(start.state.tables.isEmpty && start.closed.contains { $0.name == "main" })
        try audit(records + start.lines)
    }

    @Test func aTableThatGoesOn_takesTheConfiguredPace() throws {
        let server = VirtualServer.small(ceremonies: false)
        server.connect(1)
        server.receive([login("ann"), #"{"type":"sit"}"#, #"{"type":"bet","amount":10,"round":"now"}"#], from: 1)
        let due = try #require(server.shard.hostedTables.first { $0.name == "main" }?.engine.nextEvent)
        let records = server.records
        let state = try replayed(records)
        var configuration = server.shard.configuration
        configuration.settledMilliseconds = 2500
        configuration.graceMilliseconds = 7000
        configuration.sitOutMilliseconds = 60_000
        configuration.bankMilliseconds = 1000
        let first = try Reopening(state, configuration, version: "test", at: server.now + 5000)
        let table = try #require(first.state.tables["main"])
        #expect(table.pace == configuration.pace && table.table.nextEvent == due.adding(milliseconds: 5000))
        #expect(String(decoding: first.lines, as: UTF8.self).contains(#"{"type":"paced","table":"main","time":"#))
        try audit(records + first.lines)
        // The next start finds it so.
        let second = try Reopening(replayed(records + first.lines), configuration, version: "test", at: server.now + 9000)
        #expect(second.state.tables["main"]?.pace == configuration.pace)
        #expect(!String(decoding: second.lines, as: UTF8.self).contains("paced"))
    }

    /// A round whose clocks have no end, and a bot that no later start seats: as in practice.
    @Test(arguments: [true, false]) func theAbsent_giveUpTheirSeats_atAPersonsLogin_whereOnePersonPlays(_ absentLeave: Bool)
        throws
    {
        let names = ["ann", "bob", "eve"]
        // With this seed ann and bob are asked.
        let server = VirtualServer.plain(seed: 1) { $0.tables[0].hasCeremonies = false }
        for (index, name) in names.enumerated() {
            let connection = ConnectionID(index + 1)
            server.connect(connection)
            server.receive([login(name), #"{"type":"sit"}"#], from: connection)
        }
        for connection: ConnectionID in [1, 2] { server.receive(#"{"type":"bet","amount":10,"round":"now"}"#, from: connection) }
        server.receive(#"{"type":"sitOut"}"#, from: 3)
        let after = try VirtualServer(after: server, outage: 1000) { $0.absentLeave = absentLeave }
        after.connect(1)
        after.receive([login("ann"), #"{"type":"act","action":"stand","turn":"now"}"#], from: 1)
        let (table, players) = (after.shard.hostedTables[0].engine, after.shard.hostedTables[0].engine.playerViews)
        let isBobsTurn = if case .playing(seat: 2, _, _) = table.phase { true } else { false }
        #expect(isBobsTurn != absentLeave, "\(table.phase)")
        #expect(players.count == (absentLeave ? 1 : 3))
        try audit(after.records)
    }

    @Test func anOwnersPhraseHolds_whereTheTablesOfTheJournalGoOn() throws {
        let server = VirtualServer.plain(["low", "high"], pass: "of the file")
        let state = try replayed(server.records)
        #expect(state.openTables == server.shard.configuration.tables.sorted { $0.name < $1.name })
        var configuration = server.shard.configuration
        configuration.tables = state.openTables
        #expect(try Reopening(state, configuration, version: "test", at: server.now).overruled.isEmpty)
    }
}
