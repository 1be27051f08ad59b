import Rules
import Sockets
import TableEngine
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

    @Test func aNetworkDoesNotWaitForItself() throws {
        let rules = try HouseRules().with([("seats", .integer(4))])
        let server = VirtualServer.plain { $0.tables = [.init(name: "main", rules: rules)] }
        for connection in ConnectionID(1)...6 {
            try server.logIn("p\(connection)", connection, from: address("192.0.2.\(connection < 4 ? 1 : 2)"))
        }
        func sit(_ connection: ConnectionID) -> Bool {
            _ = server.take(connection)
            return server.answer(to: #"{"type":"sit"}"#, connection).contains(#""to":"sit","table""#)
        }
        #expect(sit(1) && sit(4) && sit(5) && sit(6) && !sit(2))
        for connection in [4, 5] as [ConnectionID] { server.receive(#"{"type":"leave"}"#, from: connection) }
        #expect(sit(2) && sit(3), "it was the only one refused")
    }

    @Test func beforeALogin_aRefusedRequestMovesTheClock_soThatTheNextOneIsAnsweredAtItsTime() throws {
        let server = VirtualServer.plain { $0.addresses.strangers = .perSecond(4, burst: 10) }
        server.connect(1, from: try address())
        for _ in 0..<12 { server.receive(#"{"type":"ping"}"#, from: 1) }
        #expect(server.take(1).count { $0.contains(#""code":"rate_limited""#) } == 2)
        for _ in 0..<3 {
            server.advance(250)
            #expect(server.reply(to: #"{"type":"ping"}"#, 1).contains(#""to":"ping","time":\#(server.now)"#))
        }
    }

    @Test func requestsOfAnAddressAreBounded_howeverOftenItReconnects() throws {
        let server = VirtualServer.plain { $0.addresses.asking = .perSecond(10, burst: 100) }
        let home = try address()
        var answered = 0
        for connection in ConnectionID(1)...50 {
            server.connect(connection, from: home)
            for _ in 0..<60 { server.receive(#"{"type":"ping"}"#, from: connection) }
            answered += server.take(connection).count { $0.contains(#""to":"ping","time""#) }
            server.cut(connection)
        }
        #expect(answered == 100)
        // Others have theirs.
        server.connect(99, from: try address("192.0.2.2"))
        #expect(server.reply(to: #"{"type":"ping"}"#, 99).contains("ok"))
    }

    @Test func whatIsPaidInAdvanceIsGivenBack() throws {
        let server = VirtualServer.plain { $0.addresses.asking = .perSecond(1, burst: 100) }
        for connection in ConnectionID(1)...100 {
            server.connect(connection, from: try address())
            #expect(server.reply(to: #"{"type":"ping"}"#, connection).contains("ok"), "\(connection)")
            server.cut(connection)
        }
    }

    @Test func aSeatedPlayerPlaysOn_whateverTheNeighboursDo() throws {
        let server = VirtualServer.plain { $0.addresses.asking = .perSecond(1, burst: 60) }
        let home = try address()
        try server.logIn("ann", 1, from: home)
        server.receive(#"{"type":"sit"}"#, from: 1)
        for connection in ConnectionID(2)...9 {
            server.connect(connection, from: home)
            for _ in 0..<60 { server.receive(#"{"type":"ping"}"#, from: connection) }
        }
        #expect(server.reply(to: #"{"type":"ping"}"#, 9).contains(#""code":"rate_limited""#))
        for _ in 0..<40 { server.receive(#"{"type":"bet","amount":10,"round":"now"}"#, from: 1) }
        #expect(!"\(server.take(1))".contains("rate_limited"))
    }

    @Test func strangersAreBoundedInAll_andATrustedOneCounts() throws {
        let server = VirtualServer.plain { $0.addresses.strangers = .perSecond(10, burst: 50) }
        var answered = 0
        for connection in ConnectionID(1)...20 {
            server.connect(connection, from: try address("127.0.0.\(connection)"))
            for _ in 0..<10 { server.receive(#"{"type":"ping"}"#, from: connection) }
            answered += server.take(connection).count { $0.contains(#""to":"ping","time""#) }
        }
        #expect(answered == 50)
        // Logging in has a total of its own, and those who have logged in are no strangers.
        server.connect(30, from: try address("127.0.0.30"))
        server.advance(1_000)
        server.receive(#"{"type":"login","name":"ann"}"#, from: 30)
        for _ in 0..<40 { server.receive(#"{"type":"ping"}"#, from: 30) }
        #expect(server.take(30).count { $0.contains(#""type":"ok""#) } == 41)
    }

    @Test func chatOfAnAddressIsBounded_underHoweverManyNames() throws {
        let server = VirtualServer.plain { $0.addresses.talking = .perMinute(1, burst: 7) }
        let home = try address()
        var said = 0
        for connection in ConnectionID(1)...10 {
            try server.logIn("p\(connection)", connection, from: home)
            server.receive(#"{"type":"watch"}"#, from: connection)
            for _ in 0..<5 { server.receive(#"{"type":"chat","text":"buy"}"#, from: connection) }
            said += server.take(connection).count { $0.contains(#""type":"chat","#) }
            server.receive(#"{"type":"logout"}"#, from: connection)
            server.cut(connection)
        }
        #expect(said == 7)
    }

    @Test func connectionsAndLoginsOfAnAddressAreBounded() throws {
        let server = VirtualServer.plain {
            $0.addresses.connecting = .perSecond(1, burst: 5)
            $0.addresses.loggingIn = .perSecond(1, burst: 3)
        }
        for connection in ConnectionID(1)...5 { server.connect(connection, from: try address()) }
        for connection in ConnectionID(1)...5 {
            #expect(
                server.reply(to: #"{"type":"login","name":"p\#(connection)"}"#, connection).contains(
                    connection <= 3 ? "chips" : #""retryAfter":1000"#))
        }
        server.connect(6, from: try address())
        let refusal = server.take()
        #expect("\(refusal)".contains("too_many_connections") && "\(refusal)".contains("1000") && refusal.last == .closed(6))
        #expect(server.metrics.refusedConnections.values[2] == 1 && server.metrics.connections.value == 5)
    }

    @Test func aPassPhraseIsNotGuessedByReconnecting() throws {
        let server = VirtualServer.plain(pass: "open sesame")
        let home = try address()
        var looked = 0
        for connection in ConnectionID(1)...40 {
            try server.logIn("p\(connection)", connection, from: home)
            for _ in 0..<5 { server.receive(#"{"type":"watch","pass":"guess"}"#, from: connection) }
            looked += server.take(connection).count { $0.contains("wrong_pass") }
            server.cut(connection)
        }
        #expect(looked == 6)
        // Not even the right one is looked at meanwhile; from elsewhere it is, and so it is after the delay.
        try server.logIn("ann", 50, from: home)
        #expect(server.reply(to: #"{"type":"watch","pass":"open sesame"}"#, 50).contains(#""retryAfter":500"#))
        try server.logIn("bob", 51, from: try address("198.51.100.1"))
        // Showing none is no guess.
        for _ in 0..<20 { server.receive(#"{"type":"watch"}"#, from: 51) }
        #expect(server.reply(to: #"{"type":"watch","pass":"open sesame"}"#, 51).contains("snapshot"))
        server.advance(500)
        #expect(server.reply(to: #"{"type":"watch","pass":"open sesame"}"#, 50).contains("snapshot"))
        #expect(server.logged.count { $0.contains("wrong_pass") } == 6)
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

    @Test func strangersGuessOnePhraseASecond_fromAnyNumberOfAddresses_andWhoWasAdmittedDoesNotWait() throws {
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
            if watch(connection, "guess").contains("wrong_pass") { examined += 1 }
        }
        #expect(examined == 10)
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

    @Test func wrongSecretsHaveToWait_andTheRightOneIsLetInAtAnyTime() throws {
        let server = VirtualServer.plain()
        let home = try address()
        try server.logIn("ann", 1, from: home)
        server.receive(#"{"type":"sit"}"#, from: 1)
        server.connect(2, from: home)
        let wrong = secret(of: "wrong").digits
        for _ in 0..<10 { server.receive(#"{"type":"login","name":"ann","secret":"\#(wrong)"}"#, from: 2) }
        let said = server.take(2)
        #expect(said.count { $0.contains("wrong_secret") } == 6 && said.last?.contains("rate_limited") == true)
        #expect(!"\(server.logged)".contains(wrong))
        #expect(server.reply(to: login("ann"), 2).contains(#""chips":0,"table":"main""#))
    }
}

struct AwayLimitTests {
    @Test func anAddressKeepsOnlySoManyWhoAreAway_andChipsAreConserved() throws {
        let server = VirtualServer.plain { $0.maximumAwayPerAddress = 3 }
        for connection in ConnectionID(1)...10 {
            try server.logIn("p\(connection)", connection, from: try address())
            server.play(connection)
            server.cut(connection)
            #expect(server.ledger.imbalance == 0)
        }
        #expect(Set(server.shard.accounts.values.map(\.name.text)) == ["p8", "p9", "p10"])
        #expect(server.shard.names.count == 6 && server.shard.away.count == 3)
    }

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

    @Test func aPlayerWhoIsKickedWhileAway_loses_theSeat_andKeepsTheChips() throws {
        let server = VirtualServer.plain()
        try server.logIn("ann", 1, from: try address())
        server.receive(#"{"type":"sit"}"#, from: 1)
        try server.establish("ann")
        server.cut(1)
        let id = try #require(server.shard.accounts.keys.first)
        #expect(server.shard.kick(id, at: server.now) && server.shard.accounts.isEmpty)
        #expect(server.shard.dormant.account(named: FoldedName(try PlayerName("ann")))?.chips == 1000)
        #expect(
            server.ledger.imbalance == 0 && server.shard.names.count == 0 && server.shard.away.count == 0)
    }

    @Test func aBanFreesWhatTheBlockHolds_andNobodyElses() throws {
        let server = VirtualServer.plain()
        for (connection, from) in zip(ConnectionID(1)..., ["192.0.2.1", "192.0.2.2", "198.51.100.1"]) {
            try server.logIn("p\(connection)", connection, from: try address(from))
            server.receive(#"{"type":"sit"}"#, from: connection)
        }
        server.cut(1)
        server.cut(3)
        let block = try #require(AddressBlock("192.0.2.0/24"))
        let isBanned = server.shard.banList.ban(block, until: nil, at: server.now)
        #expect(isBanned)
        let banned = server.shard.addresses.filter { block.contains($0) }
        #expect(banned.count == 2 && server.shard.dismiss(from: banned, at: server.now) == 1)
        server.cut(2)
        #expect(server.shard.accounts.values.map(\.name.text) == ["p3"])
        #expect(server.ledger.imbalance == 0)
        #expect(server.shard.away.count == 1)
    }
}

struct StrangersSeeTests {
    @Test func whoPlaysAtATableOfFriendsIsNotInTheLobby() throws {
        let server = VirtualServer.plain(pass: "open sesame")
        server.connect(1, asGuest: "ann")
        server.receive(#"{"type":"sit","pass":"open sesame"}"#, from: 1)
        server.advance(1_000)
        server.connect(2)
        let lobby = server.reply(to: #"{"type":"lobby"}"#, 2)
        #expect(lobby.contains(#""free":6,"watchers":0"#) && !lobby.contains("ann"), "\(lobby)")
        let entry = server.reply(to: #"{"type":"lobby","table":"main"}"#, 2)
        #expect(entry.contains(#""free":6,"watchers":0"#) && !entry.contains("ann"), "\(entry)")
    }

    @Test func theHostsNamesAreTheHosts() throws {
        let server = VirtualServer.plain { $0.hostSecret = secret(of: "the host") }
        server.connect(1)
        for name in ["admin", "Dealer", "house-2", "h0use", "adrnin"] {
            #expect(server.reply(to: #"{"type":"login","name":"\#(name)"}"#, 1).contains("invalid_name"), "\(name)")
            #expect(server.reply(to: #"{"type":"available","name":"\#(name)"}"#, 1).contains("invalid_name"), "\(name)")
            #expect(server.reply(to: login(name), 1).contains("invalid_name"), "\(name)")
        }
        #expect(
            server.reply(to: #"{"type":"login","name":"house-2","secret":"\#(secret(of: "the host").digits)"}"#, 1).contains(
                #""name":"house-2""#))
    }
}

struct ExpensiveRequestTests {
    @Test func strangers_payForTheRulesThatTheyAskFor() throws {
        let server = VirtualServer.plain { $0.addresses.asking = .perSecond(1, burst: 40) }
        server.connect(1, from: try address())
        let answers = (0..<11).map { _ in server.reply(to: #"{"type":"rules"}"#, 1) }
        #expect(answers.map { $0.contains("rate_limited") } == Array(repeating: false, count: 10) + [true])
    }

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
