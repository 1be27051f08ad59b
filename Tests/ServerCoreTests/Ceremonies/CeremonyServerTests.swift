import Fairness
import Foundation
import Records
import Rules
import Testing
import Wire

@testable import ServerCore

/// Ceremonies of a server: requests, proofs, crashes, secrecy.
struct CeremonyServerTests {
    private let players: Contributors

    init() throws { players = Contributors(try Self.server()) }

    /// A small shoe, so that the cut card comes soon.
    static func server(seed: UInt64 = 1) throws -> VirtualServer {
        VirtualServer.small(rules: try HouseRules([("decks", .integer(1)), ("penetration", .number(0.5))]), seed: seed)
    }

    /// Seven contributors; four bytes are left for shoes with numbers of five digits.
    @Test func outsideACeremony_theContentOfAnItemTakesAtMost200Bytes() throws {
        players.enter(1...7)
        try players.contribute(1...7)
        func sizes() throws -> [Int] {
            _ = players.server.take()
            let line = try #require(players.server.answers(to: #"{"type":"watch"}"#, 1).last)
            return line.matches(of: /"(?:fair|next)":(\{[^}]*\})/).map { $0.output.1.utf8.count }
        }
        // Mixed, before its first card; then in play, beside the next commitment.
        let mixed = try sizes()
        players.playRound(1...7)
        let inPlay = try sizes()
        #expect(mixed.count == 1 && inPlay.count == 2 && (mixed + inPlay).allSatisfy { $0 + 4 <= 200 }, "\(mixed) \(inPlay)")
    }

    /// A crash after any step: the same commitment goes on, nobody is asked for another one, and the shoe is proved.
    @Test(arguments: 0..<8) func aCrashAtAnyStage_keepsTheCommitment_andTheShoeIsProved(_ crash: Int) throws {
        var step = 0
        func maybeCrash() throws {
            defer { step += 1 }
            guard step == crash else { return }
            let (before, shown) = (try #require(players.next), players.table.fairShoe)
            players.server = try VirtualServer(after: players.server, outage: 5000)
            let after = try #require(players.next)
            #expect(after.commitment == before.commitment && after.stage == before.stage && players.table.fairShoe == shown)
            #expect(after.until == before.until.map { $0 + 5000 })
            players.enter(1...2)
        }
        players.enter(1...2)
        try maybeCrash()
        try players.commit(1)
        try maybeCrash()
        try players.commit(2)
        try maybeCrash()
        try players.reveal(2)
        try maybeCrash()
        let list = players.next?.commitment
        try players.reveal(1)
        try maybeCrash()
        guard case .mixed? = players.next?.stage else { throw Contributors.Absent() }
        players.server.receive(#"{"type":"bet","amount":10,"round":"now"}"#, from: 1)
        players.server.receive(#"{"type":"bet","amount":10,"round":"now"}"#, from: 2)
        try maybeCrash()
        #expect(players.table.fairShoe?.commitment == list && players.table.fairShoe?.mixed.text == "11")
        players.finishRound(1...2)
        try players.commit(1...2)
        try maybeCrash()
        try players.playRounds(1...2) { players.next?.isRevealing == false }
        try players.reveal(1...2)
        try maybeCrash()
        players.playRound(1...2)
        #expect(try players.proof(1)?.commitment == list, "also after a crash")
        var auditor = try Auditor(SavedState(house: "0123456789abcdef"))
        var number = 0
        for line in players.server.records.split(separator: 10) {
            number += 1
            try line.withUnsafeBufferPointer { try auditor.audit(Record(line: $0), at: RecordPlace(sequence: 1, line: number)) }
        }
    }

    @Test func whatIsLogged_measured_saidOrShownOfTheJournal_hasNoSecretOfAShoeThatIsNotOver() throws {
        players.enter(1...2)
        try players.contribute(1...2)
        players.server.receive(#"{"type":"bet","amount":10,"round":"now"}"#, from: 1)
        players.server.receive(#"{"type":"bet","amount":10,"round":"now"}"#, from: 2)
        let state = try replayed(players.server.records)
        let secrets = try #require(state.tables["main"]?.table.unrevealed).filter { !$0.isEmpty }
        #expect(secrets.count >= 3, "the secret and the key in play, the coming secret")
        let redaction = RecordRedaction(state)
        let redacted = players.server.records.split(separator: 10).map {
            String(decoding: redaction.redacted($0), as: UTF8.self)
        }
        let history = DataText(players.server)
        for secret in secrets {
            let base64 = try #require(ShoeSecret(secret)).base64
            for text in redacted + players.server.logged + history.lines + players.server.outputs.map({ "\($0)" }) {
                #expect(!text.contains(secret.hex) && !text.contains(base64))
            }
            #expect(String(decoding: players.server.records, as: UTF8.self).contains(secret.hex), "the journal has it")
        }
        #expect(!"\(players.server.facts)".contains(secrets[0].hex) && "\(players.server.facts)".contains("ShoeSecret(secret)"))
    }

    /// The operator's pages.
    private struct DataText {
        let lines: [String]

        init(_ server: VirtualServer) {
            lines = ["\(server.shard.measure())", server.shard.metrics.text, "\(server.shard.ledger)"]
        }
    }

    /// A table with a pass phrase proves its shoes to their contributors alone.
    @Test func aLockedTable_provesItsShoesToTheirContributors_alsoClosed() throws {
        players.enter(1)
        try players.commit(1)
        try players.reveal(1)
        players.playRound(1...1)
        players.server.connect(2)
        players.server.receive(#"{"type":"login","name":"player-2"}"#, from: 2)
        players.server.shard.hostedTables[0].pass = "mellon"
        func answers(_ connection: ConnectionID) -> String {
            _ = players.server.take()
            return players.server.answer(to: #"{"type":"proof","table":"main","shoe":1}"#, connection)
        }
        #expect(answers(1).contains(#""code":"not_found""#) && answers(2).contains(#""code":"wrong_pass""#))
        players.server.shard.drain(at: players.server.now)
        #expect(players.table.phase == .closed)
        #expect(answers(1).contains(#""to":"proof","table""#) && answers(2).contains(#""code":"wrong_pass""#))
    }
}

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
            let lines = copy bytes
            #expect(throws: Never.self) { _ = try reader.read(lines: lines[...]) }
        }
        #expect(try reader.finish().state == state && state.formerProofs.map(\.proofs.count) == [2])
    }
}
