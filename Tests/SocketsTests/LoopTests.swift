import Foundation
import Synchronization
import TestKit
import Testing

@testable import Sockets

@Suite(.ownThread, .timeLimit(.minutes(10)))
struct LoopTests {
    @Test func aLoop_knowsWhetherItIsCurrent() {
        let group = Loop.group(count: 2, label: "test.current")
        defer { for loop in group { loop.stop() } }
        let (loop, other) = (group[0], group[1])
        #expect(!loop.isCurrent)
        #expect(loop.performAndWait { loop.isCurrent && !other.isCurrent })
    }

    @Test func confinedState_isUsedOnItsLoopAlone() {
        final class Counter { var count = 0 }
        let group = Loop.group(count: 2, label: "test.confined")
        defer { for loop in group { loop.stop() } }
        let counter = LoopConfined(sending: Counter(), on: group[0])
        group[1].performAndWait { counter.perform { $0.count += $0.count == 0 && counter.loop.isCurrent ? 1 : 100 } }
        #expect(counter.performAndWait { $0.count } == 1)
    }

    @Test func aBarrier_holdsBackWhatWasSent_andKeepsTheOrder() async throws {
        let server = try TestServer()
        let loop = server.loop
        let barrier = TestBarrier()
        barrier.install(on: loop)
        let (client, peer) = try await server.pair()
        barrier.tick(1, on: loop) { peer.connection.send(Array("one ".utf8)) }
        barrier.tick(2, on: loop) { peer.connection.send(Array("two ".utf8)) }
        barrier.tick(3, on: loop) { peer.connection.send(Array("three".utf8)) }
        #expect(loop.performAndWait { peer.connection.pendingBytes == 13 && peer.connection.waitingBytes == 0 })
        barrier.move(to: 1, loop)
        #expect(await client.bytes(4) == Array("one ".utf8))
        #expect(loop.performAndWait { peer.connection.pendingBytes == 9 } && barrier.released.load(ordering: .relaxed) == 1)
        // Messages that wait for nothing pass the held ones.
        loop.performAndWait { peer.connection.sendAhead(Array("ahead ".utf8)) }
        #expect(await client.bytes(10) == Array("one ahead ".utf8))
        // Ticks that are released together leave in order, with one call.
        barrier.move(to: 3, loop)
        #expect(await client.bytes(19) == Array("one ahead two three".utf8))
        loop.performAndWait { peer.connection.send([33]) }
        #expect(await client.bytes(20).last == 33)
    }

    @Test func whatGoesAhead_waitsForTheBarriersFirstPosition() async throws {
        let server = try TestServer()
        let (loop, barrier) = (server.loop, TestBarrier())
        barrier.install(on: loop)
        let (client, peer) = try await server.pair()
        barrier.tick(1, on: loop) { peer.connection.sendAhead(Array("greeting ".utf8)) }
        #expect(loop.performAndWait { peer.connection.pendingBytes == 9 && peer.connection.waitingBytes == 0 })
        barrier.move(to: 1, loop)
        barrier.tick(2, on: loop) { peer.connection.send(Array("held".utf8)) }
        loop.performAndWait { peer.connection.sendAhead(Array("notice".utf8)) }
        #expect(await client.bytes(15) == Array("greeting notice".utf8))
        barrier.move(to: 2, loop)
        #expect(await client.bytes(19) == Array("greeting noticeheld".utf8))
    }

    @Test func aTick_neverOvertakesOneThatIsHeld_alsoWhenTheBarrierHasAdvancedMeanwhile() async throws {
        let server = try TestServer()
        let (loop, barrier) = (server.loop, TestBarrier())
        barrier.install(on: loop)
        let (client, peer) = try await server.pair()
        barrier.tick(1, on: loop) { peer.connection.send(Array("one ".utf8)) }
        barrier.reached.store(2, ordering: .sequentiallyConsistent)  // and nobody has told the loop
        barrier.tick(2, on: loop) { peer.connection.send(Array("two".utf8)) }
        #expect(await client.bytes(7) == Array("one two".utf8))
    }

    @Test func aTickWithoutBytes_isReleasedToo_ifTheBarrierAwaitsIt() throws {
        let loop = Loop(label: "test.awaited")
        defer { loop.stop() }
        let barrier = TestBarrier()
        barrier.install(on: loop)
        barrier.isAwaited.store(true, ordering: .relaxed)
        barrier.tick(5, on: loop) {}
        #expect(barrier.released.load(ordering: .relaxed) == 0)
        barrier.isAwaited.store(false, ordering: .relaxed)
        barrier.move(to: 7, loop)
        #expect(loop.performAndWait { barrier.released.load(ordering: .relaxed) } == 5)
    }

    @Test func connectionsThatComeAndGoAtAClosedGate_leaveNothingBehind() throws {
        let loop = Loop(label: "test.churn")
        defer { loop.stop() }
        try loop.performAndWait {
            let peer = try SocketAddress(unixPath: "test")
            var (held, opened) = (HeldTicks(), [Connection]())
            for number in 0..<20_000 {
                let connection = Connection(loop: loop, descriptor: -1, peer: peer, limits: ConnectionLimits())
                connection.unflushed = number + 1
                held.append([connection], until: UInt64(1 + number / 10_000))
                if number % 1000 == 500 { opened.append(connection) } else { connection.state = .ended }
            }
            #expect(held.count < 1100)
            var released: [Connection] = []
            #expect(held.release(upTo: 1, into: &released) == 1)
            let releasable: [Int] = released.filter { !$0.hasEnded }.map(\.releasable)
            #expect(releasable == Array(stride(from: 501, to: 10_000, by: 1000)))
            released = []
            #expect(held.release(upTo: 9, into: &released) == 2 && held.isEmpty && held.count == 0)
            #expect(released.filter { !$0.hasEnded }.map(\.id) == opened.suffix(10).map(\.id))
        }
    }

