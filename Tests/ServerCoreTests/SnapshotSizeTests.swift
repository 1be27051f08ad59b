import Foundation
import Rules
import Testing

@testable import ServerCore

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
    ])
    func theDigest_isTheSHA256OfAllRulesAsCompactJSON(_ file: String, _ digest: String) throws {
        let rules = try HouseRules.parse(Array(file.utf8))
        let text = rules.canonicalText
        let object = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        #expect(Set(object.keys) == Set(HouseRules.keys))
        #expect(!text.contains(" ") && rules.digest.hex == digest, "\(text)")
    }
}
