import Foundation
import TestKit
import Testing

@Test(.ownThread) func houseBotsSitAtATableWithAPassPhrase() throws {
    let server = try ShellServer(
        "exec \"$0\" --listen 127.0.0.1:0 --data none --bots 1 --config \"$1/bj.json\" 2>\"$1/log\"",
        settings: #"{"tables": [{"name": "friends", "pass": "open sesame"}]}"#)
    let peer = try #require(RawPeer(port: try server.port()))
    peer.send(#"{"type":"login","name":"ann"}"#)
    peer.send(#"{"type":"watch","table":"friends","pass":"open sesame"}"#)
    let table = try #require(peer.line(with: "house-1"))
    // The host's own bots contribute to no shuffle.
    let mixed = "\"mixed\":\"\""
    #expect(table.contains(mixed) || peer.line(with: mixed) != nil)
    server.signal(SIGTERM)
}