    @Test func workForAnotherLoop_waitsForTheEndOfTheTick() throws {
        final class Order: Sendable { let steps = Mutex<[String]>([]) }
        let (loop, order) = (Loop(label: "test.handover"), Order())
        defer { loop.stop() }
        loop.performAndWait {
            loop.afterTick { order.steps.withLock { $0.append("handed over") } }
            order.steps.withLock { $0.append("acted") }
        }
        loop.queue.sync { loop.afterTick { order.steps.withLock { $0.append("at once") } } }
        #expect(order.steps.withLock { $0 } == ["acted", "handed over", "at once"])
    }

    @Test func aPeerThatHasFinishedSending_getsWhatTheBarrierHeld() async throws {
        let barrier = TestBarrier()
        let replied = Arrivals<Recorder>()
        let server = try TestServer { peer in
            peer.onBytes = { [weak peer] in
                guard let peer else { return }
                peer.connection.send($0)
                replied.yield(peer)
            }
        }
        barrier.install(on: server.loop)
        barrier.tick.store(1, ordering: .relaxed)
        let client = try #require(RawPeer(port: server.port))
        client.send(Array("held".utf8))
        client.sendNoMore()
        let peer = try await replied.next()
        barrier.move(to: 1, server.loop)
        #expect(await client.readToEnd() == Array("held".utf8))
        #expect(await peer.ending() == .peerClosed)
        client.close()
    }

    @Test func stop_closesEverything_andTellsNobodyHere() async throws {
        let server = try TestServer()
        let other = Loop(label: "test.other")
        let client = try await SocketsTests.connect(to: server.port, loop: other)
        _ = try await SocketsTests.connect(to: server.port, loop: server.loop)
        server.loop.performAndWait { server.loop.makeTimer { Issue.record("went off") }.arm(at: server.loop.now + 86_400_000) }
        server.loop.stop()
        #expect(await client.ending() == .peerClosed)
        #expect(server.loop.performAndWait { server.peers.allSatisfy { $0.end == nil && !$0.connection.isOpen } })
        await #expect(throws: SocketError.self) { try await SocketsTests.connect(to: server.port, loop: other) }
        server.loop.performAndWait {
            for peer in server.peers {
                peer.connection.send([1])
                peer.connection.close()
                peer.connection.abort()
            }
        }
        other.stop()
    }

    @Test func aLoopThatNobodyHolds_isGone() throws {
        weak var gone: Loop?
        do {
            let loop = Loop(label: "test.gone")
            gone = loop
            loop.performAndWait { _ = loop.makeTimer {} }
        }
        #expect(gone == nil)
    }

    @Test func aTimerThatIsArmedOnALoopThatWasStopped_doesNotKeepIt() {
        weak var gone: Loop?
        do {
            let loop = Loop(label: "test.gone")
            gone = loop
            loop.performAndWait { loop.makeTimer {}.arm(at: loop.now + 86_400_000) }
            loop.stop()
            loop.performAndWait { loop.makeTimer {}.arm(at: loop.now + 86_400_000) }
        }
        #expect(gone == nil)
    }

    private func connect(_ count: Int, to server: TestServer) async throws -> [Recorder] {
        var clients: [Recorder] = []
        for _ in 0..<count { clients.append(try await SocketsTests.connect(to: server.port, loop: server.loop)) }
        return clients
    }

    #if os(Linux)
        /// The sockets that this process has open, by what the kernel calls them.
        private func openSockets() throws -> Set<String> {
            let names = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
            return Set(names.compactMap { try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)") })
        }

        private func socketName(_ connection: Connection) -> String? {
            // The number of one that has ended may be another's by now.
            guard connection.isOpen else { return nil }
            return try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(connection.descriptor)")
        }

        @Test func thousandsOfConnections_leaveNoDescriptorOpen() async throws {
            // Other tests of the process have sockets too: only those of this one are looked for.
            var names: Set<String> = []
            do {
                let server = try TestServer()
                let loop = server.loop
                for round in 0..<40 {
                    let clients = try await connect(50, to: server)
                    names.formUnion(loop.performAndWait { (clients + server.peers).compactMap { socketName($0.connection) } })
                    loop.performAndWait {
                        for (index, client) in clients.enumerated() {
                            if (index + round) % 2 == 0 { client.connection.close() } else { client.connection.abort() }
                        }
                    }
                    for client in clients { _ = await client.ending() }
                }
                // They are accepted in turn: when the last one has heard the farewell, all have been.
                let last = try await SocketsTests.connect(to: server.port, loop: loop)
                last.close()
                _ = await last.ending()
                for peer in loop.performAndWait({ server.peers }) { _ = await peer.ending() }
            }
            #expect(names.count >= 2000)
            #expect(try openSockets().isDisjoint(with: names))
        }

        @Test func stop_leavesNoDescriptorOpen() async throws {
            let server = try TestServer()
            let clients = try await connect(50, to: server)
            let names = server.loop.performAndWait { Set(server.peers.compactMap { socketName($0.connection) }) }
            #expect(names.count == server.loop.performAndWait { server.peers.count } && clients.count == 50)
            server.loop.stop()
            server.loop.performAndWait {}
            #expect(try openSockets().isDisjoint(with: names))
        }
    #endif
}
