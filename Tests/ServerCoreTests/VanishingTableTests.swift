import Foundation
import Operations
import Rules
import Testing
import Wire

@testable import ServerCore

private let seed = ProcessInfo.processInfo.environment["BJ_SEED"].flatMap(UInt64.init) ?? 20_261_121

extension VirtualHouse {
    fileprivate func open(_ name: String, rules: HouseRules = HouseRules()) throws -> Int {
        let index = try #require(casino.house.reserveTable(name))
        casino.open(.init(name: name, rules: rules), at: index)
        return index
    }

    fileprivate var tableReminders: Int { reminders.keys.count { if case .table = $0 { true } else { false } } }
}

/// A closed table leaves nothing behind.
struct VanishingTableTests {
    @Test func tenThousandTablesThatWereOpenedAndClosed_leaveNothing() throws {
        let house = VirtualHouse.small()
        house.connect(1)
        house.receive(#"{"type":"login","name":"ann"}"#, from: 1)
        weak var last: TableHost?
        // Small shoes, which are quick to shuffle.
        let rules = try HouseRules().with([("decks", .integer(1))])
        // One after the other, and many at a time, closed in another order than they were opened in.
        for _ in 0..<2_000 {
            house.casino.closeTable(try house.open("one", rules: rules), at: house.now)
            #expect(house.casino.places.count == 1)
        }
        var random = SeededGenerator(seed: seed)
        for _ in 0..<80 {
            var indices = try (0..<100).map { try house.open("t\($0)", rules: rules) }
            #expect(Set(indices).count == 100 && house.casino.house.places == 101)
            last = house.casino.host(at: indices[50])
            indices.shuffle(using: &random)
            for index in indices { house.casino.closeTable(index, at: house.now) }
            house.advance(1_000)
            _ = house.take()
        }
        #expect(house.casino.places.count == 1 && house.casino.house.places == 1 && house.tableReminders == 0)
        #expect(last == nil && house.casino.house.lobby.tables.map(\.name) == ["main"] && house.casino.lobbyChanges.isEmpty)
        #expect(house.casino.ledger.imbalance == 0)
        house.receive(#"{"type":"sit"}"#, from: 1)
        #expect(house.take(1).contains { $0.contains(#""to":"sit","table":"main""#) })
    }

    @Test func aTableWithAHandInPlay_goesWithItsLastViewer_andItsChipsAreStillCounted() throws {
        let house = VirtualHouse.small()
        let index = try house.open("new")
        weak let host = house.casino.host(at: index)
        for (connection, name) in [(ConnectionID(1), "ann"), (2, "bob"), (3, "cleo")] {
            house.connect(connection)
            house.receive("{\"type\":\"login\",\"name\":\"\(name)\"}", from: connection)
            house.receive(#"{"type":"watch","table":"new"}"#, from: connection)
        }
        house.receive(#"{"type":"sit"}"#, from: 1)
        house.receive(#"{"type":"bet","amount":100}"#, from: 1)
        house.casino.closeTable(index, at: house.now)
        house.congested = [2]
        house.advance(120_000)
        // One viewer has yet to be told how it ended.
        #expect(host != nil && house.casino.house.places == 2 && house.casino.rounds == 1)
        let rounds = house.casino.rounds
        #expect(house.casino.ledger.imbalance == 0)
        house.drain(2)
        #expect(house.take(2).last?.contains("closed") == true)
        #expect(host == nil && house.casino.places.count == 1 && house.casino.house.places == 1)
        #expect(house.casino.rounds == rounds && house.casino.ledger.imbalance == 0)
        // It was the last for them, too: nothing is watched.
        house.receive(#"{"type":"chat","text":"hello"}"#, from: 2)
        #expect(house.take(2).last?.contains("not_at_table") == true)
    }

    @Test func whoAsksAgainForATableThatHasClosed_seesItOnceMore_andThenItIsGone() throws {
        let house = VirtualHouse.small()
        let index = try house.open("new")
        house.connect(1)
        house.receive(#"{"type":"login","name":"ann"}"#, from: 1)
        house.receive(#"{"type":"watch","table":"new"}"#, from: 1)
        house.congested = [1]
        house.casino.closeTable(index, at: house.now)
        #expect(house.casino.house.places == 2)
        house.congested = []
        _ = house.take()
        house.receive(#"{"type":"watch"}"#, from: 1)
        #expect(house.take(1).contains { $0.contains(#""type":"snapshot","table":"new""#) })
        #expect(house.casino.house.places == 1 && house.casino.places.count == 1)
        house.receive(#"{"type":"watch"}"#, from: 1)
        #expect(house.take(1).contains { $0.contains(#""type":"snapshot","table":"main""#) })
    }

    @Test func aViewerThatGoesWithoutCatchingUp_takesTheTableAlong() throws {
        let house = VirtualHouse.small()
        let index = try house.open("new")
        house.connect(1)
        house.receive(#"{"type":"login","name":"ann"}"#, from: 1)
        house.receive(#"{"type":"watch","table":"new"}"#, from: 1)
        house.congested = [1]
        house.casino.closeTable(index, at: house.now)
        #expect(house.casino.house.places == 2)
        house.cut(1)
        #expect(house.casino.house.places == 1)
    }

    @Test func aServersTablesComeAndGo_onAllOfItsLoops() throws {
        var options = Server.Options()
        options.port = 0
        options.loops = 2
        let server = Server(casino: CasinoConfiguration(tables: [.init(name: "main", rules: HouseRules())]), options: options)
        for round in 0..<50 {
            for table in 0..<10 { #expect(server.openTable(.init(name: "t\(table)", rules: HouseRules()))) }
            #expect(server.tableStatuses.count == 11)
            for table in 0..<10 { #expect(server.closeTable(named: "t\((table + round) % 10)")) }
        }
        #expect(server.house.places == 1 && server.inspect(loop: 0) { $0.places.count } == 1)
        #expect(server.inspect(loop: 1) { $0.places.count } == 0)
        #expect(server.tableStatuses.map(\.name) == ["main"])
        server.group.stop()
    }
}
