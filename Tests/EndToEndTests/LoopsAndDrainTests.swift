import Dispatch
import TestKit
import Testing

@Test(.ownThread) func botsAtTablesOnSeveralLoops_playTheirRounds_andChipsAreConserved() async throws {
    let server = try RunningServer(loops: 3) { shards in
        shards.tables = (0..<6).map { .init(name: "t\($0)", rules: .patient) }
    }
    let report = await server.play(bots: 24, rounds: 8)
    #expect(report.errors.isEmpty, "\(report.errors)")
    #expect(report.rounds >= 24 * 8)
    #expect(server.ledger.imbalance == 0)
    await server.stop()
}

private func drain(_ server: RunningServer, timeout: Int64) async {
    await withCheckedContinuation { done in server.server.drain(timeout: timeout) { done.resume() } }
}

/// Begins to drain, and returns when the shard knows it. The stream ends when the server has.
private func beginToDrain(_ server: RunningServer) -> AsyncStream<Never> {
    let (ending, end) = AsyncStream.makeStream(of: Never.self)
    server.server.drain(timeout: 86_400_000) { end.finish() }
    #expect(Waiting.until { server.server.inspect { $0.isDraining } })
    return ending
}

@Test(.ownThread) func aServerThatDrains_letsTheHandFinish_givesNoSeat_andSaysGoodbye() async throws {
    let server = try RunningServer(seed: 36)
    let ann = try server.annIsAsked()
    let ending = beginToDrain(server)
    let bob = try #require(RawPeer(port: server.port))
    #expect(bob.line()?.contains("\"draining\":true") == true)
    bob.send(#"{"type":"login","name":"bob"}"#)
    #expect(bob.line()?.contains("\"code\":\"draining\"") == true)
    ann.send(#"{"type":"act","action":"stand","turn":1}"#)
    #expect(ann.line(with: "\"outcome\"") != nil)
    #expect(ann.line(with: "\"bye\"")?.contains("shutting_down") == true)
    for await _ in ending {}
    #expect(server.ledger.imbalance == 0 && server.ledger.tables == 0)
}

@Test(.ownThread) func aServerThatMayNotWait_givesTheBetsBack() async throws {
    let server = try RunningServer(seed: 36, loops: 2)
    let ann = try server.annIsAsked()
    await drain(server, timeout: 0)
    #expect(ann.line(with: "\"outcome\"")?.contains("\"net\":0,\"outcome\":\"push\"") == true)
    #expect(ann.line(with: "\"bye\"") != nil)
    #expect(server.ledger.imbalance == 0 && server.ledger.house == 0 && server.ledger.tables == 0)
}

@Test(.ownThread) func botsWhoseRequestsComeTooSoon_waitAndSayThemAgain() async throws {
    let server = try RunningServer { $0.requests = .perSecond(20, burst: 4) }
    let report = await server.play(bots: 2, rounds: 8)
    #expect(report.errors.isEmpty, "\(report.errors)")
    #expect(report.rounds == 16 && server.ledger.imbalance == 0)
    await server.stop()
}
