import Fairness
import Foundation
import Records
import Rules
import Testing

@testable import ServerCore

/// Ceremonies of a server: requests, proofs, crashes, secrecy.
struct CeremonyServerTests {
    private let players: Contributors

    init() throws { players = Contributors(try Self.server()) }

    /// A small shoe, so that the cut card comes soon.
    static func server(seed: UInt64 = 1) throws -> VirtualServer {
        VirtualServer.small(rules: try HouseRules([("decks", .integer(1)), ("penetration", .number(0.5))]), seed: seed)
    }

    @Test func twoPlayersContribute_andTheProofGivesTheOrderThatWasPublished() throws {
        players.enter(1...2)
        try players.contribute(1...2)
        #expect(players.server.take().contains { "\($0)".contains(#"\"to\":\"reveal\""#) })
        players.playRound(1...2)
        let fair = try #require(players.table.fairShoe)
        #expect(fair.shoe == 1 && fair.mixed.text == "11")
        #expect(try players.proof(1) == nil && players.proof(nil) == nil, "the shoe is in play")
        try players.commit(1...2)
        try players.playRounds(1...2) { players.next?.isRevealing == false }
        try players.reveal(1...2)
        try players.playRounds(1...2) { players.table.fairShoe?.shoe == 1 }
        let proof = try #require(try players.proof(1))
        #expect(try players.proof(nil) == proof && players.proof(2) == nil)
        #expect(try players.proof(nil, madeFor: proof.commitment) == proof && players.proof(1, madeFor: proof.list) == nil)
        #expect(try players.proof(2, madeFor: proof.commitment) == nil, "of another shoe")
        players.server.connect(9)
        players.server.receive(#"{"type":"login","name":"zed"}"#, from: 9)
        #expect(try players.proof(nil, by: 9) == proof, "somebody at no table need not name the only one")
        #expect(proof.list == fair.list && proof.contributions.map(\.name) == ["player-1", "player-2"])
        let rules = players.server.shard.hostedTables[0].engine.rules.digest
        #expect(proof.secret.serverCommitment(table: "main", shoe: 1, rules: rules) == fair.commitment)
        var cards = Card.deck
        var stream = ShoeStream(proof.key)
        stream.shuffle(&cards)
        #expect(proof.key.orderDigest(segment: 0, first: 0, codes: cards.map(\.code)) == fair.order)
        #expect(players.table.fairShoe?.shoe == 2)
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

    @Test func requestsOutOfTurn_haveTheirCodes() throws {
        let zero = SHA256.hash([]).base64
        let secret = try #require(ShoeSecret(Array(repeating: 0, count: 32))).base64
        func code(_ line: String, from connection: ConnectionID) throws -> String {
            _ = players.server.take()
            let answer = try #require(players.server.answers(to: line, connection).first)
            return answer.firstMatch(of: /"code":"([a-z_]+)"/).map { String($0.1) } ?? answer
        }
        let commit = #"{"type":"commit","server":"\#(zero)","commitment":"\#(zero)"}"#
        let reveal = #"{"type":"reveal","list":"\#(zero)","contribution":"\#(secret)"}"#
        players.server.connect(9)
        #expect(try code(commit, from: 9) == "not_logged_in")
        players.server.receive(#"{"type":"login","name":"eve"}"#, from: 9)
        #expect(try code(commit, from: 9) == "not_seated" && code(reveal, from: 9) == "not_seated")
        players.enter(1)
        players.enter(2)
        players.enter(3, fair: false)
        #expect(try code(commit, from: 3) == "no_ceremony")
        #expect(try code(commit, from: 1) == "stale" && code(reveal, from: 1) == "no_ceremony")
        let server = try #require(players.next).commitment.base64
        let other = #"{"type":"commit","server":"\#(server)","commitment":"\#(zero)"}"#
        #expect(try code(other, from: 1) == #"{"type":"ok","to":"commit"}"#)
        try players.commit(1)
        try players.commit(2)
        #expect(try code(other, from: 1) == "wrong_contribution")
        #expect(try code(reveal, from: 1) == "stale")
        guard case .revealing(let list)? = players.next?.stage, let next = players.next else { throw Contributors.Absent() }
        let digest = list.listDigest(server: next.commitment).base64
        let wrong = #"{"type":"reveal","list":"\#(digest)","contribution":"\#(secret)"}"#
        #expect(try code(wrong, from: 3) == "wrong_contribution" && code(wrong, from: 1) == "wrong_contribution")
        #expect(try code(#"{"type":"proof"}"#, from: 1) == "not_found")
        #expect(try code(#"{"type":"proof","table":"nowhere"}"#, from: 1) == "no_such_table")
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
            lines = [server.shard.metrics.text, "\(server.shard.measure())", "\(server.shard.ledger)"]
        }
    }

    @Test func aTableThatHasClosed_stillProvesItsShoes() throws {
        players.enter(1, fair: false)
        players.playRound(1...1)
        players.server.shard.drain(at: players.server.now)
        #expect(players.table.phase == .closed)
        _ = players.server.take()
        #expect(players.server.answer(to: #"{"type":"proof","table":"main","shoe":1}"#, 1).contains(#""to":"proof""#))
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
