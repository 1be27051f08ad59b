import Foundation
import TestKit
import Testing

@Test(.ownThread) func houseBotsSitAtATableWithAPassPhrase_andBetOnceSomebodyElseHas() throws {
    let server = try ShellServer(
        "exec \"$0\" --listen 127.0.0.1:0 --data none --bots 1 --config \"$1/bj.json\" 2>\"$1/log\"",
        settings: #"{"tables": [{"name": "friends", "pass": "open sesame"}]}"#)
    let peer = try #require(RawPeer(port: try server.port()))
    peer.send(#"{"type":"login","name":"ann"}"#)
    peer.send(#"{"type":"watch","table":"friends","pass":"open sesame"}"#)
    let table = try #require(peer.line(with: "house-1"))
    peer.send(#"{"type":"sit","table":"friends","pass":"open sesame"}"#)
    peer.send(#"{"type":"ping"}"#)
    var lines = [table]
    while let line = peer.line(), !line.contains(#""to":"ping""#) { lines.append(line) }
    #expect(lines.allSatisfy { !$0.contains("b1.1") }, "nobody plays yet: \(lines)")
    peer.send(#"{"type":"bet","amount":10,"round":0}"#)
    let round = try #require(peer.line(with: #""b1.1":10"#))
    // The host's own bots contribute to no shuffle.
    let mixed = "\"mixed\":\"\""
    #expect((lines + [round]).contains { $0.contains(mixed) } || peer.line(with: mixed) != nil)
    server.signal(SIGTERM)
}
