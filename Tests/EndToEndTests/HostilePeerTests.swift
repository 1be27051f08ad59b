import ClientCore
import EventStreams
import Foundation
import Rules
import Sockets
import TestKit
import Testing
import Wire

private func code(_ line: String?) -> String? { line?.firstMatch(of: /"code":"([a-z_0-9]+)"/).map { String($0.1) } }

/// Plays with a server and stops it, when the peers are gone that the play had.
private func withServer(rules: HouseRules = .patient, seed: UInt64 = 1, _ play: (RunningServer) throws -> Void) async throws {
    let server = try RunningServer(rules: rules, seed: seed)
    try play(server)
    await server.stop()
}

@Test(.ownThread) func blankLinesCountAsRequests() async throws {
    let server = try RunningServer { $0.requests = .perSecond(1, burst: 20) }
    do {
        let typist = try #require(RawPeer(port: server.port))
        typist.send("\r\n  \n\n")
        typist.send(#"{"type":"ping","id":1}"#)
        #expect(typist.line(with: #""id":1"#)?.contains(#""type":"ok""#) == true)
        let flood = try #require(RawPeer(port: server.port))
        flood.send([UInt8](repeating: 10, count: 1000))
        #expect(flood.line(with: "rate_limited")?.contains("error") == true)
        #expect(flood.line(with: #""type":"bye""#)?.contains("rate_limited") == true)
        #expect(flood.isClosedByServer())
    }
    await server.stop()
}

@Test(.ownThread) func thoseWhoAreTurnedAway_areToldWhy_andOnlyAFewOfAnAddressAreKept() async throws {
    let server = try RunningServer { $0.maximumConnections = 1 }
    do {
        let ann = try #require(RawPeer(port: server.port))
        #expect(ann.line(with: "hello") != nil)
        // They close nothing.
        let crowd = try (0..<40).map { _ in try #require(RawPeer(port: server.port)) }
        for peer in crowd { #expect(code(peer.line()) == "too_many_connections") }
        #expect(server.metric("bj_connections_lingering") <= 8)
        ann.send(#"{"type":"ping","id":"here"}"#)
        #expect(ann.line(with: "here") != nil)
    }
    await server.stop()
}

@Test(.ownThread) func whoSendsManyLinesAtOnce_isHeardInTurnWithTheOthers() async throws {
    try await withServer { server in
        let crowd = try #require(RawPeer(port: server.port))
        let ann = try #require(RawPeer(port: server.port))
        for (peer, name) in [(crowd, "crowd"), (ann, "ann")] {
            peer.send("{\"type\":\"login\",\"name\":\"\(name)\"}")
            #expect(peer.line(with: #""to":"login""#) != nil)
        }
        crowd.send(#"{"type":"sit","seat":1}"#)
        #expect(crowd.line(with: #""type":"snapshot""#) != nil)
        let lines = (1...50).map {
            #"{"type":"sitOut","id":\#(2 * $0)}"# + "\n" + #"{"type":"sitOut","out":false,"id":\#(2 * $0 + 1)}"# + "\n"
        }
        // While the loop is held up both have sent all of it, so that one pass finds both.
        server.server.inspect { _ in
            crowd.send(lines.flatMap { Array($0.utf8) })
            ann.send(#"{"type":"sit","seat":2}"#)
        }
        let revision = ann.line(with: #""type":"snapshot""#)?.firstMatch(of: /"rev":([0-9]+)/).flatMap { Int($0.1) }
        #expect(try #require(revision) < 10, "the other's hundred changes of the table are still to come, but for a few")
        for id in 2...101 { #expect(crowd.line(with: "{\"type\":\"ok\",\"id\":\(id),") != nil) }
    }
}

@Test(.ownThread, arguments: [false, true])
func whoVanishesMidHandHoldsNobodyUp_andLosesNoChips(_ withReset: Bool) async throws {
    // The bets have all the time that they need; only who is asked has to answer soon.
    try await withServer(rules: .patient.with([("decisionSeconds", .integer(1))]), seed: 3) { server in
        let ann = try #require(RawPeer(port: server.port))
        let bob = try #require(RawPeer(port: server.port))
        for (peer, name, seat) in [(ann, "ann", 1), (bob, "bob", 2)] {
            let digits = String(repeating: "5e", count: 32)
            peer.send("{\"type\":\"login\",\"name\":\"\(name)\",\"secret\":\"\(digits)\"}")
            peer.send("{\"type\":\"sit\",\"seat\":\(seat)}")
            #expect(peer.line(with: #""type":"snapshot""#) != nil)
        }
        ann.send(#"{"type":"bet","amount":10,"round":0}"#)
        bob.send(#"{"type":"bet","amount":10,"round":0}"#)
        #expect(ann.sees(#""a1":{"#), "ann is asked")
        if withReset { ann.reset() } else { ann.close() }
        // Bob sees her go, the clock stands for her and it is his turn, the round is settled: on a slow machine the clock may be first.
        let turn = #""a2":{"#
        var missing: Set = [#""presence":"away""#, turn, #""r2.1":"#]
        while !missing.isEmpty, let line = bob.line() {
            if line.contains(turn) { bob.send(#"{"type":"act","action":"stand","turn":2}"#) }
            missing = missing.filter { !line.contains($0) }
        }
        #expect(missing.isEmpty)
        #expect(server.ledger.imbalance == 0)
    }
}

@Test(.ownThread) func aPeerThatDoesNotReadIsCutOff_andTheOthersPlayOn() async throws {
    try await withServer { server in
        let deaf = try #require(RawPeer(port: server.port, receiveBuffer: 4096))
        deaf.send(#"{"type":"login","name":"deaf"}"#)
        // Each answer is longer than its question, and none is ever read: sooner or later no system takes any more of them.
        let question = Array(String(repeating: "{\"type\":\"watch\"}\n", count: 512).utf8)
        while server.metric("bj_viewers_evicted_total") == 0 { deaf.send(question) }
        let other = try #require(RawPeer(port: server.port))
        _ = other.line()
        other.send(#"{"type":"ping","id":"alive"}"#)
        #expect(other.line()?.contains("alive") == true)
        #expect(deaf.isClosedByServer())
    }
}

/// Counts lines of chat between two blocks on the queue: one is queued at the first line, as a key may be.
private final class Gauge: @unchecked Sendable {  // touched on the client's loop alone
    private(set) var (total, longest) = (0, 0)
    private var inARow = 0
    private var subscription: AnyCancellable?

    init(_ client: GameClient) {
        subscription = client.updates.sink { [weak self] update in
            guard let self, case .chat = update.event else { return }
            if inARow == 0 { client.loop.queue.async { self.inARow = 0 } }
            (total, inARow) = (total + 1, inARow + 1)
            longest = max(longest, inARow)
        }
    }
}

@Test(.ownThread) func aServerThatFloodsItsClient_holdsUpKeysAndSignals_forOneChunkAtMost() throws {
    let server = try ScriptedServer()
    let loop = Loop(label: "test.flooded")
    let client = GameClient(options: .init(host: "127.0.0.1", port: server.port, name: "ann"), loop: loop)
    let gauge = Gauge(client)
    client.start()
    #expect(Waiting.until { loop.performAndWait { client.state.link == .loggedIn } })
    let flood = (1000...2500).map { ServerMessage.chat(ChatLine(sequence: $0, name: "bob", text: "Good evening.", time: 0)) }
    // The kernel has more than a chunk before the client reads.
    loop.queue.suspend()
    server.loop.performAndWait { for line in flood { server.send(line) } }
    loop.queue.resume()
    #expect(Waiting.until { loop.performAndWait { gauge.total == flood.count } })
    #expect(loop.performAndWait { gauge.longest } <= 2 * (16 << 10) / flood[0].encoded().count)
    client.stop()
    loop.stop()
    server.stop()
}
