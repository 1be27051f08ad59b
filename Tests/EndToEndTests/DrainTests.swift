import Dispatch
import Rules
import ServerCore
import TestKit
import Testing

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
    let ann = try server.asked("ann")
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
    let server = try RunningServer(seed: 36)
    let ann = try server.asked("ann")
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

/// Ends a stream when nobody holds it any more.
private final class Witness: Sendable {
    private let continuation: AsyncStream<Never>.Continuation
    init(_ continuation: AsyncStream<Never>.Continuation) { self.continuation = continuation }
    deinit { continuation.finish() }
}

@Suite(.ownThread, .timeLimit(.minutes(10)))
struct StoppedServerTests {
    /// Has a server with somebody at a table, and stops it.
    /// - Parameter witness: held by the server's loop.
    private func playAndStop(_ witness: Witness) async throws {
        var options = Server.Options()
        options.port = 0
        let tables = [ShardConfiguration.TableSetting(name: "main", rules: .patient)]
        let server = Server(shards: ShardConfiguration(tables: tables), options: options) { _ in _ = witness }
        let peer = try #require(RawPeer(port: try server.start().port))
        peer.send(#"{"type":"login","name":"ann"}"#)
        peer.send(#"{"type":"sit"}"#)
        peer.send(#"{"type":"bet","amount":10,"round":0}"#)
        _ = try #require(peer.line(with: #""to":"bet""#))
        await server.stop()
    }

    @Test func aServerThatHasStopped_isGone_withItsLoop() async throws {
        let (stream, continuation) = AsyncStream.makeStream(of: Never.self)
        try await playAndStop(Witness(continuation))
        // Its loop lets go of it a moment after it has said so; if it never does, the time limit ends this.
        for await _ in stream {}
    }

    @Test func whoAsksAServerThatHasStopped_toDrainOrStop_isToldSo() async throws {
        let server = try RunningServer()
        await server.stop()
        await withCheckedContinuation { done in server.server.drain(timeout: 86_400_000) { done.resume() } }
        await server.stop()
        await withCheckedContinuation { done in server.server.stopNow { done.resume() } }
        #expect(server.server.state == .stopping)
    }
}
