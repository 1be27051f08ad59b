import Foundation
import Rules
import Sockets
import TableEngine
import TestKit
import Testing
import Wire

@testable import ServerCore

private func address(_ text: String = "192.0.2.1") throws -> IPAddress { try #require(IPAddress(text)) }

extension VirtualServer {
    fileprivate func connect(_ connection: ConnectionID, from address: IPAddress) {
        shard.connected(connection, from: address, at: now)
    }

    fileprivate func logIn(_ name: String, _ connection: ConnectionID, from address: IPAddress) throws {
        connect(connection, from: address)
        receive(login(name), from: connection)
        let said = take(connection)
        try #require(said.last?.contains(#""to":"login","name""#) == true, "\(said)")
    }

    /// Sits down and gets up again, with an account that lasts.
    fileprivate func play(_ connection: ConnectionID) {
        receive(#"{"type":"sit"}"#, from: connection)
        receive(#"{"type":"leave"}"#, from: connection)
        if let name = shard.sessions[connection]?.account?.name.text { try? establish(name) }
    }

    fileprivate var metrics: Metrics { shard.metrics }
}

struct AddressLimitTests {
    /// A network that has all four seats of a table, and bob of another one, who wants a seat or not.
    @Test(arguments: [
        ("192.0.2.1", true, false), ("192.0.2.1", true, true), ("192.0.2.1", false, false), ("2001:db8:1:@::1", true, false),
    ])
    func whileOthersAreRefusedASeat_aNetworkGetsNoneBeyondHalfOfTheTable(
        block: String, isWaiting: Bool, isTrusted: Bool
    ) throws {
        let rules = try HouseRules().with([("seats", .integer(4))])
        let server = VirtualServer.plain {
            $0.tables = [.init(name: "main", rules: rules)]
            if isTrusted { $0.addresses.trusted = AddressLimits.loopback + [AddressBlock(block)].compactMap(\.self) }
        }
        for connection in ConnectionID(1)...5 {
            try server.logIn("p\(connection)", connection, from: #require(IPAddress(block.replacing("@", with: "\(connection)"))))
        }
        try server.logIn("bob", 9, from: address("198.51.100.1"))
        func sit(_ connection: ConnectionID) -> String {
            _ = server.take(connection)
            return server.answer(to: #"{"type":"sit"}"#, connection)
        }
        for connection in ConnectionID(1)...4 { #expect(sit(connection).contains(#""to":"sit","table""#)) }
        // Its own players who are refused do not count.
        #expect(sit(5).contains("table_full"))
        if isWaiting { #expect(sit(9).contains("table_full")) }
        server.receive(#"{"type":"leave"}"#, from: 1)
        guard isWaiting, !isTrusted else { return #expect(sit(5).contains(#""to":"sit","table""#)) }
        for connection in [1, 5] as [ConnectionID] { #expect(sit(connection).contains("others are waiting")) }
        #expect(sit(9).contains(#""to":"sit","table""#))
        server.receive([#"{"type":"leave"}"#], from: 2)
        #expect(sit(5).contains("others are waiting"), "somebody else may still wait")
        server.receive([#"{"type":"leave"}"#], from: 3)
        #expect(sit(5).contains(#""to":"sit","table""#), "of half of the seats the network may have each")
        server.advance(60_000)
        #expect(sit(1).contains(#""to":"sit","table""#), "nobody waits")
    }

    @Test func whatIsPaidInAdvanceIsGivenBack() throws {
        let server = VirtualServer.plain { $0.addresses.asking = .perSecond(1, burst: 100) }
        for connection in ConnectionID(1)...100 {
            server.connect(connection, from: try address())
            #expect(server.reply(to: #"{"type":"ping"}"#, connection).contains("ok"), "\(connection)")
            server.cut(connection)
        }
    }

    @Test func aFloodOfFailuresIsLogged_butNotEach() throws {
        let server = VirtualServer.plain {
            $0.addresses.freeFailures = 1_000_000
            $0.addresses.loggingIn = .unreached
        }
        let wrong = secret(of: "wrong").digits
        try server.logIn("ann", 99, from: try address())
        for connection in ConnectionID(1)...20 {
            server.connect(connection, from: try address())
            for _ in 0..<20 { server.receive(#"{"type":"login","name":"ann","secret":"\#(wrong)"}"#, from: connection) }
        }
        #expect(server.logged.count { $0.contains("wrong_secret") } == 20 && !"\(server.logged)".contains(wrong))
        server.advance(1_000)
        server.receive(#"{"type":"login","name":"ann","secret":"\#(wrong)"}"#, from: 1)
        #expect(server.logged.last?.contains("unlogged=380") == true, "\(server.logged.last ?? "")")
    }

    @Test func strangersGuessOnePhraseASecond_andOneMoreFromEachAddress_andWhoKnowsItDoesNotWait() throws {
        let server = VirtualServer.plain(pass: "open sesame")
        func watch(_ connection: ConnectionID, _ pass: String) -> String {
            return server.reply(to: #"{"type":"watch","pass":"\#(pass)"}"#, connection)
        }
        try server.logIn("ann", 1, from: try address("192.0.2.1"))
        #expect(watch(1, "open sesame").contains("snapshot"))
        server.receive(#"{"type":"leave"}"#, from: 1)
        var examined = 0
        for connection in ConnectionID(2)...200 {
            try server.logIn("p\(connection)", connection, from: try address("198.51.100.\(connection)"))
            for _ in 0..<2 where watch(connection, "guess").contains("wrong_pass") { examined += 1 }
        }
        // The first guess of each, at the table's cost, and five second ones.
        #expect(examined == 199 + 5)
        // A friend from elsewhere; over loopback anybody may come.
        for (connection, from, answer) in [
            (201, "203.0.113.1", "snapshot"), (202, "127.0.0.1", "rate_limited"),
        ] as [(ConnectionID, String, String)] {
            try server.logIn("p\(connection)", connection, from: try address(from))
            #expect(watch(connection, "open sesame").contains(answer))
        }
        // The right phrase of a stranger says no more than a wrong one.
        #expect(watch(2, "open sesame").contains(#""code":"rate_limited","message":"Too many wrong attempts"#))
        #expect(watch(1, "open sesame").contains("snapshot"))
        server.advance(1_000)
        #expect(watch(2, "open sesame").contains("snapshot"))
        // Which costs nothing. A wrong one needs no other field.
        let wrong = watch(3, "guess")
        #expect(wrong.contains("wrong_pass") && !wrong.contains("add") && watch(4, "guess").contains("rate_limited"))
        // A new phrase is new to everybody; who was admitted has the limits of an address.
        server.receive(#"{"type":"leave"}"#, from: 1)
        server.shard.hostedTables[0].pass = "close sesame"
        #expect(watch(1, "open sesame").contains("wrong_pass") && watch(1, "close sesame").contains("snapshot"))
    }
}

struct AwayLimitTests {
    @Test func whereNobodyFitsIn_theAddressWithTheMostAwayMakesRoom() throws {
        let server = VirtualServer.plain { $0.maximumPlayers = 6 }
        for (connection, from) in zip(
            ConnectionID(1)..., ["198.51.100.1", "192.0.2.1", "192.0.2.1", "192.0.2.1", "192.0.2.1", "192.0.2.1"])
        {
            try server.logIn("p\(connection)", connection, from: try address(from))
            server.play(connection)
            server.cut(connection)
        }
        for connection in ConnectionID(7)...11 {
            try server.logIn("q\(connection)", connection, from: try address("203.0.113.\(connection)"))
            #expect(server.ledger.imbalance == 0 && server.shard.accounts.count == 6)
        }
        // Of two who were the last of their addresses, the one longer away has made room.
        #expect(server.shard.accounts.values.filter { $0.session == nil }.map(\.name.text) == ["p6"])
        server.connect(20, from: try address())
        _ = server.take()
        try server.logIn("r", 21, from: try address())
        server.connect(22, from: try address())
        #expect(server.reply(to: #"{"type":"login","name":"s"}"#, 22).contains("server_full"))
        #expect(server.ledger.imbalance == 0 && server.shard.names.count == 12)
    }
}

struct ExpensiveRequestTests {
    /// 60 seconds of `lobby` at the rate limit, by a seated player or a trusted one, at a server whose list is long.
    @Test(arguments: [(true, false), (false, true), (true, true)])
    func answers_arePaidForByTheirOwnConnection_andCostNoHand(_ now: (isSeated: Bool, isTrusted: Bool)) throws {
        let home = try address()
        let server = VirtualServer.plain {
            $0.tables = (0..<500).map { .init(name: "t\($0)", rules: HouseRules()) }
            $0.addresses.asking = .perSecond(10, burst: 200)
            if now.isTrusted { $0.addresses.trusted = [AddressBlock("192.0.2.1")].compactMap(\.self) }
        }
        try server.logIn("ann", 1, from: home)
        try server.logIn("bob", 2, from: home)
        if now.isSeated { server.receive(#"{"type":"sit","table":"t0"}"#, from: 1) }
        _ = server.take()
        var (bytes, refused) = (0, 0)
        for _ in 0..<60 * 20 {
            server.receive(#"{"type":"lobby"}"#, from: 1)
            for line in server.take(1) where line.contains(#""to":"lobby""#) {
                if line.contains("rate_limited") { refused += 1 } else { bytes += line.utf8.count }
            }
            server.advance(50)
        }
        #expect(refused > 1000 && bytes < 2 * 1024 * (500 + 60 * 50), "\(bytes) bytes, \(refused) refused")
        // Neither the own hand nor the neighbour pays for it.
        if now.isSeated { #expect(server.answer(to: #"{"type":"bet","amount":10,"round":"now"}"#, 1).contains(#""ok""#)) }
        #expect(server.reply(to: #"{"type":"ping"}"#, 2).contains("ok"))
    }
}

struct AwayPlayersTests {
    @Test func aNetworkOfIPv6IsOne_howeverManyOfItsAddressesAreUsed() throws {
        var away = AwayPlayers()
        for id in 1...2 { away.insert(PlayerID(UInt32(id)), from: IPAddress("192.0.2.1"), isSeated: false) }
        let networks = try (3...40).map { try #require(IPAddress("2001:db8:0:\($0)::1")) }
        for (id, network) in zip(3..., networks) { away.insert(PlayerID(UInt32(id)), from: network, isSeated: false) }
        #expect(away.first == PlayerID(3))
        // 38 of one /56, where an address has 5, and a network 20 or a quarter of all.
        #expect(away.surplus(from: networks[9], limit: 5, total: 1_000) == PlayerID(3))
        #expect(away.surplus(from: networks[9], limit: 10, total: 1_000) == nil)
        #expect(away.surplus(from: networks[9], limit: 10, total: 100) == PlayerID(3))
    }

    /// A list that looks at everybody each time.
    @Test func whoeverComesAndGoes_itIsWhatALongSearchFinds() throws {
        var random = SeededGenerator()
        var away = AwayPlayers()
        var list: [(id: Int, address: Int, isSeated: Bool)] = []
        let addresses = try (0..<5).map { try #require(IPAddress("2001:db8:\($0)::1")) }
        for step in 0..<6_000 {
            let id = Int.random(in: 0..<40, using: &random)
            switch Int.random(in: 0..<4, using: &random) {
            case 0:
                away.remove(PlayerID(UInt32(id)))
                list.removeAll { $0.id == id }
            case 1:
                away.leaveSeat(PlayerID(UInt32(id)))
                if let index = list.firstIndex(where: { $0.id == id && $0.isSeated }) {
                    list.append((id, list.remove(at: index).address, false))
                }
            default:
                let (address, isSeated) = (Int.random(in: 0..<5, using: &random), Bool.random(using: &random))
                away.insert(PlayerID(UInt32(id)), from: addresses[address], isSeated: isSeated)
                list.removeAll { $0.id == id }
                list.append((id, address, isSeated))
            }
            let hint: Comment = "step \(step), BJ_SEED=\(Seed.value)"
            #expect(away.count == list.count, hint)
            let idle = Dictionary(grouping: list.filter { !$0.isSeated }, by: \.address)
            let most = idle.values.map(\.count).max() ?? 0
            let firsts = idle.values.filter { $0.count == most }.map { PlayerID(UInt32($0[0].id)) }
            #expect(away.first.map { firsts.contains($0) } ?? firsts.isEmpty, hint)
            for address in 0..<5 {
                let group = list.filter { $0.address == address }
                let first = group.first { !$0.isSeated } ?? group.first
                let surplus = away.surplus(from: addresses[address], limit: max(0, group.count - 1), total: 0)
                #expect(surplus == first.map { PlayerID(UInt32($0.id)) }, hint)
                #expect(away.surplus(from: addresses[address], limit: group.count, total: 0) == nil, hint)
            }
        }
    }
}
