import Foundation
import TestKit
import Testing

/// A player's own past, asked for at the real program.
@Suite(.ownThread) struct PastTests {
    private let scratch = DataScratch()

    private func rounds(_ line: String) throws -> [[String: Any]] {
        let object = try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        return try #require(object["rounds"] as? [[String: Any]])
    }

    private func asked(_ kind: String, _ peer: RawPeer) throws -> String {
        peer.send("{\"type\":\"\(kind)\",\"id\":\"q\"}")
        #expect(peer.line(with: #""id":"q""#)?.contains("\"to\":\"\(kind)\"") == true)
        return try #require(peer.line(with: "{\"type\":\"\(kind)\""))
    }

    @Test func hands_areThere_afterThePlay_andAfterAKill() throws {
        let server = try DataServer(on: scratch)
        let ann = try server.player("ann")
        ann.send(#"{"type":"sit"}"#)
        for round in 1...3 {
            ann.send("{\"type\":\"bet\",\"amount\":10,\"id\":\"b\(round)\",\"round\":\(round - 1)}")
            let answer = try #require(ann.line(with: "\"id\":\"b\(round)\""))
            try #require(answer.contains(#""ok""#), "\(answer)")
            // A hand of the round may need no decision, or two. One diff that stands for many has a check value, too.
            while true {
                let line = try #require(ann.line(with: "{"))
                if line.contains(#""outcome""#) { break }
                guard let turn = line.firstMatch(of: /"turn":(\d+)/)?.1 else { continue }
                let action = line.contains("decline") ? "decline" : "stand"
                ann.send("{\"type\":\"act\",\"action\":\"\(action)\",\"turn\":\(turn)}")
            }
        }
        let before = try rounds(asked("history", ann))
        #expect(before.count == 3 && before.first?["round"] as? Int == 3)
        server.kill()
        let next = try DataServer(on: scratch)
        let back = try next.player("ann")
        _ = try #require(back.line(with: #""id":"l""#))
        #expect(NSArray(array: try rounds(asked("history", back))) == NSArray(array: before))
        let bob = try next.account("bob")
        #expect(try rounds(asked("history", bob)).isEmpty, "nobody sees the hands of another")
        next.kill()
    }
}
