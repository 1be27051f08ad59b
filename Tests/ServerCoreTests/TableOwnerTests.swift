import Records
import Sockets
import TableEngine
import TestKit
import Testing
import Wire

@testable import ServerCore

extension VirtualServer {
    /// A server where ann, who is not here, owns "mine".
    fileprivate static func owned() -> VirtualServer {
        let server = VirtualServer.plain(["main", "mine"], seed: 3) { $0.requests = .unreached }
        server.expectOwner(of: "mine")
        server.enter("ann", 99, owner: "owner-code-1")
        server.receive(#"{"type":"logout"}"#, from: 99)
        server.cut(99)
        return server
    }

    fileprivate func table(_ name: String) -> HostedTable? { shard.hostedTables.first { $0.name == name } }
}

/// Requests of a table's owner, refused to everybody else.
struct TableOwnerTests {
    private let server = VirtualServer.owned()

    @Test func aCode_makesAnAccountTheOwner_onceAndForGood() throws {
        let server = VirtualServer.plain(["main", "mine"]) { $0.requests = .unreached }
        server.expectOwner(of: "mine")
        #expect(server.enter("ann", 1, owner: "owner-code-1").contains(#""chips":1000,"owner":"mine""#))
        let id = try #require(server.table("mine")?.owner?.id)
        #expect(try replayed(server.records).decisions["mine"]?.owner == id)
        #expect(server.logged.contains { $0.contains("table_owned table=mine owner=ann") })
        server.advance(1000)
        #expect(server.say(#"{"type":"lobby"}"#, 1).contains(#""owner":"ann""#))
        #expect(server.enter("bob", 2, owner: "owner-code-1").contains("wrong_owner"), "it is used")
        #expect(server.say(#"{"type":"lobby","id":1}"#, 2).contains(#""owner":"ann""#))
        let next = try VirtualServer(after: server, outage: 1000)
        #expect(next.table("mine")?.owner == TableOwner(id: id, name: "ann"))
        #expect(!"\(server.logged)\(String(decoding: server.records, as: UTF8.self))".contains("owner-code"))
    }

    @Test func theSameLoginAgain_isNoSecondUse_alsoAfterACrash() throws {
        #expect(server.enter("ann", 1, owner: "owner-code-1").contains(#""owner":"mine""#), "the reply was lost")
        let next = try VirtualServer(after: server, outage: 1000)
        #expect(next.enter("ann", 1, owner: "owner-code-1").contains(#""owner":"mine""#))
        #expect(try replayed(next.records).decisions.count == 1)
    }

    @Test func aRefusedLogin_givesTheCodeBack() {
        let server = VirtualServer.plain(["main", "mine"]) { $0.requests = .unreached }
        server.enter("ann", 1)
        server.expectOwner(of: "mine")
        server.greet(2)
        let eve = #"{"type":"login","name":"ann","secret":"\#(secret(of: "eve").digits)","owner":"owner-code-1"}"#
        #expect(server.say(eve, 2).contains("wrong_secret") && server.table("mine")?.owner == nil)
        #expect(server.say(login("bob", owner: "owner-code-1"), 2).contains(#""owner":"mine""#))
    }

    @Test func aLoginWhoseAccountIsNotOpened_leavesTheOtherConnection() {
        let server = VirtualServer.plain(["main", "mine"]) { ($0.requests, $0.maximumAccounts) = (.unreached, 1) }
        server.enter("bob", 1)
        #expect(server.say(#"{"type":"sit","table":"main"}"#, 1).contains(#""to":"sit""#))
        server.enter("ann", 2)
        server.expectOwner(of: "mine")
        server.greet(3)
        #expect(server.say(login("ann", owner: "owner-code-1"), 3).contains("server_full"))
        #expect(server.shard.sessions[2]?.account?.name.text == "ann" && server.table("mine")?.owner == nil)
    }

    @Test func aCode_isOverAfterAnHour_andWithTheNextOne() throws {
        let server = VirtualServer.plain(["main", "mine"]) { $0.requests = .unreached }
        server.connect(1)
        server.expectOwner(of: "mine", code: "owner-code-1")
        server.expectOwner(of: "mine", code: "owner-code-2")
        _ = server.take()
        #expect(server.say(login("ann", owner: "owner-code-1"), 1).contains("wrong_owner"))
        server.advance(TableOwners.codeMilliseconds)
        #expect(server.enter("ann", 2, owner: "owner-code-2").contains("wrong_owner"))
        #expect(try replayed(server.records).decisions.isEmpty)
    }

