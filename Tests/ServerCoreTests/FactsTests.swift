import Foundation
import TableModel
import TestKit
import Testing
import Wire

@testable import ServerCore

/// Facts beside diffs: for those who asked at their login, and for nobody else.
struct FactsTests {
    private func server(seed: UInt64 = 1) -> VirtualServer { VirtualServer.small(seed: seed, ceremonies: false) }

    private func enter(_ server: VirtualServer, _ connection: ConnectionID, facts: Bool?, sits: Bool? = true) {
        server.connect(connection)
        let wish = facts.map { ",\"facts\":\($0)" } ?? ""
        server.receive("{\"type\":\"login\",\"name\":\"p\(connection)\"\(wish)}", from: connection)
        if let sits { server.receive(sits ? #"{"type":"sit"}"# : #"{"type":"watch","table":"main"}"#, from: connection) }
    }

    private func diffs(_ lines: [String]) throws -> [(to: Int, news: TableNews)] {
        try lines.compactMap { line in
            let message = try Array(line.utf8).withUnsafeBufferPointer { try ServerMessage(line: $0) }
            guard case .diff(_, let to, _, _, let news) = message else { return nil }
            return (to, news)
        }
    }

    @Test(arguments: [true, false]) func theWish_isUtteredAtTheLogin_orLater(atLogin: Bool) throws {
        let server = server()
        enter(server, 1, facts: nil)
        enter(server, 2, facts: atLogin ? true : nil, sits: false)
        if !atLogin { server.receive(#"{"type":"options","facts":true}"#, from: 2) }
        _ = server.take()
        server.receive(#"{"type":"sitOut"}"#, from: 1)
        #expect(try diffs(server.take(2)).map(\.news) == [.facts([.player("p1", .satOut)])])
        server.receive(#"{"type":"options","facts":false}"#, from: 2)
        server.receive(#"{"type":"sitOut","out":false}"#, from: 1)
        #expect(try diffs(server.take(2)).map(\.news) == [.none])
    }

    /// Random play, once with viewers who ask for facts and once with the same viewers, who do not.
    @Test func whoDidNotAsk_getsTheSameBytes_whoeverElseAsks() throws {
        var count = 0
        for seed in 1...UInt64(Thorough.count(6, most: 200)) {
            let worlds = try [true, false].map { try play(seed: seed &+ Seed.value, asks: $0) }
            #expect(worlds[0].plain == worlds[1].plain, "BJ_SEED=\(Seed.value), \(seed)")
            // Without its facts each line is that of a viewer who did not ask.
            let stripped = worlds[0].told.map {
                $0.replacing(/,"facts":\[[^\]]*\]}$/, with: "}").replacing(/,"missed":true}$/, with: "}")
            }
            #expect(stripped == worlds[1].told, "BJ_SEED=\(Seed.value), \(seed)")
            count += worlds[0].told.count { $0.contains("\"facts\":") }
        }
        #expect(count > 100, "\(count)")
    }

    /// Players 1 and 2 do not ask; 3 and 4 do, if `asks`.
    private func play(seed: UInt64, asks: Bool) throws -> (plain: [String], told: [String]) {
        let server = server(seed: seed)
        for connection in ConnectionID(1)...2 { enter(server, connection, facts: nil) }
        for connection in ConnectionID(3)...4 { enter(server, connection, facts: asks ? true : nil, sits: connection == 3) }
        _ = server.take()
        var random = SeededGenerator(seed: seed)
        let actions = ["hit", "stand", "double", "split", "insurance", "decline", "evenMoney"]
        var (plain, told): ([String], [String]) = ([], [])
        for _ in 0..<250 {
            let connection = ConnectionID(1 + random.below(3))
            switch random.below(8) {
            case 0: server.advance(Int64(random.below(16_000)))
            case 1...3: server.receive(#"{"type":"bet","amount":10,"round":"now"}"#, from: connection)
            case 4:
                server.receive(random.below(2) == 0 ? #"{"type":"sitOut"}"# : #"{"type":"sitOut","out":false}"#, from: connection)
            default:
                server.receive(
                    "{\"type\":\"act\",\"action\":\"\(actions[random.below(actions.count)])\",\"turn\":\"now\"}", from: connection
                )
            }
            if random.below(12) == 0 { server.congested.insert(4) }
            if random.below(6) == 0 { server.drain(4) }
            for case .line(let connection, let line) in server.take() {
                if connection <= 2 { plain.append(line) } else { told.append(line) }
            }
        }
        return (plain, told)
    }

    @Test func aSlowViewer_isToldThatChangesWereMissed() throws {
        let server = server()
        enter(server, 1, facts: nil)
        enter(server, 2, facts: true, sits: false)
        _ = server.take()
        server.congested = [2]
        for isOut in [true, false, true] { server.receive("{\"type\":\"sitOut\",\"out\":\(isOut)}", from: 1) }
        // The first line fills its buffer.
        #expect(try diffs(server.take(2)).map(\.news) == [.facts([.player("p1", .satOut)])])
        server.drain(2)
        #expect(try diffs(server.take(2)).map(\.news) == [.missed])
        server.receive(#"{"type":"sitOut","out":false}"#, from: 1)
        #expect(try diffs(server.take(2)).map(\.news) == [.facts([.player("p1", .satIn)])])
    }
}
