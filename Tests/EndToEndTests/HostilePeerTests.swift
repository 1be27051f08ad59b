import Foundation
import Testing

private func code(_ line: String?) -> String? { line?.firstMatch(of: /"code":"([a-z_0-9]+)"/).map { String($0.1) } }

@Test(arguments: [
    ("nonsense", "invalid_json"), ("{\"type\":\"ping\"", "invalid_json"), ("[1,2]", "invalid_field"),
    ("{\"type\":\"fly\"}", "unknown_type"),
    ("{}", "missing_field"), (String(repeating: "[", count: 4000), "too_deep"),
    ("{\"type\":\"bet\",\"amount\":10}", "not_logged_in"),
    ("{\"type\":\"act\",\"action\":\"hit\"}", "not_logged_in"), ("{\"type\":\"login\",\"name\":\"\\u001b[2J\"}", "invalid_name"),
])
func aLineThatIsNoProperRequestIsAnswered_andTheConnectionGoesOn(_ line: String, _ expected: String) async throws {
    let server = try RunningServer()
    try await onThread { [port = server.port] in
        let peer = try #require(RawPeer(port: port))
        #expect(peer.line()?.contains("hello") == true)
        peer.send(line)
        #expect(code(peer.line()) == expected)
        peer.send(#"{"type":"ping","id":"still here"}"#)
        #expect(peer.line()?.contains("still here") == true)
    }
    await server.stop()
}

@Test func bytesThatAreNoUTF8AreRefused_andTheConnectionGoesOn() async throws {
    let server = try RunningServer()
    try await onThread { [port = server.port] in
        let peer = try #require(RawPeer(port: port))
        _ = peer.line()
        for bad: [UInt8] in [[0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xE2, 0x82]] {
            peer.send(Array(#"{"type":"login","name":""#.utf8) + bad + Array("\"}\n".utf8))
            #expect(code(peer.line()) == "invalid_utf8")
        }
        peer.send([0xFF, 0xFE, 10])
        #expect(code(peer.line()) == "invalid_utf8")
    }
    await server.stop()
}

@Test func aLineThatNeverEndsIsRefused_andTheConnectionClosed() async throws {
    let server = try RunningServer()
    try await onThread { [port = server.port] in
        let peer = try #require(RawPeer(port: port))
        _ = peer.line()
        peer.send([UInt8](repeating: UInt8(ascii: "x"), count: 100_000))
        let refusal = peer.line()
        #expect(code(refusal) == "line_too_long" && refusal?.contains(#""fatal":true"#) == true)
        #expect(peer.isClosedByServer())
    }
    await server.stop()
}

@Test func requestsThatComeByteByByteAreUnderstood_andManyInOnePieceToo() async throws {
    let server = try RunningServer()
    try await onThread { [port = server.port] in
        let peer = try #require(RawPeer(port: port))
        _ = peer.line()
        for byte in Array("{\"type\":\"ping\",\"id\":1}\r\n\r\n\n".utf8) { peer.send([byte]) }
        #expect(peer.line()?.contains(#""id":1"#) == true)
        peer.send((2...200).map { "{\"type\":\"ping\",\"id\":\($0)}" }.joined(separator: "\n"))
        for id in 2...200 { #expect(peer.line()?.contains("\"id\":\(id),") == true) }
    }
    await server.stop()
}

@Test func whoSendsNoMoreStillGetsTheAnswers() async throws {
    let server = try RunningServer()
    try await onThread { [port = server.port] in
        let peer = try #require(RawPeer(port: port))
        peer.send(#"{"type":"login","name":"nc"}"#)
        peer.send(#"{"type":"watch"}"#)
        peer.sendNoMore()
        #expect(peer.line(with: #""type":"snapshot""#) != nil)
        #expect(peer.isClosedByServer())
    }
    await server.stop()
}

@Test(arguments: [false, true])
func whoVanishesMidHandHoldsNobodyUp_andLosesNoChips(_ withReset: Bool) async throws {
    let server = try RunningServer(rules: .quick, seed: 3)
    try await onThread { [port = server.port] in
        let ann = try #require(RawPeer(port: port))
        let bob = try #require(RawPeer(port: port))
        for (peer, name, seat) in [(ann, "ann", 1), (bob, "bob", 2)] {
            peer.send("{\"type\":\"login\",\"name\":\"\(name)\"}")
            peer.send("{\"type\":\"sit\",\"seat\":\(seat)}")
            #expect(peer.line(with: #""type":"snapshot""#) != nil)
        }
        ann.send(#"{"type":"bet","amount":10}"#)
        bob.send(#"{"type":"bet","amount":10}"#)
        #expect(ann.line(with: #"["a1","s1""#) != nil, "ann is asked")
        if withReset { ann.reset() } else { ann.close() }
        #expect(bob.line(with: #""presence":"away""#) != nil, "bob sees her go")
        #expect(bob.line(with: #"["a2","s2""#) != nil, "the clock stands for ann, and it is bob's turn")
        bob.send(#"{"type":"act","action":"stand"}"#)
        #expect(bob.line(with: #"["r2.1","h2.1""#) != nil, "the round is settled")
    }
    #expect(server.ledger.imbalance == 0)
    await server.stop()
}

@Test func aPeerThatDoesNotReadIsCutOff_andTheOthersPlayOn() async throws {
    let server = try RunningServer()
    try await onThread { [port = server.port] in
        let deaf = try #require(RawPeer(port: port))
        deaf.send(#"{"type":"login","name":"deaf"}"#)
        // Each answer is some forty times as long as its question, and none is ever read.
        let question = Array(String(repeating: "{\"type\":\"watch\"}\n", count: 512).utf8)
        for _ in 0..<40 { deaf.send(question) }
        let other = try #require(RawPeer(port: port))
        _ = other.line()
        other.send(#"{"type":"ping","id":"alive"}"#)
        #expect(other.line()?.contains("alive") == true)
        #expect(deaf.isClosedByServer())
    }
    await server.stop()
}

@Test func aServerThatStopsSaysGoodbye() async throws {
    let server = try RunningServer()
    let peer = try #require(RawPeer(port: server.port))
    _ = peer.line()
    await server.stop()
    #expect(code(peer.line()) == "shutting_down")
    #expect(peer.isClosedByServer())
}
