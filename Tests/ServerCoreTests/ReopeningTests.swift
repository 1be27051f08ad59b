import Rules
import TableEngine
import Testing

@testable import ServerCore

/// The records with which a start begins.
struct ReopeningTests {
    /// Found by `bjbots simulate-system`: the frame of a start survived a crash, those of its loops did not, and the deadlines had not moved.
    @Test func aStartThatIsCutShort_hasMovedTheDeadlines() throws {
        let server = VirtualServer.small(ceremonies: false)
        server.connect(1)
        for line in [login("ann"), #"{"type":"sit"}"#, #"{"type":"bet","amount":10}"#] { server.receive(line, from: 1) }
        let table = try #require(server.shard.hostedTables.first { $0.name == "main" })
        let due = try #require(table.engine.nextEvent)
        let tables = server.shard.configuration.tables
        let first = try Reopening(replayed(server.records), tables: tables, version: "test", at: server.now + 100_000)
        let records = server.records + first.lines
        let second = try Reopening(replayed(records), tables: tables, version: "test", at: server.now + 250_000)
        #expect(second.outage == 150_000)
        #expect(second.state.tables["main"]?.table.nextEvent == due.adding(milliseconds: 250_000))
        #expect(try replayed(records + second.lines).tables["main"]?.table == second.state.tables["main"]?.table)
    }
}
