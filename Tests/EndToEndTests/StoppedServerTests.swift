import ServerCore
import TestKit
import Testing

/// Ends a stream when nobody holds it any more.
private final class Witness: Sendable {
    private let continuation: AsyncStream<Never>.Continuation
    init(_ continuation: AsyncStream<Never>.Continuation) { self.continuation = continuation }
    deinit { continuation.finish() }
}

@Suite(.ownThread, .timeLimit(.minutes(10)))
struct StoppedServerTests {
    /// Has a server with somebody at a table of its last loop, and stops it.
    /// - Parameter witness: held by each of the server's loops.
    private func playAndStop(loops: Int, _ witness: Witness) async throws {
        var options = Server.Options()
        (options.port, options.loops) = (0, loops)
        let tables = (0..<loops).map { ShardConfiguration.TableSetting(name: "t\($0)", rules: .patient) }
        let server = Server(shards: ShardConfiguration(tables: tables), options: options) { _ in _ = witness }
        let peer = try #require(RawPeer(port: try server.start().port))
        peer.send(#"{"type":"login","name":"ann"}"#)
        peer.send("{\"type\":\"sit\",\"table\":\"t\(loops - 1)\"}")
        peer.send(#"{"type":"bet","amount":10,"round":0}"#)
        _ = try #require(peer.line(with: #""to":"bet""#))
        await withCheckedContinuation { done in server.stop { done.resume() } }
    }

    @Test(arguments: [1, 3])
    func aServerThatHasStopped_isGone_withAllOfItsLoops(loops: Int) async throws {
        let (stream, continuation) = AsyncStream.makeStream(of: Never.self)
        try await playAndStop(loops: loops, Witness(continuation))
        // Its loops let go of it a moment after they have said so; if they never do, the time limit ends this.
        for await _ in stream {}
    }

    @Test func whoAsksAServerThatHasStopped_toDrainOrStop_isToldSo() async throws {
        let server = try RunningServer(loops: 2)
        await server.stop()
        await withCheckedContinuation { done in server.server.drain(timeout: 86_400_000) { done.resume() } }
        await server.stop()
        await withCheckedContinuation { done in server.server.stopNow { done.resume() } }
        #expect(server.server.state == .stopping)
    }
}
