import Operations
import Rules
import Synchronization
import TableEngine
import Testing
import Wire

@testable import ServerCore

private func address(_ text: String) throws -> IPAddress { try #require(IPAddress(text)) }

extension VirtualHouse {
    fileprivate func logIn(_ name: String, _ connection: ConnectionID, from address: IPAddress? = nil) {
        casino.connected(connection, from: address, at: now)
        receive(#"{"type":"login","name":"\#(name)"}"#, from: connection)
    }

    fileprivate var metrics: ServerMetrics { casino.house.metrics }
}

private func house(_ change: (inout CasinoConfiguration) -> Void) -> VirtualHouse {
    var configuration = CasinoConfiguration(tables: [.init(name: "main", rules: HouseRules())])
    configuration.settledMilliseconds = 1000
    change(&configuration)
    return VirtualHouse(configuration)
}

@Test func tooManyRequestsAreRefusedWithTheTimeToWait_andWhoGoesOnIsSentAway() {
    let house = house { $0.requests = .perSecond(10, burst: 3) }
    house.logIn("ann", 1)
    _ = house.take()
    for _ in 0..<2 { house.receive(#"{"type":"ping"}"#, from: 1) }
    #expect(house.take(1).count == 2)
    house.receive(#"{"type":"ping","id":7}"#, from: 1)
    let refusal = house.take(1)
    #expect(refusal.count == 1 && refusal[0].contains(#""code":"rate_limited""#) && refusal[0].contains(#""retryAfter":100"#))
    #expect(refusal[0].contains(#""id":7"#) && refusal[0].contains(#""to":"ping""#))
    // Who waits as long as he was told is answered again.
    house.advance(100)
    house.receive(#"{"type":"ping"}"#, from: 1)
    #expect(house.take(1).first?.contains(#""ok""#) == true)
    for _ in 0..<4 { house.receive(#"{"type":"ping"}"#, from: 1) }
    let outputs = house.take()
    #expect(outputs.last == .closed(1) && "\(outputs)".contains("bye"))
    // Nothing more is heard from him.
    house.receive(#"{"type":"ping"}"#, from: 1)
    #expect(house.take().isEmpty)
    house.cut(1)
    #expect(house.metrics.disconnects[.rateLimited].value == 1)
    #expect(house.metrics.registry.text.contains("bj_protocol_errors_total{code=\"rate_limited\"} 4\n"))
}

@Test func chatIsLimitedByPlayer_notByConnection() {
    let house = house { $0.chat = .perMinute(60, burst: 2) }
    house.logIn("ann", 1)
    house.receive(#"{"type":"watch"}"#, from: 1)
    for _ in 0..<2 { house.receive(#"{"type":"chat","text":"hello"}"#, from: 1) }
    _ = house.take()
    house.receive(#"{"type":"chat","text":"hello"}"#, from: 1)
    let refusal = house.take(1)
    #expect(refusal.count == 1 && refusal[0].contains("rate_limited") && refusal[0].contains(#""retryAfter":1000"#))
    house.advance(1000)
    house.receive(#"{"type":"chat","text":"hello"}"#, from: 1)
    #expect(house.take(1).contains { $0.contains(#""type":"chat""#) })
}

@Test func anAddressGetsItsShareOfConnectionsAndNoMore_butThisMachineIsNotCounted() throws {
    let house = house {
        $0.maximumConnections = 4
        $0.maximumConnectionsPerAddress = 1
    }
    house.casino.connected(1, from: try address("192.0.2.1"), at: 0)
    house.casino.connected(2, from: try address("192.0.2.1"), at: 0)
    #expect("\(house.take())".contains("too_many_connections"))
    for connection in ConnectionID(3)...5 { house.casino.connected(connection, from: try address("127.0.0.1"), at: 0) }
    #expect(!"\(house.take())".contains("error"))
    house.casino.connected(6, from: try address("198.51.100.1"), at: 0)
    #expect("\(house.take())".contains("server_full"))
    house.cut(1)
    house.casino.connected(7, from: try address("192.0.2.1"), at: 0)
    #expect(!"\(house.take())".contains("error"))
    #expect(house.metrics.connections.value == 4 && house.metrics.accepted.value == 5)
    #expect(
        house.metrics.refusedConnections[.tooManyFromAddress].value == 1 && house.metrics.refusedConnections[.full].value == 1)
}

@Test func whoIsBannedIsClosedAndNotLetInUntilTheBanEnds() throws {
    let house = house { _ in }
    let block = try #require(AddressBlock("192.0.2.0/24"))
    house.logIn("ann", 1, from: try address("192.0.2.1"))
    house.logIn("bob", 2, from: try address("198.51.100.1"))
    _ = house.take()
    #expect(house.casino.house.ban(block, until: house.now + 1_000, at: house.now))
    #expect(try house.casino.dismiss(from: [address("192.0.2.1")], at: house.now) == 1)
    let outputs = house.take()
    #expect(outputs.contains(.closed(1)) && !outputs.contains(.closed(2)) && "\(outputs)".contains("banned"))
    house.cut(1)
    house.casino.connected(3, from: try address("192.0.2.9"), at: house.now)
    #expect("\(house.take())".contains(#""code":"banned""#.replacing("\"", with: "\\\"")))
    house.advance(1_000)
    house.casino.connected(4, from: try address("192.0.2.9"), at: house.now)
    #expect("\(house.take())".contains("hello"))
    #expect(house.metrics.disconnects[.banned].value == 1)
}

@Test func whoIsKickedLosesTheSeatButNotTheChips() throws {
    let house = VirtualHouse.small()
    house.logIn("ann", 1)
    house.receive(#"{"type":"sit"}"#, from: 1)
    house.receive(#"{"type":"bet","amount":10}"#, from: 1)
    let id = try #require(house.casino.accounts.keys.first)
    _ = house.take()
    #expect(house.casino.kick(id, at: house.now) && !house.casino.kick(PlayerID(99), at: house.now))
    #expect("\(house.take())".contains("kicked"))
    house.cut(1)
    house.advance(60_000)
    #expect(house.casino.ledger.tables == 0 && house.casino.ledger.imbalance == 0)
    #expect(house.metrics.disconnects[.kicked].value == 1)
}

@Test func aTableIsOpenedAndClosedWhileTheHouseRuns() throws {
    let house = VirtualHouse.small()
    house.logIn("ann", 1)
    let index = try #require(house.casino.house.reserveTable("new"))
    #expect(house.casino.house.index(ofTable: "new") == nil)
    house.casino.open(.init(name: "new", rules: HouseRules()), at: index)
    #expect(house.casino.house.reserveTable("new") == nil)
    _ = house.take()
    house.receive(#"{"type":"lobby"}"#, from: 1)
    #expect(house.take(1).first?.contains("\"new\"") == true)
    house.receive(#"{"type":"sit","table":"new"}"#, from: 1)
    house.receive(#"{"type":"bet","amount":10}"#, from: 1)
    house.casino.closeTable(index, at: house.now)
    _ = house.take()
    house.receive(#"{"type":"sit","table":"new"}"#, from: 1)
    house.advance(120_000)
    // Its last round is over: nobody finds it any more, the chips are home, and nobody else noticed.
    #expect(house.casino.house.index(ofTable: "new") == nil && house.casino.house.onlyTable == 0)
    _ = house.take()
    house.receive(#"{"type":"sit","table":"new"}"#, from: 1)
    #expect(house.take(1).first?.contains("no_such_table") == true)
    house.receive(#"{"type":"sit"}"#, from: 1)
    #expect(house.take(1).first?.contains(#""table":"main""#) == true)
    #expect(house.casino.ledger.imbalance == 0)
    // Its name is free again.
    #expect(house.casino.house.reserveTable("new") != nil)
}

@Test func anotherPassPhraseHoldsForNewcomersAtOnce_andThoseWhoAreThereStay() {
    let house = VirtualHouse.small()
    house.logIn("ann", 1)
    house.logIn("bob", 2)
    house.logIn("cleo", 3)
    house.receive(#"{"type":"watch"}"#, from: 1)
    house.casino.setPass("open sesame", ofTable: 0)
    _ = house.take()
    house.receive(#"{"type":"watch"}"#, from: 2)
    #expect(house.take(2).first?.contains("wrong_pass") == true)
    house.receive(#"{"type":"lobby"}"#, from: 2)
    #expect(house.take(2).first?.contains(#""locked":true"#) == true)
    house.receive(#"{"type":"sit","pass":"open sesame"}"#, from: 2)
    #expect(house.take(1).contains { $0.contains("bob") })
    // The former phrase is worth nothing from the moment that there is another one.
    house.casino.setPass("mellon", ofTable: 0)
    house.receive(#"{"type":"watch","pass":"open sesame"}"#, from: 3)
    #expect(house.take(3).first?.contains("wrong_pass") == true)
    house.casino.setPass(nil, ofTable: 0)
    house.receive(#"{"type":"watch"}"#, from: 3)
    #expect(house.take(3).contains { $0.contains("snapshot") })
}

@Test func aTableThatHasClosedIsTold_andItsNameIsFree() throws {
    let house = VirtualHouse.small()
    let closed = Mutex<[String]>([])
    house.casino.house.observeClosedTables { name in closed.withLock { $0.append(name) } }
    house.logIn("ann", 1)
    let index = try #require(house.casino.house.reserveTable("new"))
    house.casino.open(.init(name: "new", rules: HouseRules()), at: index)
    house.receive(#"{"type":"sit","table":"new"}"#, from: 1)
    house.receive(#"{"type":"bet","amount":10}"#, from: 1)
    house.casino.closeTable(index, at: house.now)
    #expect(closed.withLock { $0 }.isEmpty)
    house.advance(120_000)
    #expect(closed.withLock { $0 } == ["new"] && house.casino.house.reserveTable("new") != nil)
}

@Test func otherBoundsHoldAtOnce() {
    let house = VirtualHouse.small()
    house.logIn("ann", 1)
    var configuration = house.casino.configuration
    configuration.maximumConnections = 1
    configuration.requests = .perSecond(1, burst: 1)
    configuration.idleMilliseconds = 5_000
    configuration.tables = []
    house.casino.house.reconfigure(configuration)
    house.casino.reconfigure(house.casino.house.configuration)
    _ = house.take()
    house.connect(2)
    #expect("\(house.take())".contains("server_full"))
    house.receive(#"{"type":"ping"}"#, from: 1)
    house.receive(#"{"type":"ping"}"#, from: 1)
    #expect(house.take(1).last?.contains("rate_limited") == true)
    #expect(house.casino.house.configuration.tables.count == 1)
}

@Test func whatIsMeasuredIsWhatThereIs() {
    let house = VirtualHouse.small(tables: ["low", "high"])
    for (index, name) in ["ann", "bob"].enumerated() {
        house.logIn(name, ConnectionID(index + 1))
        house.receive(#"{"type":"sit","table":"low"}"#, from: ConnectionID(index + 1))
    }
    house.receive(#"{"type":"bet","amount":10}"#, from: 1)
    house.receive(#"{"type":"bet","amount":10}"#, from: 2)
    house.cut(2)
    #expect(house.casino.measure().seats == [12, 2, 0, 0], "a connection that was lost a moment ago is not away yet")
    house.advance(2000)
    let seen = house.casino.measure()
    #expect(seen.players == [1, 1] && seen.imbalance == 0 && seen.chipsInPlay == house.casino.ledger.tables)
    #expect(seen.tables.reduce(0, +) == 2 && seen.seats == [12, 1, 0, 1])
    house.advance(120_000)
    let text = house.metrics.registry.text
    #expect(house.metrics.rounds.value >= 1 && house.metrics.timeouts.value >= 1 && house.casino.actions == 2)
    #expect(HandOutcome.allCases.reduce(0) { $0 + house.metrics.hands[$1].value } >= 2)
    #expect(text.contains("bj_connections 1\n") && text.contains("bj_loops 1\n"))
}

@Test func aSlowViewersCatchingUpIsMeasured() {
    let house = VirtualHouse.small()
    house.logIn("ann", 1)
    house.logIn("bob", 2)
    house.receive(#"{"type":"watch"}"#, from: 2)
    house.congested = [2]
    // The line at which it turns out to be slow still goes to it: nothing is late before the next one.
    house.receive(#"{"type":"sit"}"#, from: 1)
    house.advance(1000)
    house.receive(#"{"type":"bet","amount":10}"#, from: 1)
    house.advance(300)
    house.drain(2)
    #expect(house.metrics.collapses.value == 1 && house.metrics.broadcastLag.counts.reduce(0, +) == 1)
    #expect(house.metrics.broadcastLag.sum == 300)
}

@Test func everyLabelHasItsWord() {
    #expect(RefusalCode.allCases.map(\.labelValue) == ErrorCode.allCases.filter { !$0.isInternal }.map(\.rawValue))
    #expect(HandOutcome.allCases.map(\.labelValue) == Outcome.allCases.map(\.name))
    #expect(RefusalCode(.betNegative) == nil && DisconnectReason(GoodbyeCode.loggedOut) == .loggedOut)
}
