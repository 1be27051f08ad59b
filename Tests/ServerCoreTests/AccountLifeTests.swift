import Records
import Rules
import Sockets
import TestKit
import Testing
import Wire

@testable import ServerCore

private func makeServer(_ change: (inout ShardConfiguration) -> Void = { _ in }) -> VirtualServer {
    VirtualServer.plain(seed: 3) { configuration in
        configuration.idleMilliseconds = 86_400_000
        change(&configuration)
    }
}

extension VirtualServer {
    /// Plays some hands, and leaves.
    fileprivate func visit(_ name: String, _ connection: ConnectionID, hands: Int = 0) {
        seat(name, connection)
        for _ in 0..<hands {
            receive(#"{"type":"bet","amount":10,"round":"now"}"#, from: connection)
            for _ in 0..<4 { receive(#"{"type":"act","action":"stand","turn":"now"}"#, from: connection) }
            // A question about insurance has a deadline.
            advance(60_000)
        }
        receive([#"{"type":"leave"}"#, #"{"type":"logout"}"#], from: connection)
        cut(connection)
        _ = take()
    }

    /// The names of all accounts, as an operator lists them and as the journal gives them.
    fileprivate func names() throws -> Set<String> {
        let dormant = shard.dormant.accounts.map(\.name)
        let names = Set(dormant + shard.accounts.values.filter(\.isOpen).map(\.name.text))
        let state = try replayed(records)
        #expect(Set(state.accounts.values.map(\.name)) == names && state.ledger == 0 && ledger.imbalance == 0)
        #expect(shard.openAccounts == names.count)
        for account in shard.dormant.accounts {
            #expect(state.accounts[account.id] == account)
        }
        return names
    }
}

/// Accounts last from the first hand on, and make room at the bound before the tenth.
struct AccountLifeTests {
    @Test func anAccountWithoutAHand_endsWithItsPlayer_andItsChipsReturn() throws {
        let server = makeServer()
        server.enter("ann", 1)
        server.cut(1)
        server.visit("bob", 2)
        #expect(try server.names() == [] && server.ledger == Ledger() && server.shard.names.count == 0)
        // The name is free for somebody else.
        server.connect(3)
        #expect(
            server.say(#"{"type":"login","name":"ann","secret":"\#(secret(of: "eve").digits)"}"#, 3).contains(#""chips":1000"#))
    }

    @Test func aSeatIsKept_alsoOverAStart_untilTheTimeAwayIsOver() throws {
        let server = makeServer()
        for (connection, name) in [(1, "ann"), (2, "bob")] as [(ConnectionID, String)] {
            server.seat(name, connection)
            server.cut(connection)
        }
        #expect(server.enter("ann", 3).contains(#""table":"main""#))
        let next = try VirtualServer(after: server, outage: 1000)
        #expect(next.enter("ann", 1).contains(#""table":"main""#))
        next.receive([#"{"type":"leave"}"#, #"{"type":"logout"}"#], from: 1)
        #expect(try next.names() == ["bob"])
        next.advance(300_000)
        #expect(try next.names() == [] && next.ledger == Ledger())
    }

    @Test func fromTheFirstHandOn_theAccountLasts() throws {
        let server = makeServer()
        server.seat("ann", 1)
        server.receive(#"{"type":"bet","amount":10,"round":"now"}"#, from: 1)
        server.cut(1)
        #expect(try server.shard.accounts.values.first?.state.lasts == true && server.names() == ["ann"])
        server.visit("bob", 2)
        server.advance(300_000)
        #expect(try server.names() == ["ann"])
        let played = try #require(server.shard.dormant.accounts.first { $0.name == "ann" }?.lastPlayed)
        let next = try VirtualServer(after: server, outage: 1000)
        #expect(try next.names() == ["ann"] && played < server.now - 200_000)
    }

    @Test func theHostsChoices_andOwners_last_alsoWithoutAHand() throws {
        let server = makeServer { $0.tables.append(.init(name: "mine", rules: HouseRules())) }
        let changes: [(String, AccountChange)] = [
            ("rich", .credit(5)), ("off", .disable(true)), ("on", .disable(false)), ("new-name", .rename(try PlayerName("x7"))),
            ("new-secret", .secret(secret(of: "other"))),
        ]
        for (connection, (name, change)) in zip(ConnectionID(1)..., changes) {
            server.seat(name, connection)
            server.receive(#"{"type":"leave"}"#, from: connection)
            _ = try server.shard.change(try PlayerName(name), change, at: server.now)
            server.cut(connection)
        }
        server.expectOwner(of: "mine")
        server.enter("owner", 19, owner: "owner-code-1")
        server.cut(19)
        server.advance(300_000)
        #expect(try server.names() == ["owner", "rich", "off", "on", "x7", "new-secret"])
        let next = try VirtualServer(after: server, outage: 1000)
        #expect(try next.names() == ["owner", "rich", "off", "on", "x7", "new-secret"])
    }

    @Test func atTheBound_whoHadFewHandsAndLeftFirstMakesRoom_andNobodyElse() throws {
        let server = makeServer { $0.maximumAccounts = 3 }
        server.visit("old", 1, hands: 10)
        server.visit("b2", 2, hands: 9)
        server.visit("c3", 3, hands: 1)
        #expect(try server.names() == ["old", "b2", "c3"])
        // b2 has come back since.
        server.enter("b2", 4)
        server.receive(#"{"type":"logout"}"#, from: 4)
        server.visit("d4", 5, hands: 1)
        #expect(try server.names() == ["old", "b2", "d4"])
        server.enter("b2", 6)
        let next = try VirtualServer(after: server, outage: 1000)
        #expect(try next.names() == ["old", "b2", "d4"])
        next.seat("e5", 5)
        #expect(try next.names() == ["old", "d4", "e5"], "b2 had the last hand first")
        next.enter("d4", 6)
        #expect(next.seat("f6", 7).contains("server_full"), "d4 and e5 are here")
    }
}
