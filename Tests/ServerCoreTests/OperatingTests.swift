import Rules
import Sockets
import Synchronization
import TableEngine
import TableModel
import TestKit
import Testing
import Wire

@testable import ServerCore

private func address(_ text: String) throws -> IPAddress { try #require(IPAddress(text)) }

extension VirtualServer {
    fileprivate func logIn(_ name: String, _ connection: ConnectionID, from address: IPAddress? = nil) {
        shard.connected(connection, from: address, at: now)
        receive(#"{"type":"login","name":"\#(name)"}"#, from: connection)
    }

    fileprivate var metrics: Metrics { shard.metrics }
}

@Test func tooManyRequestsAreRefusedWithTheTimeToWait_andWhoGoesOnIsSentAway() {
    let server = VirtualServer.plain { $0.requests = .perSecond(10, burst: 3) }
    server.connect(1, asGuest: "ann")
    _ = server.take()
    for _ in 0..<2 { server.receive(#"{"type":"ping"}"#, from: 1) }
    #expect(server.take(1).count == 2)
    let refusal = server.answers(to: #"{"type":"ping","id":7}"#, 1)
    #expect(refusal.count == 1 && refusal[0].contains(#""code":"rate_limited""#) && refusal[0].contains(#""retryAfter":100"#))
    #expect(refusal[0].contains(#""id":7"#) && refusal[0].contains(#""to":"ping""#))
    // Who waits as long as he was told is answered again.
    server.advance(100)
    #expect(server.answer(to: #"{"type":"ping"}"#, 1).contains(#""ok""#))
    for _ in 0..<4 { server.receive(#"{"type":"ping"}"#, from: 1) }
    let outputs = server.take()
    #expect(outputs.last == .closed(1) && "\(outputs)".contains("bye"))
    // Nothing more is heard from him.
    server.receive(#"{"type":"ping"}"#, from: 1)
    #expect(server.take().isEmpty)
    server.cut(1)
    #expect(server.metrics.text.contains("bj_protocol_errors_total{code=\"rate_limited\"} 4\n"))
}

@Test func chatAndQuestionsAreLimitedByPlayer_alsoOverALogout() {
    let server = VirtualServer.plain { $0.chat = .perMinute(60, burst: 2) }
    var connection = ConnectionID(0)
    func answers(to request: String) -> (done: Int, refused: Int) {
        connection += 1
        server.shard.connected(connection, at: server.now)
        server.receive([login("ann"), #"{"type":"watch"}"#, #"{"type":"sit"}"#], from: connection)
        try? server.establish("ann")
        _ = server.take()
        for _ in 0..<4 { server.receive(request, from: connection) }
        let lines = server.take(connection)
        server.receive(#"{"type":"logout"}"#, from: connection)
        _ = server.take()
        let refused = lines.filter { $0.contains("rate_limited") }
        #expect(refused.allSatisfy { $0.contains(request.contains("chat") ? #""retryAfter":1000"# : "retryAfter") })
        return (lines.count { $0.contains(#""ok""#) }, refused.count)
    }
    #expect(answers(to: #"{"type":"chat","text":"hello"}"#) == (2, 2))
    #expect(answers(to: #"{"type":"chat","text":"hello"}"#) == (0, 4))
    server.advance(1000)
    #expect(answers(to: #"{"type":"chat","text":"hello"}"#) == (1, 3))
    #expect(answers(to: #"{"type":"chart"}"#) == (4, 0))
    #expect(answers(to: #"{"type":"chart"}"#) == (0, 4))
}

@Test func anAddressGetsItsShareOfConnectionsAndNoMore_butThisMachineIsNotCounted() throws {
    let server = VirtualServer.plain {
        $0.maximumConnections = 4
        $0.maximumConnectionsPerAddress = 1
    }
    server.shard.connected(1, from: try address("192.0.2.1"), at: 0)
    server.shard.connected(2, from: try address("192.0.2.1"), at: 0)
    #expect("\(server.take())".contains("too_many_connections"))
    for connection in ConnectionID(3)...5 { server.shard.connected(connection, from: try address("127.0.0.1"), at: 0) }
    #expect(!"\(server.take())".contains("error"))
    server.shard.connected(6, from: try address("198.51.100.1"), at: 0)
    let refusal = server.take()
    #expect(refusal.count == 2 && "\(refusal)".contains("too_many_connections") && refusal.last == .closed(6))
    server.cut(1)
    server.shard.connected(7, from: try address("192.0.2.1"), at: 0)
    #expect(server.take(7).first?.hasPrefix(#"{"type":"hello""#) == true)
    #expect(server.metrics.connections.value == 4)
    #expect(server.metrics.refusedConnections.values == [1, 1, 0, 0, 0, 0], "full, too many")
}

@Test func whoIsBannedIsClosedAndNotLetInUntilTheBanEnds() throws {
    let server = VirtualServer.plain()
    let block = try #require(AddressBlock("192.0.2.0/24"))
    server.logIn("ann", 1, from: try address("192.0.2.1"))
    server.logIn("bob", 2, from: try address("198.51.100.1"))
    _ = server.take()
    let isBanned = server.shard.banList.ban(block, until: server.now + 1_000, at: server.now)
    #expect(isBanned)
    #expect(try server.shard.dismiss(from: [address("192.0.2.1")], at: server.now) == 1)
    let outputs = server.take()
    #expect(outputs.contains(.closed(1)) && !outputs.contains(.closed(2)) && "\(outputs)".contains("banned"))
    server.cut(1)
    server.shard.connected(3, from: try address("192.0.2.9"), at: server.now)
    #expect("\(server.take())".contains(#""code":"banned""#.replacing("\"", with: "\\\"")))
    server.advance(1_000)
    server.shard.connected(4, from: try address("192.0.2.9"), at: server.now)
    #expect("\(server.take())".contains("hello"))
}

@Test func theHostSpeaksToAllAtATable_andLeavesNoChat() throws {
    let server = VirtualServer.small()
    server.seat(guest: "ann", 1)
    server.connect(2, asGuest: "bob")
    server.connect(3, asGuest: "cid")
    server.receive(#"{"type":"lobby","follow":true}"#, from: 2)
    _ = server.take()
    let words = try ChatText("Last rounds at ten.")
    #expect(server.shard.say(words, at: nil, at: server.now) == 2, "who chooses a table is told, too")
    let heard = server.take()
    #expect(heard.count == 2, "\(heard)")
    let told = "\(heard)".replacing("\\", with: "")
    #expect(told.contains(#""kind":"said","name":"host","reason":"Last rounds at ten.""#), "\(told)")
    #expect(server.shard.say(words, at: 7, at: server.now) == 0 && server.take().isEmpty)
}

@Test func whatIsMeasuredIsWhatThereIs() {
    let server = VirtualServer.small(tables: ["low", "high"])
    for (index, name) in ["ann", "bob"].enumerated() {
        server.logIn(name, ConnectionID(index + 1))
        server.receive(#"{"type":"sit","table":"low"}"#, from: ConnectionID(index + 1))
    }
    server.receive(#"{"type":"bet","amount":10,"round":"now"}"#, from: 1)
    server.receive(#"{"type":"bet","amount":10,"round":"now"}"#, from: 2)
    server.cut(2)
    #expect(server.shard.measure().seats == ["free": 12, "player": 2], "a connection that was lost a moment ago is not away yet")
    server.advance(2000)
    let seen = server.shard.measure()
    #expect(seen.players == ["here": 1, "away": 1] && seen.imbalance == 0 && seen.chipsInPlay == server.shard.ledger.tables)
    #expect(seen.tables.values.reduce(0, +) == 2 && seen.seats == ["free": 12, "player": 1, "away": 1])
    server.advance(120_000)
    let text = server.metrics.text
    #expect(server.metrics.rounds.value >= 1 && server.metrics.timeouts.value >= 1 && server.actions == 2)
    #expect(server.metrics.hands.values.reduce(0, +) >= 2)
    #expect(text.contains("bj_connections 1\n"))
}

@Test func aSlowViewersCatchingUpIsMeasured() {
    let server = VirtualServer.small()
    server.connect(1, asGuest: "ann")
    server.connect(2, asGuest: "bob")
    server.receive(#"{"type":"watch"}"#, from: 2)
    server.congested = [2]
    // The line at which it turns out to be slow still goes to it: nothing is late before the next one.
    server.receive(#"{"type":"sit"}"#, from: 1)
    server.advance(1000)
    server.receive(#"{"type":"bet","amount":10,"round":"now"}"#, from: 1)
    server.advance(300)
    server.drain(2)
    #expect(server.metrics.collapses.value == 1)
}

@Test func followersOfTheLobby_learnThatTheServerDrains_whenItBegins() throws {
    let server = VirtualServer.small(tables: ["main", "new"])
    server.connect(1, asGuest: "ann")
    server.connect(2, asGuest: "bob")
    server.receive(#"{"type":"lobby","follow":true}"#, from: 2)
    server.receive([#"{"type":"sit","table":"new"}"#, #"{"type":"bet","amount":10,"round":"now"}"#], from: 1)
    server.advance(1_000)
    _ = server.take()
    server.shard.drain(at: server.now)
    server.advance(1_000)
    let told = server.take(2)
    for table in ["main", "new"] {
        #expect(told.contains { $0.contains("\"\(table)\":{") && $0.contains(#""closing":true"#) })
    }
}

@Test func theEdge_isShownAtTablesWithItsRules() throws {
    let other = try HouseRules(preset: "single-deck")
    var lobby = Lobby([.init(name: "main", rules: HouseRules()), .init(name: "one", rules: other)])
    #expect(lobby.listed.allSatisfy { $0.edge == nil } && !lobby.hasEdge(of: other))
    let old = lobby
    lobby.note(edge: -4059, of: HouseRules())
    #expect(lobby.listed.map(\.edge) == [-4059, nil] && lobby.change(since: old).tables.map(\.edge) == [-4059])
    lobby.note(edge: -1877, of: other)
    #expect(lobby.listed.map(\.edge) == [-4059, -1877] && lobby.hasEdge(of: other))
}

/// Also with more tables than are listed: some move up into the list, others down.
@Test(arguments: [8, 600]) func whateverClosesAndOpensMeanwhile_aFollowedLobbyIsTheOneThatIsAskedFor(_ count: Int) throws {
    var random = SeededGenerator()
    var lobby = Lobby([.init(name: "t3-main", rules: HouseRules())])
    var followed = lobby.listed
    for step in 0..<(count > 500 ? 40 : 300) {
        let (old, open) = (lobby, (0..<count).shuffled(using: &random).dropLast(random.below(min(count, 150) + 1)))
        lobby.list(
            elsewhere: open.map {
                TableSummary(name: "t\($0)", seats: 7, freeSeats: random.below(8), players: [], watchers: 0, rules: HouseRules())
            })
        let line = ServerMessage.lobby(lobby.change(since: old)).encoded().dropLast()
        guard case .lobby(let change) = try line.withUnsafeBufferPointer({ try ServerMessage(line: $0) }) else { continue }
        followed = change.applied(to: followed)
        #expect(followed == lobby.listed, "step \(step), seed \(Seed.value)")
        #expect(followed.map(\.name) == Array((open.map { "t\($0)" } + ["t3-main"]).sorted().prefix(500)))
    }
}
