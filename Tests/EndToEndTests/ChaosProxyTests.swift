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

/// Records what it sees.
private final class RecordingWatcher: Sendable {
    let client: GameClient
    /// As they were shown, by their revisions.
    let tables = Mutex<[Int: TableSnapshot]>([:])
    private let lines = Mutex(RecordedLine.header + "\n")
    private let subscription = Mutex<AnyCancellable?>(nil)

    init(port: Int, _ loop: Loop) {
        var options = GameClient.Options(host: "127.0.0.1", port: port, name: "Records")
        options.initialPlacement = .watch(table: "main")
        let box = Mutex<RecordingWatcher?>(nil)
        options.record = { line, now in box.withLock(\.self)?.lines.withLock { $0 += RecordedLine.text(line, at: now) } }
        client = GameClient(options: options, loop: loop)
        box.withLock { $0 = self }
        loop.perform { [self] in
            let updates = client.updates.sink { [weak self] update in
                if case .table(let change) = update.event { self?.tables.withLock { $0[change.revision] = change.new } }
            }
            subscription.withLock { $0 = updates }
        }
        client.start()
    }

    /// The tables of the recording, by their revisions. None is missing, and each has its check value.
    func replayed() throws -> [Int: TableSnapshot] {
        let recording = try Recording(Array(lines.withLock(\.self).utf8))
        var (reader, tables) = (RecordingReader(recording), [Int: TableSnapshot]())
        while let update = reader.next() {
            if case .table(let change) = update.event { tables[change.revision] = change.new }
            if case .note(let words) = update.event { Issue.record("\(words)") }
        }
        return tables
    }
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
        let watcher = RecordingWatcher(port: chaos.port, loop)
        let report = await server.play(bots: 2, rounds: 30, port: chaos.port)
        #expect(report.errors == [] && report.rounds == 60)
        let (compared, differing, unknown) = loop.performAndWait { (player.compared, player.differing, player.unknown) }
        #expect(compared > 30 && differing.isEmpty, "\(compared) \(differing)")
        #expect((unknown > 0) == options.addsUnknown)
        #expect(chaos.told.contains { $0.contains(": cut") } == (options.cut > 0), "\(chaos.told)")
        #expect(server.ledger.imbalance == 0)
        player.client.stop()
        watcher.client.stop()
        await server.stop()
        loop.stop()
        chaos.stop()
        let (live, replayed) = (watcher.tables.withLock(\.self), try watcher.replayed())
        for (revision, table) in live { #expect(replayed[revision] == table, "\(revision)") }
        #expect(live.count > 30)
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
