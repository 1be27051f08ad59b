import ClientCore
import CommandLineKit
import EventStreams
import LoadGenerator
import Rules
import Sockets
import Synchronization
import TableModel
import TestKit
import Testing
import Wire

/// A proxy on a loop of its own, before a server.
private final class RunningChaos: Sendable {
    private let loop = Loop(label: "test.chaos")
    private let proxy: LoopConfined<ChaosProxy>
    private let reports = Mutex<[String]>([])
    let port: Int

    init(_ server: RunningServer, _ change: (inout ChaosProxy.Options) -> Void) throws {
        var options = ChaosProxy.Options()
        options.server.port = UInt16(server.port)
        options.listen.port = 0
        change(&options)
        let box = Mutex<RunningChaos?>(nil)
        proxy = LoopConfined(sending: ChaosProxy(options, loop: loop) { text in box.withLock { $0 }?.note(text) }, on: loop)
        port = try proxy.performAndWait { try $0.start().port }
        box.withLock { $0 = self }
    }

    private func note(_ text: String) { reports.withLock { $0.append(text) } }

    var told: [String] { loop.performAndWait { reports.withLock { $0 } } }

    func stop() { loop.stop() }
}

struct ChaosProxyTests {
    struct Trouble: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let change: @Sendable (inout ChaosProxy.Options) -> Void
    }

    @Test(
        .ownThread,
        arguments: [
            Trouble(testDescription: "none") { _ in },
            // The delay has the rounds last for longer than the first connections.
            Trouble(testDescription: "all") { ($0.cut, $0.splits, $0.delay, $0.addsUnknown) = (1000, true, 10, true) },
        ])
    func aSessionThroughIt_hasTheServersTableAtEachRevision(_ trouble: Trouble) async throws {
        let server = try RunningServer(seed: 5, ceremonies: true)
        let chaos = try RunningChaos(server, trouble.change)
        var options = ChaosProxy.Options()
        trouble.change(&options)
        let loop = Loop(label: "test.clients")
        let player = ScriptedPlayer("Watches", server, loop, port: chaos.port)
        player.start()
        let report = await server.play(bots: 2, rounds: 30, port: chaos.port)
        #expect(report.errors == [] && report.rounds == 60)
        let (compared, differing, unknown) = loop.performAndWait { (player.compared, player.differing, player.unknown) }
        #expect(compared > 30 && differing.isEmpty, "\(compared) \(differing)")
        #expect((unknown > 0) == options.addsUnknown)
        #expect(chaos.told.contains { $0.contains(": cut") } == (options.cut > 0), "\(chaos.told)")
        #expect(server.ledger.imbalance == 0)
        player.client.stop()
        await server.stop()
        loop.stop()
        chaos.stop()
    }

    @Test func aSeed_givesTheSameCuts() {
        var options = ChaosProxy.Options()
        options.cut = 5000
        let cuts = (1...50).map { ChaosProxy.lifetime(of: $0, options) }
        #expect((1...50).map { ChaosProxy.lifetime(of: $0, options) } == cuts && Set(cuts).count > 40)
        #expect(cuts.allSatisfy { (2500...7500).contains($0) })
        options.seed = 2
        #expect((1...50).map { ChaosProxy.lifetime(of: $0, options) } != cuts)
    }

    @Test(.ownThread) func aClientThatLeaves_isReportedWithItsLastLines_andOneThatLogsOutIsNot() async throws {
        let server = try RunningServer()
        let chaos = try RunningChaos(server) { $0.addsUnknown = true }
        let peer = try #require(RawPeer(port: chaos.port))
        peer.send(#"{"type":"login","name":"ann","secret":"\#(String(repeating: "5e", count: 32))"}"#)
        #expect(peer.sees(#""weather""#) && peer.sees(#""to":"login""#))
        peer.close()
        let other = try #require(RawPeer(port: chaos.port))
        other.send(#"{"type":"login","name":"bob"}"#)
        other.send(#"{"type":"logout"}"#)
        #expect(other.isClosedByServer())
        let endless = try #require(RawPeer(port: chaos.port))
        endless.send([UInt8](repeating: UInt8(ascii: "x"), count: 1 << 20 + 2))
        #expect(endless.isClosedByServer())
        // The third connection was refused for its line after the others had ended.
        let told = chaos.told
        let left = try #require(told.first { $0.hasPrefix("connection 1: the client left") })
        #expect(left.contains(#"> {"type":"login","name":"ann","secret":"…"}"#) && left.contains(#"< {"type":"hello""#))
        #expect(told.contains { $0.hasPrefix("connection 2: ") && !$0.contains("the client left") }, "\(told)")
        #expect(told.contains { $0.hasPrefix("connection 3: ") }, "\(told)")
        await server.stop()
        chaos.stop()
    }
}
