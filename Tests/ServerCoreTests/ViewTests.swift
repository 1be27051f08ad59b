import Foundation
import Rules
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
}

struct SnapshotSizeTests {
    /// Two cards each, names of twelve bytes: what a newcomer is sent. Outside a ceremony its items have 200 bytes at most.
    @Test func aFullTable_fitsInto1600Bytes_ofWhichTheShoesProofsHaveFewest() throws {
        let server = VirtualServer.small()
        for seat in 1...7 {
            server.connect(UInt64(seat))
            server.receive(#"{"type":"login","name":"player-no-0\#(seat)"}"#, from: UInt64(seat))
            server.receive(#"{"type":"sit","seat":\#(seat)}"#, from: UInt64(seat))
        }
        for seat in 1...7 { server.receive(#"{"type":"bet","amount":10,"round":"now"}"#, from: UInt64(seat)) }
        _ = server.take()
        let line = try #require(server.answers(to: #"{"type":"watch"}"#, 1).last)
        #expect(line.hasPrefix(#"{"type":"snapshot""#) && line.contains(#""phase":"playing""#))
        #expect(line.utf8.count <= 1600, "\(line.utf8.count) bytes")
        for item in ["fair", "next"] {
            let found = try #require(line.firstMatch(of: try Regex("\"\(item)\":(\\{[^}]*\\})")))
            #expect(line[found.range].utf8.count <= 200, "\(line[found.range])")
        }
    }

    /// As a Python client would: compact JSON with sorted keys, SHA-256, hexadecimal digits. The values are from Python's own library.
    @Test(arguments: [
        ("{}", "34ffa6db9038e3ca1ae1aceb9532bf363d0bf7d0cdd018024e6248b1f6619142"),
        (
            #"{"soft17":"hit","minimumBet":25,"maximumBet":1000}"#,
            "4c316851f12405c992233910723299b4ce282b087dc09d3dfa397a5573695b1c"
        ),
        (#"{"assist":false,"decks":6}"#, "34ffa6db9038e3ca1ae1aceb9532bf363d0bf7d0cdd018024e6248b1f6619142"),
        (#"{"assist":true}"#, "e2d793361b1a5c9e39bc6d5d518b8f4c232df3cf34e55a9b41eaee697b99c53b"),
    ])
    func theDigest_isTheSHA256OfAllRulesAsCompactJSON(_ file: String, _ digest: String) throws {
        let rules = try HouseRules.parse(Array(file.utf8))
        let text = rules.canonicalText
        let object = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        // A rule younger than 1.0 has its part where it differs from its default.
        #expect(Set(object.keys) == Set(HouseRules.keys).subtracting(rules.assist ? [] : ["assist"]))
        #expect(!text.contains(" ") && rules.digest.hex == digest, "\(text)")
    }
}