    @Test func wrongCodes_shareTheBudgetOfWrongSecrets() throws {
        let server = VirtualServer.plain(["main", "mine"]) { $0.requests = .unreached }
        server.address = IPAddress("198.51.100.7")
        server.expectOwner(of: "mine")
        server.greet(1)
        var said = ""
        for number in 0..<20 where !said.contains("rate_limited") {
            said = server.say(login("ann", owner: "guess-\(number)"), 1)
        }
        #expect(said.contains("rate_limited"))
        #expect(server.say(login("ann", owner: "owner-code-1"), 1).contains("rate_limited"), "the right one tells nothing either")
        #expect(server.logged.contains { $0.contains("wrong_owner") } && !"\(server.logged)".contains("guess-"))
    }

    @Test func anotherOwner_endsTheFormersDecisions() throws {
        watchAsOwner()
        server.seat("bob", 2, at: "mine")
        #expect(server.say(#"{"type":"kick","player":"bob"}"#, 1).contains(#""to":"kick""#))
        #expect(server.say(#"{"type":"pass","pass":"anns"}"#, 1).contains(#""to":"pass""#))
        server.cut(2)
        // bob was sent away, and the host gives him the table.
        server.expectOwner(of: "mine", code: "owner-code-2")
        #expect(server.enter("bob", 3, owner: "owner-code-2").contains(#""owner":"mine""#))
        #expect(server.table("mine")?.pass == nil && server.table("mine")?.owner?.name == "bob")
        #expect(server.say(#"{"type":"pass","pass":"again anns"}"#, 1).contains("not_owner"))
        #expect(server.say(#"{"type":"sit","table":"mine"}"#, 3).contains(#""to":"sit""#))
        let state = try replayed(server.records)
        #expect(state.tables["mine"]?.pass == nil && state.decisions["mine"]?.phrase == nil)
        #expect(state.decisions == server.shard.owners.decisions)
    }

    /// ann watches the table that she owns, on connection 1.
    private func watchAsOwner() {
        server.enter("ann", 1)
        server.receive(#"{"type":"watch","table":"mine"}"#, from: 1)
    }

    @Test func aPlayerSentAwayDuringAHand_seesNoMoreOfTheTable() throws {
        watchAsOwner()
        server.seat("bob", 2, at: "mine")
        server.seat("cid", 3, at: "mine")
        for connection in ConnectionID(2)...3 { server.receive(#"{"type":"bet","amount":10,"round":"now"}"#, from: connection) }
        server.receive(#"{"type":"kick","player":"bob"}"#, from: 1)
        server.cut(2)
        server.greet(4)
        #expect(server.say(login("bob"), 4).contains(#""table":"mine""#), "the hand is in play")
        #expect(server.say(#"{"type":"watch","epoch":"","rev":0}"#, 4).contains(#""code":"sent_away""#))
        #expect(server.say(#"{"type":"watch"}"#, 4).contains(#""code":"sent_away""#))
        #expect(server.say(#"{"type":"chat","text":"hello again"}"#, 4).contains("not_seated"))
    }

    @Test func theListOfPlayersSentAway_isBounded() {
        var list = SentAway()
        for number in 1...1000 { list.insert(PlayerID(number), until: Int64(number) + SentAway.milliseconds) }
        let kept = (1...1000).filter { list.wait(of: PlayerID($0), at: 1000) != nil }
        #expect(kept == Array(1000 - SentAway.capacity + 1...1000))
        #expect(list.wait(of: PlayerID(1000), at: 1000 + SentAway.milliseconds) == nil)
    }

    @Test func anOwnerWhoIsRenamed_orDeleted_isSoInTheLobby() throws {
        _ = try server.shard.change(PlayerName("ann"), .rename(PlayerName("anna")), at: server.now)
        #expect(server.table("mine")?.summary.owner == "anna")
        _ = try server.shard.change(PlayerName("anna"), .delete, at: server.now)
        #expect(server.table("mine")?.owner == nil)
    }
}
