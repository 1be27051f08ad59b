import Records
import Rules
import Testing
import Wire

@testable import ServerCore

/// Proofs of tables that are closed, and of those that another one follows under the name.
struct ClosedTableProofTests {
    enum End: CaseIterable { case stop, crashBehindClosed, otherRules }

    /// Shoe 1 is in play, and the order of shoe 2 made with both players' contributions.
    private func mixedTwice() throws -> Contributors {
        let players = Contributors(try CeremonyServerTests.server())
        players.enter(1...2)
        try players.contribute(1...2)
        players.playRound(1...2)
        try players.commit(1...2)
        try players.playRounds(1...2) { players.next?.isRevealing == false }
        try players.reveal(1...2)
        return players
    }

    @Test func aLockedTable_provesItsShoesToContributors_notToWhoHasTheirNamesLater() throws {
        let players = try mixedTwice()
        let fair = try #require(players.table.fairShoe)
        for connection in 1...2 { players.server.receive(#"{"type":"leave"}"#, from: ConnectionID(connection)) }
        players.server.advance(60_000)
        players.server.receive(#"{"type":"logout"}"#, from: 2)
        // player-2 is no more, and somebody else has the name.
        let name = try PlayerName("player-2")
        _ = try players.server.shard.change(name, .delete, at: players.server.now)
        func enter(_ server: VirtualServer, _ name: String, _ connection: ConnectionID, secret digits: String) {
            server.connect(connection)
            server.receive(#"{"type":"login","name":"\#(name)","secret":"\#(digits)"}"#, from: connection)
        }
        enter(players.server, "player-2", 3, secret: secret(of: "somebody else").digits)
        // The start closes the table, and has the ids from the journal.
        let rules = try HouseRules([("decks", .integer(2))])
        players.server = try VirtualServer(after: players.server, outage: 10, rules: rules) { $0.tables[0].pass = "open sesame" }
        enter(players.server, "player-1", 4, secret: secret(of: "player-1").digits)
        enter(players.server, "player-2", 5, secret: secret(of: "somebody else").digits)
        #expect(try players.proof(1, madeFor: fair.commitment, by: 4)?.commitment == fair.commitment)
        #expect(try players.proof(1, madeFor: fair.commitment, by: 5) == nil)
    }

    @Test(arguments: End.allCases)
    func aClosedTable_provesBothItsShoes_alsoBehindAnotherTableOfItsName(_ end: End) throws {
        let players = try mixedTwice()
        let fair = try #require(players.table.fairShoe)
        let next = try #require(players.next)
        guard case .mixed(let list, _, let order) = next.stage else { throw Contributors.Absent() }
        #expect(try players.proof(2, madeFor: next.commitment) == nil, "it may be played yet")
        #expect(
            try players.proof(1, madeFor: fair.commitment) == nil && players.proof(1, madeFor: fair.list) == nil, "it is in play")
        func check(by asker: ConnectionID) throws {
            let played = try #require(try players.proof(1, madeFor: fair.commitment, by: asker))
            let coming = try #require(try players.proof(2, madeFor: next.commitment, by: asker))
            #expect(played.commitment == fair.commitment && played.list == fair.list)
            #expect(coming.commitment == next.commitment && coming.list == list)
            #expect(coming.key.orderDigest(segment: 0, first: 0, codes: coming.key.order(decks: 1)) == order)
        }
        if end == .stop || end == .crashBehindClosed {
            players.server.shard.drain(at: players.server.now)
            players.server.shard.voidRounds(at: players.server.now)
            #expect(players.table.phase == .closed)
            try check(by: 1)
            #expect(try players.proof(nil)?.shoe == 1)
        }
        switch end {
        case .stop: players.server.stop()
        case .crashBehindClosed, .otherRules: break
        }
        let rules = end == .otherRules ? try HouseRules([("decks", .integer(2))]) : nil
        players.server = try VirtualServer(after: players.server, outage: 10, rules: rules)
        players.enter(3)
        #expect(players.next?.shoe == 1)
        try check(by: 3)
        #expect(try players.proof(1, madeFor: nil, by: 3) == nil, "the shoe of the table in place")
        let state = try replayed(players.server.records)
        var reader = CheckpointReader()
        state.writeCheckpoint(sequence: 1) { bytes in
            for line in bytes.split(separator: 10) {
                #expect(throws: Never.self) { try (line + [10]).withUnsafeBufferPointer { try reader.read($0) } }
            }
        }
        #expect(try reader.finish().state == state && state.formerProofs.map(\.proofs.count) == [2])
    }
}
