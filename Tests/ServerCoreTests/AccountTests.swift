import Records
import Rules
import Sockets
import TestKit
import Testing
import Wire

@testable import ServerCore

extension VirtualServer {
    /// Has the bank take chips from a player without a table.
    fileprivate func lose(_ chips: Int, _ connection: ConnectionID) {
        guard let account = shard.sessions[connection]?.account else { return }
        shard.apply(.issued(account.id, chips: -chips, reason: .credit, time: account.state.created), to: account)
    }

    fileprivate func dormant(_ name: String) throws -> AccountState? {
        shard.dormant.account(like: FoldedName(try PlayerName(name)))
    }
}

/// Accounts outlive connections, seats and residence.
struct AccountTests {
    private let server = VirtualServer.plain()

    @Test func aHouseThatGivesNoNewChips_saysSoInItsHello() {
        for (chips, isSaid) in [(nil, false), (500, false), (0, true)] as [(Int?, Bool)] {
            let server = VirtualServer.plain { $0.rebuyChips = chips }
            server.connect(1)
            #expect(server.take(1).first?.contains(#""rebuy":false"#) == isSaid)
        }
    }

    @Test func theEndOfTheTimeAway_freesTheSeat_andKeepsTheChips() throws {
        server.enter("ann", 1)
        server.receive(#"{"type":"sit","id":"s"}"#, from: 1)
        try server.establish("ann")
        server.cut(1)
        server.advance(121_000)
        #expect(try server.dormant("ann")?.chips == 1000 && server.shard.accounts.isEmpty)
        #expect(server.timers.isEmpty)
        #expect(server.enter("ann", 2).contains(#""chips":1000"#))
    }

    @Test func anAccountIsOpenedBySitting_aGuestsToo() throws {
        #expect(server.enter("ann", 1).contains(#""chips":1000"#))
        server.connect(2, asGuest: "guest")
        #expect(server.ledger == Ledger())
        for connection in ConnectionID(10)..<17 {
            server.seat("p\(connection)", connection)
        }
        for connection in ConnectionID(1)...2 { #expect(server.say(#"{"type":"sit"}"#, connection).contains("table_full")) }
        #expect(server.ledger.bank == -7000, "a refused sit opens no account")
    }

    @Test func aThousandAccountsMadeAndGone_withoutAHand_leaveNothing() throws {
        let server = VirtualServer.plain { $0.maximumPlayers = 3 }
        for connection in ConnectionID(1)...1000 {
            server.seat("p\(connection)", connection)
            if connection % 2 == 0 { server.receive(#"{"type":"leave"}"#, from: connection) }
            if connection % 3 == 0 { server.receive(#"{"type":"logout"}"#, from: connection) }
            server.cut(connection)
            if connection % 2 == 1 { server.advance(121_000) }
            _ = server.take()
            try #require(server.ledger.imbalance == 0)
        }
        server.advance(121_000)
        #expect(server.shard.accounts.isEmpty && server.shard.names.count == 0)
        #expect(server.shard.dormant.count == 0 && server.shard.openAccounts == 0 && server.ledger == Ledger())
    }

    @Test func theLimitOnAccounts_refusesNewSecrets_andNotGuestsAndKnownPlayers() throws {
        let server = VirtualServer.plain { $0.maximumAccounts = 2 }
        for connection in ConnectionID(1)...2 {
            #expect(server.seat("p\(connection)", connection).contains(#""to":"sit","table""#))
        }
        let said = server.seat("p3", 3)
        #expect(
            said.contains(#""code":"server_full""#) && said.contains("as a guest"),
            "\(said)")
        #expect(server.ledger.bank == -2000 && server.logged.contains { $0.contains("accounts_full") })
        #expect(server.seat(guest: "p4", 4).contains(#""to":"sit","table""#))
        // A dormant account counts, and one that is established makes no room.
        try server.establish("p1")
        server.receive(#"{"type":"logout"}"#, from: 1)
        #expect(server.say(#"{"type":"sit"}"#, 3).contains("server_full"))
        #expect(server.enter("p1", 5).contains(#""chips":1000"#))
    }

    @Test func newAccountsOfAnAddressAreBounded_andGuestsAreNot() throws {
        let server = VirtualServer.plain { $0.addresses.claiming = .perMinute(1, burst: 2) }
        server.address = IPAddress("192.0.2.1")
        for connection in ConnectionID(1)...2 {
            #expect(server.seat("p\(connection)", connection).contains(#""to":"sit","table""#))
        }
        let said = server.seat("p3", 3)
        #expect(
            said.contains(#""code":"rate_limited""#) && said.contains("as a guest")
                && said.contains(#""retryAfter":60000}"#), "\(said)")
        #expect(server.ledger.bank == -2000)
        #expect(server.seat(guest: "p4", 4).contains(#""to":"sit","table""#))
        server.advance(60_000)
        #expect(server.say(#"{"type":"sit"}"#, 3).contains(#""to":"sit","table""#))
        server.receive([#"{"type":"leave"}"#, #"{"type":"sit"}"#], from: 3)
        #expect(server.ledger.bank == -4000, "an account that exists costs no claim")
    }

    @Test func aDormantAccountTakesLittleMemory() {
        // With the dictionaries of two hashes, at most half empty: 16 bytes an entry.
        #expect(MemoryLayout<AccountState?>.stride <= 120)
    }
}

/// New chips, by the house's rule.
struct RebuyTests {
    private func broke(_ change: @escaping (inout ShardConfiguration) -> Void) -> VirtualServer {
        let server = VirtualServer.plain { change(&$0) }
        server.seat("ann", 1)
        server.receive(#"{"type":"leave"}"#, from: 1)
        server.lose(995, 1)
        _ = server.take()
        return server
    }

    @Test func aBrokePlayerIsFilledUpToWhatANewOneHas_unlessTheHouseSaysOtherwise() {
        for (chips, total) in [(nil, 1000), (200, 200), (3, 10)] as [(Int?, Int)] {
            let server = broke { $0.rebuyChips = chips }
            #expect(server.say(#"{"type":"sit"}"#, 1).contains(#""rebuy":\#(total - 5)"#))
            #expect(server.ledger.tables == total && server.ledger.imbalance == 0)
        }
    }

    /// Otherwise sitting down where bets are large would make a player rich.
    @Test func whereBetsAreLarge_nobodyIsFilledUp_unlessNoOpenTableHasASmallerBet() throws {
        let high = try HouseRules().with([("maximumBet", .integer(1_000_000)), ("minimumBet", .integer(1_000_000))])
        for (isOther, pass, total) in [(false, nil, 1_000_000), (true, nil, nil), (true, "sesame", 1_000_000)]
            as [(Bool, String?, Int?)]
        {
            let server = VirtualServer.plain {
                $0.tables = [.init(name: "high", rules: high)]
                if isOther { $0.tables.append(.init(name: "low", rules: HouseRules(), pass: pass)) }
            }
            server.enter("ann", 1)
            let said = server.say(#"{"type":"sit","table":"high"}"#, 1)
            #expect(said.contains(total == nil ? "insufficient_chips" : #""rebuy":999000"#), "\(said)")
            #expect(server.ledger.tables == total ?? 0 && server.ledger.imbalance == 0)
        }
    }

    @Test func aHouseThatGivesNone_saysWhatIsMissing() {
        let server = broke { $0.rebuyChips = 0 }
        let before = server.ledger
        let said = server.say(#"{"type":"sit"}"#, 1)
        #expect(said.contains("insufficient_chips") && said.contains("You have 5 chips, and the minimum bet here is 10."))
        #expect(server.ledger == before)
    }
}
