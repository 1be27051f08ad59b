import Records
import Rules
import TableEngine
import TestKit
import Testing
import Wire

@testable import ServerCore

private func makeServer() -> VirtualServer {
    var configuration = ShardConfiguration(tables: [
        .init(name: "main", rules: HouseRules()), .init(name: "mine", rules: HouseRules(), owner: "ann"),
    ])
    configuration.settledMilliseconds = 0
    configuration.requests = .unreached
    return VirtualServer(configuration)
}

extension VirtualServer {
    fileprivate func enter(_ name: String, _ connection: ConnectionID, _ table: String? = nil) {
        connect(connection)
        receive(login(name), from: connection)
        if let table { receive("{\"type\":\"sit\",\"table\":\"\(table)\"}", from: connection) }
        _ = take()
    }

    fileprivate func say(_ line: String, _ connection: ConnectionID) -> String {
        receive(line, from: connection)
        return take(connection).joined(separator: "\n")
    }

    /// A server where ann has an account, started again: "mine" is hers.
    fileprivate static func owned() throws -> VirtualServer {
        let first = makeServer()
        first.enter("ann", 1, "main")
        first.receive(#"{"type":"leave"}"#, from: 1)
        first.receive(#"{"type":"logout"}"#, from: 1)
        return try VirtualServer(after: first, outage: 1000)
    }

    fileprivate func table(_ name: String) -> HostedTable? { shard.hostedTables.first { $0.name == name } }
}

/// Requests of a table's owner, refused to everybody else.
struct TableOwnerTests {
    @Test func aTable_isOwnedByAnAccountThatExists_fromTheNextStartOn() throws {
        let first = makeServer()
        #expect(first.table("mine")?.owner == nil)
        #expect(first.logged.contains { $0.contains("table_owner_unknown") && $0.contains("owner=ann") })
        first.enter("ann", 1, "main")
        let second = try VirtualServer(after: first, outage: 1000)
        let id = try #require(second.table("mine")?.owner?.id)
        #expect(try replayed(second.records).tables["mine"]?.owner == id)
        second.advance(1000)
        second.connect(1)
        second.receive(#"{"type":"lobby"}"#, from: 1)
        #expect(second.take(1).last?.contains(#""owner":"ann""#) == true)
        let third = try VirtualServer(after: second, outage: 1000)
        #expect(third.table("mine")?.owner?.id == id && third.table("mine")?.epoch != nil)
        #expect(try replayed(third.records).tables["mine"]?.owner == id)
    }

    @Test func aHandAtATable_whoseOwnerHasGotAnAccount_goesOn() throws {
        let first = makeServer()
        first.enter("ann", 1, "mine")
        first.receive(#"{"type":"bet","amount":10,"round":"now"}"#, from: 1)
        let before = try #require(first.shard.shown("mine")).snapshot
        #expect(before.phase == .playing || before.phase == .insurance || before.phase == .settled)
        let second = try VirtualServer(after: first, outage: 1000)
        #expect(second.table("mine")?.owner?.name == "ann")
        let after = try #require(second.shard.shown("mine")).snapshot
        #expect(after.hands == before.hands && after.phase == before.phase && second.ledger.imbalance == 0)
    }

    @Test func others_mayNeitherKickNorChangeThePhrase() throws {
        let server = try VirtualServer.owned()
        server.enter("bob", 2, "mine")
        server.enter("cid", 3, "mine")
        #expect(server.say(#"{"type":"kick","player":"cid"}"#, 2).contains("not_owner"))
        #expect(server.say(#"{"type":"pass","pass":"x"}"#, 2).contains("not_owner"))
        server.enter("dee", 4, "main")
        #expect(server.say(#"{"type":"pass","pass":"x"}"#, 4).contains("not_owner"))
        server.enter("ann", 5)
        #expect(server.say(#"{"type":"kick","player":"cid"}"#, 5).contains("not_at_table"), "ann is at no table")
        #expect(server.table("mine")?.pass == nil && server.shard.accounts.values.count { $0.table?.name == "mine" } == 2)
    }

    @Test func aPlayerWhoIsSentAway_keepsTheChips_andMaySitElsewhere_andHereLater() throws {
        let server = try VirtualServer.owned()
        server.enter("ann", 1)
        server.receive(#"{"type":"watch","table":"mine"}"#, from: 1)
        server.enter("bob", 2, "mine")
        server.receive(#"{"type":"kick","player":"BOB"}"#, from: 1)
        let outputs = server.take()
        #expect(outputs.contains(.closed(2)))
        let texts = outputs.compactMap { if case .line(let to, let text) = $0 { "\(to) \(text)" } else { nil } }
        #expect(texts.contains { $0.hasPrefix(#"1 {"type":"notice","kind":"kicked","name":"bob","by":"ann""#) })
        #expect(
            texts.contains {
                $0.hasPrefix(#"2 {"type":"bye","code":"kicked""#)
                    && $0.contains("ann, the owner of table mine, has sent you away for 10 minutes.")
            })
        server.cut(2)
        server.enter("bob", 3)
        let refused = server.say(#"{"type":"sit","table":"mine"}"#, 3)
        #expect(refused.contains("sent_away") && refused.contains(#""retryAfter":600000"#))
        #expect(server.say(#"{"type":"watch","table":"mine"}"#, 3).contains(#""code":"sent_away""#))
        let resumed = server.say(#"{"type":"resume","table":"mine","epoch":"","rev":0}"#, 3)
        #expect(resumed.contains(#""code":"sent_away""#))
        #expect(server.say(#"{"type":"chat","text":"hello again"}"#, 3).contains("not_at_table"))
        #expect(server.say(#"{"type":"sit","table":"main"}"#, 3).contains(#""to":"sit","table":"main""#))
        server.receive(#"{"type":"leave"}"#, from: 3)
        server.advance(SentAway.milliseconds)
        #expect(server.say(#"{"type":"sit","table":"mine"}"#, 3).contains(#""to":"sit","table":"mine""#))
        #expect(server.ledger.imbalance == 0)
    }

    @Test func aHandInPlay_standsAndIsSettled() throws {
        let server = try VirtualServer.owned()
        server.enter("ann", 1)
        server.receive(#"{"type":"watch","table":"mine"}"#, from: 1)
        server.enter("bob", 2, "mine")
        server.receive(#"{"type":"bet","amount":10,"round":"now"}"#, from: 2)
        server.receive(#"{"type":"kick","player":"bob"}"#, from: 1)
        server.cut(2)
        server.advance(60_000)
        #expect(server.table("mine")?.engine.playerViews.isEmpty == true && server.ledger.imbalance == 0)
        #expect(server.facts.contains { if case .settled = $0 { true } else { false } })
    }

    @Test func aPlayerSentAwayDuringAHand_seesNoMoreOfTheTable() throws {
        let server = try VirtualServer.owned()
        server.enter("ann", 1)
        server.receive(#"{"type":"watch","table":"mine"}"#, from: 1)
        server.enter("bob", 2, "mine")
        server.enter("cid", 3, "mine")
        for connection in ConnectionID(2)...3 { server.receive(#"{"type":"bet","amount":10,"round":"now"}"#, from: connection) }
        server.receive(#"{"type":"kick","player":"bob"}"#, from: 1)
        server.cut(2)
        server.connect(4)
        _ = server.take()
        #expect(server.say(login("bob"), 4).contains(#""table":"mine""#), "the hand is in play")
        #expect(server.say(#"{"type":"resume","epoch":"","rev":0}"#, 4).contains(#""code":"sent_away""#))
        #expect(server.say(#"{"type":"watch"}"#, 4).contains(#""code":"sent_away""#))
        #expect(server.say(#"{"type":"chat","text":"hello again"}"#, 4).contains("not_at_table"))
    }

    @Test func whoIsNotThere_isNotKicked() throws {
        let server = try VirtualServer.owned()
        server.enter("ann", 1, "mine")
        server.enter("bob", 2, "main")
        for name in ["bob", "nobody", "", "ann", "0 0"] {
            #expect(server.say("{\"type\":\"kick\",\"player\":\"\(name)\"}", 1).contains("no_such_player"), "\(name)")
        }
    }

    @Test func thePhrase_survivesACrash_andCanBeTakenAway() throws {
        let server = try VirtualServer.owned()
        server.enter("ann", 1, "mine")
        #expect(server.say(#"{"type":"pass","pass":"open sesame"}"#, 1).contains(#""to":"pass""#))
        #expect(!server.logged.contains { $0.contains("sesame") })
        let next = try VirtualServer(after: server, outage: 1000)
        next.enter("bob", 2)
        #expect(next.say(#"{"type":"watch","table":"mine"}"#, 2).contains("wrong_pass"))
        #expect(next.say(#"{"type":"watch","table":"mine","pass":"open sesame"}"#, 2).contains(#""to":"watch""#))
        next.enter("ann", 1)
        next.receive(#"{"type":"resume","table":"mine","epoch":"","rev":0}"#, from: 1)
        #expect(next.say(#"{"type":"pass"}"#, 1).contains(#""to":"pass""#))
        next.enter("cid", 3, "mine")
        #expect(next.table("mine")?.pass == nil && next.table("mine")?.engine.playerViews.count == 2)
    }

    @Test func theListOfPlayersSentAway_isBounded() {
        var list = SentAway()
        for number in 1...1000 { list.insert(PlayerID(number), until: Int64(number) + SentAway.milliseconds) }
        let kept = (1...1000).filter { list.wait(of: PlayerID($0), at: 1000) != nil }
        #expect(kept == Array(1000 - SentAway.capacity + 1...1000))
        #expect(list.wait(of: PlayerID(1000), at: 1000 + SentAway.milliseconds) == nil)
    }

    @Test func anOwnerWhoIsRenamed_orDeleted_isSoInTheLobby() throws {
        let server = try VirtualServer.owned()
        let id = try #require(server.table("mine")?.owner?.id)
        server.shard.ownerChanged(id, name: "anna")
        #expect(server.table("mine")?.summary.owner == "anna")
        server.shard.ownerChanged(id, name: nil)
        #expect(server.table("mine")?.owner == nil)
    }
}
