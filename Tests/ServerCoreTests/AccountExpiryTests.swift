import Records
import Rules
import Sockets
import TestKit
import Testing
import Wire

@testable import ServerCore

private let week = AccountState.expiry

private func makeServer(_ change: (inout ShardConfiguration) -> Void = { _ in }) -> VirtualServer {
    VirtualServer.plain { configuration in
        configuration.idleMilliseconds = 86_400_000
        change(&configuration)
    }
}

extension VirtualServer {
    /// Has an account, and leaves.
    fileprivate func visit(_ name: String, _ connection: ConnectionID, _ more: String = "") {
        enter(name, connection, more)
        receive(#"{"type":"logout"}"#, from: connection)
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

/// Accounts that never played go after a week, and make room at the bound.
struct AccountExpiryTests {
    @Test func anAccountThatNeverPlayed_goesAWeekAfterItsPlayer_andItsChipsReturn() throws {
        let server = makeServer()
        server.visit("ann", 1)
        server.advance(week - 2 * 3_600_000)
        #expect(server.enter("ann", 2).contains(#""chips":1000"#), "which counts as seen")
        server.receive(#"{"type":"logout"}"#, from: 2)
        server.visit("bob", 3)
        server.advance(3 * 3_600_000)
        #expect(try server.names() == ["ann", "bob"] && server.ledger.bank == -2000)
        server.advance(week)
        #expect(try server.names() == [] && server.ledger.bank == 0)
        #expect(server.shard.names.count == 0)
        // The name is free for somebody else.
        server.connect(4)
        #expect(
            server.say(#"{"type":"login","name":"ann","secret":"\#(secret(of: "eve").digits)"}"#, 4).contains(#""chips":1000"#))
    }

    @Test func whoHasPlayedARound_keepsTheAccount() throws {
        let server = makeServer()
        server.enter("ann", 1)
        server.receive([#"{"type":"sit"}"#, #"{"type":"bet","amount":10,"round":"now"}"#], from: 1)
        for _ in 0..<20 { server.receive(#"{"type":"act","action":"stand","turn":"now"}"#, from: 1) }
        server.advance(60_000)
        server.receive([#"{"type":"leave"}"#, #"{"type":"logout"}"#], from: 1)
        server.visit("bob", 2)
        server.advance(2 * week)
        #expect(try server.names() == ["ann"])
    }

    @Test func theConnectedAndTheSeated_theHostsChoices_andOwnersStay() throws {
        let server = makeServer {
            $0.tables.append(.init(name: "mine", rules: HouseRules()))
            $0.awayMilliseconds = 86_400_000
            $0.sitOutMilliseconds = 86_400_000
            $0.idleMilliseconds = 86_400_000
        }
        for (connection, name) in zip(ConnectionID(1)..., ["owner", "rich", "off", "on", "new-name", "new-secret", "nobody"]) {
            server.visit(name, connection)
        }
        server.expectOwner(of: "mine")
        server.visit("owner", 19, #","owner":"owner-code-1""#)
        let changes: [(String, AccountChange)] = [
            ("rich", .credit(5)), ("off", .disable(true)), ("on", .disable(false)), ("new-name", .rename(try PlayerName("x7"))),
            ("new-secret", .secret(secret(of: "other"))),
        ]
        for (name, change) in changes {
            _ = try server.shard.change(try PlayerName(name), change, at: server.now)
        }
        server.enter("here", 30)
        let kept: Set = ["owner", "rich", "off", "on", "x7", "new-secret"]
        #expect(try server.names() == kept.union(["nobody", "here"]))
        for _ in 0..<20 {
            server.advance(week / 10)
            server.receive(#"{"type":"ping"}"#, from: 30)
        }
        // One who is connected was seen when they came; they go a week after they have left.
        #expect(try server.names().subtracting(["here"]) == kept)
        let next = try VirtualServer(after: server, outage: 2 * week)
        next.advance(5_000)
        #expect(try next.names().subtracting(["here"]) == kept)
    }

    @Test func atTheBound_whoNeverPlayedAndLeftFirstMakesRoom_andNobodyElse() throws {
        let server = makeServer { $0.maximumAccounts = 3 }
        for (connection, name) in zip(ConnectionID(1)..., ["a1", "b2", "c3"]) { server.visit(name, connection) }
        server.advance(60_000)
        // a1 has come back since.
        server.enter("a1", 4)
        server.receive(#"{"type":"logout"}"#, from: 4)
        server.visit("d4", 5)
        #expect(try server.names() == ["a1", "c3", "d4"])
        server.enter("c3", 6)
        server.visit("e5", 7)
        #expect(try server.names() == ["c3", "d4", "e5"], "c3 is here")
        server.enter("d4", 8)
        server.enter("e5", 9)
        #expect(server.enter("f6", 10).contains("server_full"))
        #expect(server.logged.contains { $0.contains("accounts_full") })
        #expect(try server.names() == ["c3", "d4", "e5"])
    }

    /// From one IPv4 address, and from 64 /56s of one /48, which has the budget of 16 /64s.
    @Test(arguments: [("192.0.2.1", 8), ("2001:db8:0:@00::1", 128)])
    func aThousandLoginsInASecond_claimNoMoreNamesThanTheBudget_forAWeek(address: String, budget: Int) throws {
        let server = makeServer {
            $0.addresses = .unreached
            $0.addresses.trusted = []
            $0.addresses.claiming = .perMinute(1, burst: 8)
        }
        for index in 0..<1000 {
            server.address = IPAddress(address.replacing("@", with: String(index % 64, radix: 16)))
            let said = server.enter("p\(index)x", ConnectionID(index + 1))
            #expect(said.contains(#""to":"login","name""#) || said.contains("rate_limited"), "\(said)")
            server.cut(ConnectionID(index + 1))
            if index % 100 == 0 { server.advance(100) }
        }
        #expect(try server.names().count == budget && server.shard.names.count == 2 * budget)
        server.advance(week + 200_000)
        #expect(try server.names() == [] && server.shard.names.count == 0 && server.ledger.bank == 0)
    }

    @Test func afterACrash_theSameAccountsGo_atTheSameTime() throws {
        let first = makeServer()
        first.visit("ann", 1)
        first.advance(week / 2)
        first.visit("bob", 2)
        let second = try VirtualServer(after: first, outage: week / 4)
        #expect(try second.names() == ["ann", "bob"])
        second.advance(week / 4 + 5_000)
        #expect(try second.names() == ["bob"])
        let third = try VirtualServer(after: second, outage: week)
        third.advance(5_000)
        #expect(try third.names() == ["bob"], "its clock has to prove steady")
        third.advance(Checkpointer.agePause)
        #expect(try third.names() == [])
    }

    @Test func oneStartWithAClockThatIsAMonthAhead_endsNoAccount() throws {
        let first = makeServer()
        first.visit("ann", 1)
        let wrong = try VirtualServer(after: first, outage: 30 * 86_400_000)
        wrong.advance(Checkpointer.agePause - 60_000)
        #expect(try wrong.names() == ["ann"])
        // Somebody has set the clock right.
        let right = try VirtualServer(after: wrong, outage: -30 * 86_400_000)
        right.advance(week - 2 * Checkpointer.agePause)
        #expect(try right.names() == ["ann"])
        right.advance(2 * Checkpointer.agePause)
        #expect(try right.names() == [])
    }

    @Test func manyThatExpireTogether_goAFewAtATime() throws {
        let server = makeServer {
            $0.addresses = .unreached
            $0.addresses.trusted = []
        }
        for index in 0..<600 { server.visit("p\(index)x", ConnectionID(index + 1)) }
        let before = server.records.count
        let next = try VirtualServer(after: server, outage: 2 * week)
        let start = next.records.count
        next.advance(Checkpointer.agePause)
        #expect(start - before < 10_000 && next.shard.dormant.count == 600 - 256)
        next.advance(2_000)
        #expect(try next.names() == [])
    }
}
