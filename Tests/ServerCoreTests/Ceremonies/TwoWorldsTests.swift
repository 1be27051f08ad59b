import Fairness
import Foundation
import Rules
import TestKit
import Testing
import Wire

@testable import Records
@testable import ServerCore
@testable import TableEngine

/// Two servers that differ in nothing but a hidden card and a burned one, swapped with cards that are never dealt: every viewer gets the same
/// bytes, those who count, too.
struct TwoWorldsTests {
    /// A server in the middle of a round, the dealer's second card face down, and the state that it would recover.
    private func hidden(seed: UInt64) throws -> (server: VirtualServer, state: SavedState)? {
        let configuration = VirtualServer.small(
            rules: try HouseRules([("surrender", .text(seed % 2 == 0 ? "early" : "late")), ("assist", .flag(true))])
        ).shard.configuration
        let players = Contributors(VirtualServer(configuration, seed: seed))
        players.enter(1...3)
        try players.server.own("main", by: Contributors.name(1))
        try players.contribute(1...3)
        for connection in 1...3 {
            players.server.receive(#"{"type":"bet","amount":10,"round":"now"}"#, from: ConnectionID(connection))
        }
        let state = try replayed(players.server.records)
        guard [.playing, .insurance, .surrender].contains(players.table.phase) else { return nil }
        return (players.server, state)
    }

    /// The same table with the hidden card and the burned one exchanged for the last ones of the shoe of another rank, behind the same commitments.
    private func swapped(_ table: Table) throws -> Table? {
        var other = table
        other.own()
        let core = other.state.core
        let hole = Int(core.dealer.cards[1].rawValue)
        let card = core.shoe.order[hole]
        guard core.dealer.holeIsHidden,
            let last = core.shoe.order.indices.last(where: { index in
                let replacement = core.shoe.order[index]
                // The peek must have the same result.
                return replacement.rank != card.rank && !core.dealer.value.isTwoCard21
                    && !HandValue([core.shoe.order[Int(core.dealer.cards[0].rawValue)], replacement]).isTwoCard21
            }), last > core.shoe.drawn + 60
        else { return nil }
        let burned = core.shoe.order[0].rank
        guard let spare = core.shoe.order[..<last].indices.last(where: { core.shoe.order[$0].rank != burned }),
            spare > core.shoe.drawn + 60
        else { return nil }
        other.state.core.shoe.order.swapAt(hole, last)
        other.state.core.shoe.order.swapAt(0, spare)
        var dealer = core.dealer
        dealer.value = HandValue([core.shoe.order[Int(core.dealer.cards[0].rawValue)], core.shoe.order[last]])
        other.state.core.dealer = dealer
        return other
    }

    private func server(_ original: VirtualServer, _ state: SavedState) -> VirtualServer {
        VirtualServer(original.shard.configuration, state: state, at: original.now, seed: 77)
    }

    private static let lines: [String] = {
        let digest = SHA256.hash([7]).base64
        let position = #"{"type":"watch","table":"main","epoch":"EPOCH","rev":REVISION}"#
        return [
            #"{"type":"lobby","follow":true}"#, #"{"type":"rules"}"#, #"{"type":"watch"}"#, #"{"type":"sitOut"}"#,
            #"{"type":"sitOut","out":false}"#, #"{"type":"chat","text":"hello"}"#, #"{"type":"ping"}"#,
            #"{"type":"available","name":"x"}"#, #"{"type":"bet","amount":10,"round":"now"}"#, #"{"type":"proof"}"#,
            #"{"type":"proof","shoe":1}"#, #"{"type":"nonsense"}"#, "{",
            #"{"type":"commit","server":"\#(digest)","commitment":"\#(digest)"}"#,
            #"{"type":"reveal","list":"\#(digest)","contribution":"\#(digest)"}"#,
            #"{"type":"act","action":"insurance","turn":"now"}"#,
            #"{"type":"act","action":"hit","turn":"now"}"#, #"{"type":"act","action":"stand","turn":"now"}"#,
            #"{"type":"act","action":"double","turn":"now"}"#,
            #"{"type":"act","action":"surrender","turn":"now"}"#, #"{"type":"act","action":"decline","turn":"now"}"#,
            #"{"type":"value","turn":"now"}"#, #"{"type":"value"}"#, #"{"type":"sit"}"#, position, position,
            #"{"type":"watch","table":"main","epoch":"0","rev":0}"#, #"{"type":"options","pedantic":false}"#,
            #"{"type":"history"}"#, #"{"type":"standings"}"#, #"{"type":"chart"}"#, #"{"type":"kick","player":"viewer-4"}"#,
            #"{"type":"kick","player":"viewer-4","minutes":0}"#,
            #"{"type":"pass","pass":"new"}"#, #"{"type":"pass"}"#, #"{"type":"pause","on":true}"#,
            #"{"type":"match","rounds":2,"round":0}"#,
            #"{"type":"standings","over":"match"}"#, #"{"type":"leave"}"#,
            #"{"type":"login","name":"player-2"}"#,
            #"{"type":"logout"}"#,
        ]
    }()

    /// A request with the place of the table in it, a few revisions back.
    private func line(_ line: String, at server: VirtualServer) -> String {
        guard line.contains("EPOCH"), let table = server.shard.hostedTables.first(where: { _ in true }) else { return line }
        return line.replacing("EPOCH", with: table.epoch).replacing("REVISION", with: "\(max(0, table.revision - 3))")
    }

    /// Every kind of request, of players and of viewers, until the hidden card is turned.
    private func play(_ server: VirtualServer, seed: UInt64) throws -> (
        said: [[VirtualServer.Output]], logged: [ArraySlice<String>]
    ) {
        // The output after each step.
        var said: [[VirtualServer.Output]] = []
        var logged: [ArraySlice<String>] = []
        var random = SeededGenerator(seed: seed)
        let players = Contributors(server)
        players.enter(1...3)
        for (connection, options) in [(4, #""pedantic":false"#), (5, #""pedantic":true"#), (6, #""silence":300"#)] {
            server.connect(ConnectionID(connection))
            // Two of them are told what happens.
            let login = #"{"type":"login","name":"viewer-\#(connection)","facts":\#(connection < 6)}"#
            server.receive(login, from: ConnectionID(connection))
            server.receive(#"{"type":"options",\#(options)}"#, from: ConnectionID(connection))
            server.receive(#"{"type":"watch","table":"main"}"#, from: ConnectionID(connection))
        }
        let lines = Self.lines
        // Each kind of request is among them.
        let types = lines.compactMap { Array($0.utf8).withUnsafeBufferPointer { Request(line: $0) }.type }
        #expect(Set(types).isSuperset(of: Catalog.requests.map(\.type)))
        for step in 0..<400 {
            let connection = ConnectionID(1 + random.below(6))
            if connection <= 3, random.below(3) == 0 {
                try? players.commit(connection)
            } else {
                server.receive(line(lines[random.below(lines.count)], at: server), from: connection)
            }
            if step % 40 == 39 { server.advance(Int64(random.below(1500))) }
            if step == 200 { server.cut(5) }
            said.append(server.take())
            logged.append(server.logged[(logged.last?.endIndex ?? 0)...])
            if server.facts.contains(where: { if case .holeRevealed = $0 { true } else { false } }) { break }
        }
        return (said, logged)
    }

    @Test func behindTheSameCommitments_everyStreamIsTheSame_untilTheCardIsTurned() throws {
        var (worlds, lines, told, priced) = (0, 0, 0, 0)
        for seed in 1...UInt64(100) where worlds < max(3, Thorough.count(4, most: 100)) || told <= 30 || priced <= 3 {
            guard let (original, state) = try hidden(seed: seed), let saved = state.tables["main"],
                let table = try swapped(saved.table)
            else { continue }
            var other = state
            other.tables["main"]?.table = table
            let one = server(original, state)
            let two = server(original, other)
            let first = try play(one, seed: seed)
            let second = try play(two, seed: seed)
            // The step that turns the card is the last one, and the only one that may differ.
            let isTurned = one.facts.contains { if case .holeRevealed = $0 { true } else { false } }
            let ends = [first.said, second.said].map { $0.count - (isTurned ? 1 : 0) }
            let step = zip(first.said, second.said).enumerated().first { $0.element.0 != $0.element.1 }?.offset ?? ends[0]
            #expect(ends[0] == ends[1] && step >= ends[0], "seed \(seed), step \(step)")
            #expect(first.logged[..<step] == second.logged[..<step])
            worlds += 1
            lines += first.said[..<step].joined().count
            priced += first.said[..<step].joined().count { "\($0)".contains("actions\\\":{\\\"") && "\($0)".contains("best") }
            told += first.said[..<step].joined().count { "\($0)".contains("facts") }
        }
        #expect(
            worlds >= 3 && lines > 300 && told > 30 && priced > 3,
            "\(worlds) pairs of worlds, \(lines) equal lines, \(told) with facts, \(priced) with values")
    }

    @Test func aBurnedCard_isInNoCountAndNoEdge() throws {
        var seeds = UInt64(1)
        while try hidden(seed: seeds) == nil { seeds += 1 }
        let (original, state) = try #require(try hidden(seed: seeds))
        var other = state
        var table = try #require(other.tables["main"]?.table)
        table.own()
        let order = table.state.core.shoe.order
        let last = try #require(order.indices.last { order[$0].rank != order[0].rank })
        table.state.core.shoe.order.swapAt(0, last)
        other.tables["main"]?.table = table
        let worlds = [state, other].map { state in
            let server = server(original, state)
            Contributors(server).enter(1...3)
            for _ in 0..<8 {
                for connection in ConnectionID(1)...3 {
                    for action in ["decline", "stand"] {
                        server.receive(#"{"type":"value","turn":"now"}"#, from: connection)
                        server.receive(#"{"type":"act","action":"\#(action)","turn":"now"}"#, from: connection)
                    }
                }
            }
            server.advance(1500)
            server.receive(#"{"type":"value"}"#, from: 1)
            return server.take(1)
        }
        #expect(worlds[0] == worlds[1])
        for part in [#""seen":["#, #""best":"#, #"{"type":"value","edge":"#] {
            #expect(worlds[0].contains { $0.contains(part) }, "\(part)")
        }
    }
}
