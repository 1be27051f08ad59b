import ServerCore
import TestKit
import Testing

/// Numbers that overflow arithmetic, over a socket.
@Test(.ownThread) func noNumberInNoRequest_stopsTheServer() async throws {
    let server = try RunningServer(loops: 2) { $0.tables.append(.init(name: "side", rules: .patient)) }
    // The one line, from somebody who has not logged in.
    let stranger = try #require(RawPeer(port: server.port))
    stranger.send(#"{"type":"pong","time":-9223372036854775808}"#)
    stranger.send(#"{"type":"ping","id":1}"#)
    #expect(stranger.line(with: #""id":1"#)?.hasPrefix(#"{"type":"ok""#) == true)
    let numbers = [
        "-9223372036854775808", "-9223372036854775809", "9223372036854775807", "9223372036854775808", "18446744073709551615",
        "4294967296", "9007199254740993", "1000000000001", "-1", "1e400", "1.5", "-0",
    ]
    let requests = [
        #"{"type":"login","name":"ann","version":@,"id":"x"}"#, #"{"type":"sit","table":"main","seat":@,"id":"x"}"#,
        #"{"type":"resume","epoch":"e","rev":@,"id":"x"}"#, #"{"type":"bet","amount":@,"id":"x","round":0}"#,
        #"{"type":"act","action":"double","amount":@,"id":"x","turn":1}"#,
        #"{"type":"act","action":"hit","hand":@,"seat":@,"id":"x","turn":1}"#,
        #"{"type":"options","heartbeat":@,"id":"x"}"#, #"{"type":"pong","time":@,"id":"x"}"#, #"{"type":"ping","id":@}"#,
    ]
    let stages = [
        [], [#"{"type":"login","name":"ann"}"#], [#"{"type":"sit","table":"main"}"#], [#"{"type":"bet","amount":10,"round":0}"#],
        [#"{"type":"act","action":"stand","turn":1}"#, #"{"type":"leave"}"#],
    ]
    let peer = try #require(RawPeer(port: server.port))
    for (number, stage) in stages.enumerated() {
        for line in stage { peer.send(line) }
        for request in requests {
            for value in numbers { peer.send(request.replacing("@", with: value)) }
        }
        peer.send(#"{"type":"ping","id":"end \#(number)"}"#)
        #expect(peer.line(with: "\"end \(number)\"")?.hasPrefix(#"{"type":"ok""#) == true)
        #expect(server.ledger.imbalance == 0)
    }
    // It still serves: another player sits down and plays.
    let bob = try #require(RawPeer(port: server.port))
    for line in [
        #"{"type":"login","name":"bob"}"#, #"{"type":"sit","table":"side"}"#, #"{"type":"bet","amount":10,"id":"bet","round":0}"#,
    ] {
        bob.send(line)
    }
    #expect(bob.line(with: #""id":"bet""#)?.hasPrefix(#"{"type":"ok""#) == true)
    await server.stop()
    #expect(server.ledger.imbalance == 0)
}
