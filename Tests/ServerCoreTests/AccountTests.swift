import Records
import Rules
import Sockets
import TestKit
import Testing
import Wire

@testable import ServerCore

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

/// Accounts outlive connections, seats and residence; what players are told of it is in `Sessions/accounts.session`.
struct AccountTests {
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

    @Test func aDormantAccountTakesLittleMemory() {
        // With the dictionaries of two hashes, at most half empty: 16 bytes an entry.
        #expect(MemoryLayout<AccountState?>.stride <= 184)
    }

    @Test func atTheBound_whoHadFewHandsAndLeftFirstMakesRoom_andNobodyElse() throws {
        let server = VirtualServer.plain(seed: 3) { $0.maximumAccounts = 3 }
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

    /// No table takes more than 10^12 chips: no sum of whole tables of them overflows.
    @Test func chipsOutOfRange_isSaidToWhoBringsMoreThanATableTakes() throws {
        let server = VirtualServer.small()
        server.seat(guest: "croesus", 1)
        server.receive(#"{"type":"leave"}"#, from: 1)
        // Won in more games than anybody has played.
        let account = try #require(server.shard.accounts.values.first)
        server.shard.apply(.issued(account.id, chips: WireLimits.chips, reason: .credit, time: 0), to: account)
        let line = try #require(server.answers(to: #"{"type":"sit","id":1}"#, 1).last)
        #expect(line.contains(#""id":1,"to":"sit","class":"rule","code":"insufficient_chips""#), "\(line)")
    }
}

/// An operator's changes of accounts: each change, wherever the account is.
struct AccountChangeTests {
    /// Where the account ann is; in the last three there is none.
    enum Place: CaseIterable { case seated, resident, dormant, guest, unopened, nobody }

    private static let changes: [AccountChange] = {
        let names = ["ann2", "ANN", "B0b"].compactMap { try? PlayerName($0) }.map { AccountChange.rename($0) }
        return names + [1, -1000, -1001, Int.max].map { .credit($0) } + [.disable(true), .secret(secret(of: "new")), .delete]
    }()

    /// bob has an account, too, and two are the limit.
    private func server(_ place: Place) throws -> VirtualServer {
        let server = VirtualServer.plain { ($0.maximumAccounts, $0.requests) = (2, .unreached) }
        server.seat("bob", 9)
        server.receive(#"{"type":"leave"}"#, from: 9)
        switch place {
        case .nobody: break
        case .unopened: server.enter("ann", 1)
        case .guest: server.seat(guest: "ann", 1)
        case .seated, .resident, .dormant:
            server.seat("ann", 1)
            try server.establish("ann")
            if place != .seated { server.receive(#"{"type":"leave"}"#, from: 1) }
            if place == .dormant {
                server.receive(#"{"type":"logout"}"#, from: 1)
                server.cut(1)
            }
        }
        _ = server.take()
        return server
    }

    private func refusal(_ place: Place, _ change: AccountChange) -> AccountRefusal? {
        switch (place, change) {
        case (.nobody, _): .noSuchAccount("ann")
        case (_, .rename(let name)) where name.text == "B0b": .nameInUse("B0b")
        case (.unopened, _): .noSuchAccount("ann")
        case (.guest, _): .guest("ann")
        case (.seated, .credit), (.seated, .rename), (.seated, .delete): .seated("ann", table: "main")
        case (_, .credit(-1001)), (_, .credit(.max)): .chips("ann", has: 1000)
        default: nil
        }
    }

    @Test(arguments: Place.allCases, changes.indices)
    func aChange_isCarriedOut_orRefusedWithoutEffect(_ place: Place, _ index: Int) throws {
        let (server, change) = (try server(place), Self.changes[index])
        let (name, before) = (try PlayerName("ann"), server.records)
        if let refusal = refusal(place, change) {
            #expect(throws: refusal) { try server.shard.change(name, change, at: server.now) }
            #expect(server.records == before && server.take().isEmpty)
            return
        }
        let account = try server.shard.change(name, change, at: server.now)
        let isClosed = server.take().contains(.closed(1))
        for connection in ConnectionID(1)...2 { server.cut(connection) }
        func enter(_ name: String, secret digits: String) -> String {
            server.greet(5)
            return server.say(#"{"type":"login","name":"\#(name)","secret":"\#(digits)"}"#, 5)
        }
        let own = secret(of: "ann").digits
        switch change {
        case .credit(let chips):
            #expect(!isClosed && account.chips == 1000 + chips && enter("ann", secret: own).contains("\"chips\":\(1000 + chips)"))
        case .rename(let name):
            #expect(!isClosed && enter(name.text, secret: own).contains(#""name":"\#(name.text)","chips":1000"#))
        case .disable:
            #expect(account.isDisabled && account.table == nil && enter("ann", secret: own).contains("not_allowed"))
        case .secret(let new):
            #expect(enter("ann", secret: own).contains("wrong_secret"))
            #expect(server.say(#"{"type":"login","name":"ann","secret":"\#(new.digits)"}"#, 5).contains("ok"))
        case .delete:
            #expect(account.chips == 1000 && server.shard.openAccounts == 1)
            #expect(enter("ann", secret: secret(of: "eve").digits).contains(#""chips":1000"#), "the name is free")
            #expect(server.say(#"{"type":"sit"}"#, 5).contains(#""to":"sit","table":"main""#), "there is room")
        }
        let removesSession =
            switch change {
            case .credit, .rename: false
            default: place != .dormant
            }
        #expect(isClosed == removesSession)
        #expect(try server.ledger.imbalance == 0 && replayed(server.records).ledger == 0)
    }

    @Test func aNameThatOnlyLooksLikeIt_isAnotherAccount() throws {
        let server = try server(.dormant)
        #expect(throws: AccountRefusal.noSuchAccount("4nn")) {
            try server.shard.change(PlayerName("4nn"), .credit(1), at: server.now)
        }
        #expect(try server.shard.player(named: PlayerName("4nn")) == nil && server.shard.player(named: PlayerName("Ann")) != nil)
    }
}
