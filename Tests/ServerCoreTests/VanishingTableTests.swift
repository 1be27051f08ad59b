import Foundation
import Rules
import TestKit
import Testing

@testable import ServerCore

extension VirtualServer {
    fileprivate func open(_ name: String, rules: HouseRules = HouseRules()) throws -> Int {
        let index = try #require(shard.directory.reserveTable(name))
        shard.open(.init(name: name, rules: rules), at: index)
        return index
    }

    fileprivate var tableTimers: Int { timers.keys.count { if case .table = $0 { true } else { false } } }
}

/// A closed table leaves nothing behind.
struct VanishingTableTests {
    private let server = VirtualServer.small()

    @Test func tablesThatWereOpenedAndClosed_leaveNothing() throws {
        server.connect(1, asGuest: "ann")
        weak var last: HostedTable?
        // Small shoes, which are quick to shuffle.
        let rules = try HouseRules().with([("decks", .integer(1))])
        // One after the other, and many at a time, closed in another order than they were opened in.
        for _ in 0..<Thorough.count(500, most: 2_000) {
            server.shard.closeTable(try server.open("one", rules: rules), at: server.now)
            #expect(server.shard.slots.count == 1)
        }
        var random = SeededGenerator()
        for _ in 0..<Thorough.count(25, most: 80) {
            var indices = try (0..<100).map { try server.open("t\($0)", rules: rules) }
            #expect(Set(indices).count == 100 && server.shard.directory.tableSlots == 101)
            last = server.shard.hostedTable(at: indices[50])
            indices.shuffle(using: &random)
            for index in indices { server.shard.closeTable(index, at: server.now) }
            server.advance(1_000)
            _ = server.take()
        }
        #expect(server.shard.slots.count == 1 && server.shard.directory.tableSlots == 1 && server.tableTimers == 0)
        #expect(last == nil && server.shard.directory.lobby.listed.map(\.name) == ["main"] && server.shard.lobbyChanges.isEmpty)
        #expect(server.shard.ledger.imbalance == 0)
        #expect(server.say(#"{"type":"sit"}"#, 1).contains(#""to":"sit","table":"main""#))
    }

    @Test func aTableWithAHandInPlay_goesWithItsLastViewer_andItsChipsAreStillCounted() throws {
        let index = try server.open("new")
        weak let table = server.shard.hostedTable(at: index)
        for (connection, name) in [(ConnectionID(1), "ann"), (2, "bob"), (3, "cleo")] {
            server.connect(connection, asGuest: name)
            server.receive(#"{"type":"watch","table":"new"}"#, from: connection)
        }
        server.receive([#"{"type":"sit"}"#, #"{"type":"bet","amount":100,"round":"now"}"#], from: 1)
        server.shard.closeTable(index, at: server.now)
        server.congested = [2]
        server.advance(120_000)
        // One viewer has yet to be told how it ended.
        #expect(table != nil && server.shard.directory.tableSlots == 2 && server.shard.rounds == 1)
        let rounds = server.shard.rounds
        #expect(server.shard.ledger.imbalance == 0)
        server.drain(2)
        #expect(server.take(2).last?.contains("closed") == true)
        #expect(table == nil && server.shard.slots.count == 1 && server.shard.directory.tableSlots == 1)
        #expect(server.shard.rounds == rounds && server.shard.ledger.imbalance == 0)
        // It was the last for them, too: nothing is watched.
        #expect(server.reply(to: #"{"type":"chat","text":"hello"}"#, 2).contains("not_at_table"))
    }

    /// Table "new" closes while ann, who watches it, does not read.
    private func closeBehindAnn() throws {
        let index = try server.open("new")
        server.connect(1, asGuest: "ann")
        server.receive(#"{"type":"watch","table":"new"}"#, from: 1)
        server.congested = [1]
        server.shard.closeTable(index, at: server.now)
        #expect(server.shard.directory.tableSlots == 2)
    }

    @Test func whoAsksAgainForATableThatHasClosed_seesItOnceMore_andThenItIsGone() throws {
        try closeBehindAnn()
        server.congested = []
        _ = server.take()
        #expect(server.say(#"{"type":"watch"}"#, 1).contains(#""type":"snapshot","table":"new""#))
        #expect(server.shard.directory.tableSlots == 1 && server.shard.slots.count == 1)
        #expect(server.say(#"{"type":"watch"}"#, 1).contains(#""type":"snapshot","table":"main""#))
    }

    @Test func aViewerThatGoesWithoutCatchingUp_takesTheTableAlong() throws {
        try closeBehindAnn()
        server.cut(1)
        #expect(server.shard.directory.tableSlots == 1)
    }

    @Test func aServersTablesComeAndGo_onAllOfItsLoops() throws {
        var options = Server.Options()
        options.port = 0
        options.loops = 2
        let server = Server(shards: ShardConfiguration(tables: [.init(name: "main", rules: HouseRules())]), options: options)
        for round in 0..<50 {
            for table in 0..<10 { #expect(server.openTable(.init(name: "t\(table)", rules: HouseRules()))) }
            #expect(server.tableStatuses.count == 11)
            for table in 0..<10 { #expect(server.closeTable(named: "t\((table + round) % 10)")) }
        }
        #expect(server.directory.tableSlots == 1 && server.inspect(loop: 0) { $0.slots.count } == 1)
        #expect(server.inspect(loop: 1) { $0.slots.count } == 0)
        #expect(server.tableStatuses.map(\.name) == ["main"])
        server.group.stop()
    }
}
