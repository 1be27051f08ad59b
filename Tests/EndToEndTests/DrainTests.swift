import Dispatch
import TestKit
import Testing

@Test(.ownThread) func botsWhoseRequestsComeTooSoon_waitAndSayThemAgain() async throws {
    let server = try RunningServer { $0.requests = .perSecond(20, burst: 4) }
    let report = await server.play(bots: 2, rounds: 8)
    #expect(report.errors.isEmpty, "\(report.errors)")
    #expect(report.rounds == 16 && server.ledger.imbalance == 0)
    await server.stop()
}

@Suite(.ownThread, .timeLimit(.minutes(10)))
struct StoppedServerTests {
    /// Has a server with somebody at a table, and stops it.
    /// - Parameter probe: held by the server's loop.
    private func playAndStop(_ probe: DeinitProbe) async throws {
        let server = try RunningServer(log: { _ in _ = probe })
        let peer = try server.seated("ann")
        peer.send(#"{"type":"bet","amount":10,"round":0}"#)
        _ = try #require(peer.line(with: #""to":"bet""#))
        await server.stop()
    }

    @Test func aServerThatHasStopped_isGone_withItsLoop() async throws {
        let (stream, continuation) = AsyncStream.makeStream(of: Never.self)
        try await playAndStop(DeinitProbe(continuation))
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

    /// Of a first stop as well, which has said `bye` and waits for the peers.
    @Test(arguments: [false, true]) func aStopAtOnce_waitsForNoPeerThatKeepsItsEndOpen(_ hasDrained: Bool) async throws {
        let server = try RunningServer(options: { $0.limits.linger = 86_400_000 })
        let peer = try server.seated("ann")
        _ = try #require(peer.line(with: #""to":"sit""#))
        if hasDrained {
            server.server.drain(timeout: 0) {}
            _ = try #require(peer.line(with: #""type":"bye""#))
        }
        await withCheckedContinuation { done in server.server.stopNow { done.resume() } }
        withExtendedLifetime(peer) { #expect(server.server.state == .stopping) }
    }
}
