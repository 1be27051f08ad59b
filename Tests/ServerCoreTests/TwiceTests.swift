import Records
import Rules
import Sockets
import TableEngine
import TableModel
import Testing
import Wire

@testable import ServerCore

/// The effect of a request is once, however often it is sent.
struct TwiceTests {
    private let server = VirtualServer.plain(["low", "high"], seed: 3) { $0.requests = .unreached }

    /// ann has a new connection, and the former one is gone.
    private func comeBack(_ connection: ConnectionID) {
        server.cut(connection - 1)
        server.enter("ann", connection)
    }

    private func engine(_ table: String) throws -> Table {
        try #require(server.shard.hostedTables.first { $0.name == table }).engine
    }

    private func expectNothing(_ line: String, _ connection: ConnectionID, _ expected: String) throws {
        let (records, low, high) = (server.records, try engine("low"), try engine("high"))
        let said = server.say(line, connection)
        #expect(said.contains(expected), "\(line): \(said)")
        #expect(server.records == records, "\(line)")
        #expect(try engine("low") == low && engine("high") == high, "\(line)")
    }

    @Test func beforeAConnectionHasWatched_anOkHasNoRevision() throws {
        server.seat("ann", 1, at: "low")
        comeBack(2)
        #expect(server.answer(to: #"{"type":"sitOut"}"#, 2) == #"{"type":"ok","to":"sitOut"}"#)
        server.receive(#"{"type":"watch"}"#, from: 2)
        _ = server.take()
        #expect(server.answer(to: #"{"type":"sitOut","out":false}"#, 2).contains(#""to":"sitOut","rev":3"#))
    }

    @Test func anOwnersDecisions_areOnce() throws {
        server.expectOwner(of: "low")
        server.enter("ann", 1, owner: "owner-code-1")
        server.receive(#"{"type":"watch","table":"low"}"#, from: 1)
        server.seat("bob", 2, at: "low")
        try server.establish("bob")
        server.receive(#"{"type":"bet","amount":10,"round":"now"}"#, from: 2)
        server.receive([#"{"type":"kick","player":"bob"}"#, #"{"type":"pass","pass":"x"}"#], from: 1)
        _ = server.take()
        #expect(server.say(#"{"type":"kick","player":"bob"}"#, 1) == #"{"type":"ok","to":"kick","minutes":10}"#, "one notice")
        server.cut(2)
        server.advance(1000)
        try expectNothing(#"{"type":"kick","player":"bob","minutes":1}"#, 1, #""to":"kick","minutes":10}"#)
        try expectNothing(#"{"type":"pass","pass":"x"}"#, 1, #""to":"pass""#)
        let bob = try #require(server.shard.player(named: PlayerName("bob")))
        #expect(server.shard.hostedTables[0].sentAway.wait(of: bob, at: server.now) == SentAway.milliseconds - 1000)
        server.receive(#"{"type":"kick","player":"bob","minutes":0}"#, from: 1)
        try expectNothing(#"{"type":"kick","player":"bob","minutes":0}"#, 1, #""to":"kick","minutes":0}"#)
    }

    @Test(arguments: [true, false]) func whoIsSentAwayInAHand_losesTheSeat_alsoOnAnotherConnection(isHere: Bool) throws {
        server.seat("ann", 1, at: "low")
        server.seat("bob", 5, at: "low")
        for player in [ConnectionID(1), 5] { server.receive(#"{"type":"bet","amount":10,"round":"now"}"#, from: player) }
        let ann = try #require(server.shard.player(named: PlayerName("ann")))
        if !isHere { server.cut(1) }
        #expect(server.shard.kick(ann, at: server.now))
        if isHere { server.cut(1) }
        server.enter("ann", 2)
        try expectNothing(#"{"type":"sit"}"#, 2, "not_seated")
        server.advance(60_000)
        #expect(try engine("low").playerView(ann) == nil && server.ledger.imbalance == 0)
    }

    /// A player who has lost all at the table.
    private func broke() throws -> VirtualServer {
        for seed in UInt64(1)...50 {
            var configuration = ShardConfiguration(tables: [.init(name: "low", rules: HouseRules())])
            (configuration.startingChips, configuration.settledMilliseconds) = (10, 0)
            let server = VirtualServer(configuration, seed: seed)
            server.seat("ann", 1)
            server.receive(#"{"type":"bet","amount":10,"round":0}"#, from: 1)
            for action in ["decline", "stand"] {
                server.receive("{\"type\":\"act\",\"action\":\"\(action)\",\"turn\":\"now\"}", from: 1)
            }
            _ = server.take()
            if server.shard.hostedTables[0].engine.playerViews.map(\.bankroll) == [0] { return server }
        }
        throw Rejection.notSeated
    }

    @Test func aPlayerWhoHasLostAll_buysInAtTheSeat_once() throws {
        let server = try broke()
        let said = server.say(#"{"type":"sit"}"#, 1)
        #expect(said.contains(#""to":"sit","table":"low","seat":1,"epoch":"cfbf19bf","rev":3,"rebuy":10}"#))
        let records = server.records
        #expect(server.say(#"{"type":"sit"}"#, 1).contains(#""seat":1,"epoch":"cfbf19bf","rev":3}"#) && server.records == records)
        #expect(server.ledger.tables == 10 && server.ledger.imbalance == 0)
        #expect(try replayed(records).ledger == 0)
        try audit(records)
        let next = try VirtualServer(after: server, outage: 1000)
        #expect(next.ledger.imbalance == 0 && next.shard.hostedTables[0].engine.playerViews.map(\.bankroll) == [10])
    }
}
