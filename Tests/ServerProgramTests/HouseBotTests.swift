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

@Test(.ownThread) func houseBotsComeBack_whenTheirTableIsClosedAndOpened() throws {
    let server = try ShellServer(
        "exec \"$0\" --listen 127.0.0.1:0 --data none --bots 1 --admin \"$1/a\" --config \"$1/bj.json\" 2>\"$1/log\"",
        settings: #"{"tables": ["low", "high"]}"#)
    _ = try server.port()
    let sat = "event=sat table=low seat=1 name=\"house low-1\""
    #expect(server.waits(forLog: sat))
    let closing = try DataScratch().run("bjserver", ["ctl", "-s", server.folder.appending(path: "a").path, "close-table", "low"])
    #expect(closing.status == 0 && server.waits(forLog: "event=table_closed table=low"))
    server.signal(SIGHUP)
    #expect(Waiting.until { server.log.ranges(of: sat).count == 2 || !server.process.isRunning })
    #expect(server.log.ranges(of: sat).count == 2)
    server.signal(SIGTERM)
}
