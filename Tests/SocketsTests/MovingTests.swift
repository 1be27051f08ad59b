import Foundation
import TestKit
import Testing

@testable import Sockets

@Suite(.ownThread, .timeLimit(.minutes(10)))
struct MovingTests {
    /// Streams bytes both ways while its connection goes from loop to loop. It goes along, so it is touched on one loop at a time.
    private final class Wanderer: ConnectionHandler, @unchecked Sendable {
        private let group: [Loop]
        private let outgoing: [UInt8]
        private let expected: Int
        private var sent = 0
        private var received: [UInt8] = []
        private var hops = 0
        private var isAway = false
        private let done: @Sendable (_ received: [UInt8], _ hops: Int, _ end: EndReason) -> Void

        init(
            _ group: [Loop], outgoing: [UInt8], expected: Int, done: @escaping @Sendable ([UInt8], Int, EndReason) -> Void
        ) {
            self.group = group
            self.outgoing = outgoing
            self.expected = expected
            self.done = done
        }

        func connection(_ connection: Connection, received bytes: UnsafeRawBufferPointer) {
            #expect(!isAway)
            received.append(contentsOf: bytes)
            goOn(connection)
        }

        private func goOn(_ connection: Connection) {
            send(over: connection, 20_000)
            guard received.count < expected || sent < outgoing.count else { return connection.close() }
            isAway = true
            let destination = group[(connection.loop.index + 1 + hops % 3) % group.count]
            let moves = connection.move(to: destination, then: { [self] in arrived($0) })
            let movesTwice = connection.move(to: destination, then: { _ in Issue.record("moved twice") })
            #expect(moves && !movesTwice && !connection.isOpen)
            connection.send([0])
            connection.abort()
        }

        private func arrived(_ connection: Connection) {
            dispatchPrecondition(condition: .onQueue(connection.loop.queue))
            isAway = false
            hops += 1
            connection.handler = self
            send(over: connection, 17)
            if received.count == expected { goOn(connection) }
        }

        private func send(over connection: Connection, _ count: Int) {
            let end = min(outgoing.count, sent + count)
            connection.send(Array(outgoing[sent..<end]))
            sent = end
        }

        func connection(_ connection: Connection, endedBy reason: EndReason) { done(received, hops, reason) }
    }

    @Test(arguments: PollerKind.allCases)
    func aStreamBothWays_losesNothing_whileItsConnectionGoesFromLoopToLoop(_ kind: PollerKind) async throws {
        let (down, up) = (pattern(3_000_000), pattern(200_000))
        let ends = Arrivals<(received: [UInt8], hops: Int, end: EndReason)>()
        let wanderers = Arrivals<Wanderer>()
        let group = Loop.group(count: 4, label: "test.moving", kind: kind)
        defer { for loop in group { loop.stop() } }
        let limits = ConnectionLimits(outboundBytes: .max, linger: 60_000)
        let port = try group[0].performAndWait {
            try Listener(host: "127.0.0.1", port: 0, loop: group[0], limits: limits) { connection in
                let wanderer = Wanderer(group, outgoing: down, expected: up.count) { ends.yield(($0, $1, $2)) }
                connection.handler = wanderer
                wanderers.yield(wanderer)
            }.address.port
        }
        let peers = try (0..<3).map { _ in try #require(RawPeer(port: port)) }
        var travellers: [Wanderer] = []
        for _ in peers { travellers.append(try await wanderers.next()) }
        await withTaskGroup { tasks in
            for peer in peers {
                tasks.addTask { #expect(await peer.readToEnd() == down) }
                Thread.detachNewThread {
                    for start in stride(from: 0, to: up.count, by: 500) { peer.send(Array(up[start..<start + 500])) }
                }
            }
        }
        for peer in peers { peer.close() }
        for _ in peers {
            let (received, hops, end) = try await ends.next()
            #expect(received == up && hops >= 70 && end == .closed)
        }
        withExtendedLifetime(travellers) {}
    }

    private func group(_ kind: PollerKind, _ count: Int = 2) -> [Loop] {
        Loop.group(count: count, label: "test.moving", kind: kind)
    }

    @Test(arguments: PollerKind.allCases)
    func whatThePeerSentBeforeItFinished_isHeardOnTheNextLoop(_ kind: PollerKind) async throws {
        let (moved, group) = (Arrivals<Recorder>(), group(kind))
        let server = try TestServer(group: group) { peer in
            peer.connection.move(to: group[1]) { moved.yield(Recorder($0)) }
        }
        let client = try #require(RawPeer(port: server.port))
        client.send(Array("the last words".utf8))
        client.sendNoMore()
        let peer = try await moved.next()
        #expect(await peer.ending() == .peerClosed)
        #expect(group[1].performAndWait { peer.received } == Array("the last words".utf8))
        #expect(await client.readToEnd().isEmpty)
        client.close()
    }

    @Test(arguments: PollerKind.allCases)
    func whatIsQueuedForAPeerThatDoesNotRead_movesAlong(_ kind: PollerKind) async throws {
        let all = pattern(4_000_000)
        let (moved, group) = (Arrivals<Recorder>(), group(kind))
        let limits = ConnectionLimits(outboundBytes: .max, outboundStall: 600_000, linger: 600_000)
        let server = try TestServer(limits: limits, group: group)
        let (client, peer) = try await server.raw(receiveBuffer: 4096)
        group[0].performAndWait { peer.connection.send(Array(all[..<3_000_000])) }
        let isBlocked = group[0].performAndWait { peer.connection.isCongested }
        #expect(isBlocked)
        group[0].performAndWait {
            peer.connection.send(Array(all[3_000_000..<3_500_000]))
            _ = peer.connection.move(to: group[1]) { connection in
                // What happens first on the new loop stands behind everything from the old one.
                connection.send(Array(all[3_500_000...]))
                let recorder = Recorder(connection)
                recorder.onDrain = { [weak recorder] in recorder?.connection.close() }
                moved.yield(recorder)
            }
        }
        let arrived = try await moved.next()
        #expect(arrived.connection.id == peer.connection.id)
        let isStillBlocked = group[1].performAndWait { arrived.connection.isCongested }
        #expect(isStillBlocked)
        #expect(await client.readToEnd() == all)
        client.close()
        #expect(await arrived.ending() == .closed)
        #expect(group[1].performAndWait { arrived.drains } == 1)
        #expect(group[0].performAndWait { peer.drains == 0 && peer.end == nil })
    }

    @Test(arguments: PollerKind.allCases)
    func aPeerThatHasFinishedSending_getsWhatIsQueued_alsoAfterAMove(_ kind: PollerKind) async throws {
        let all = pattern(3_000_000)
        let (replied, moved, group) = (Arrivals<Recorder>(), Arrivals<Recorder>(), group(kind))
        let limits = ConnectionLimits(outboundBytes: .max, linger: 600_000)
        let server = try TestServer(limits: limits, group: group) { peer in
            peer.onBytes = { [weak peer] _ in
                guard let peer else { return }
                peer.connection.send(all)
                replied.yield(peer)
            }
        }
        let client = try #require(RawPeer(port: server.port, receiveBuffer: 4096))
        client.send([1])
        client.sendNoMore()
        let peer = try await replied.next()
        group[0].performAndWait { _ = peer.connection.move(to: group[1]) { moved.yield(Recorder($0)) } }
        let arrived = try await moved.next()
        #expect(await client.readToEnd() == all)
        #expect(await arrived.ending() == .peerClosed)
        client.close()
    }

    @Test(arguments: PollerKind.allCases)
    func aConnectionThatEndsOrCloses_isNotMoved_andItsHandlerHearsOfIt(_ kind: PollerKind) async throws {
        let group = group(kind)
        let server = try TestServer(group: group)
        for isAborted in [true, false] {
            let (client, peer) = try await server.raw()
            let hasMoved = group[0].performAndWait {
                if isAborted { peer.connection.abort() } else { peer.connection.close() }
                return peer.connection.move(to: group[1]) { _ in Issue.record("moved") }
            }
            #expect(!hasMoved)
            #expect(await client.readToEnd().isEmpty)
            client.close()
            #expect(await peer.ending() == .closed)
            let movesAfterTheEnd = group[0].performAndWait {
                peer.connection.move(to: group[1]) { _ in Issue.record("moved") }
            }
            #expect(!movesAfterTheEnd)
        }
    }

    @Test(arguments: PollerKind.allCases)
    func aMoveToALoopThatWasStopped_closesTheConnection(_ kind: PollerKind) async throws {
        let group = group(kind)
        let server = try TestServer(group: group)
        group[1].stop()
        let (client, peer) = try await server.raw()
        group[0].performAndWait { _ = peer.connection.move(to: group[1]) { _ in Issue.record("arrived") } }
        #expect(await client.readToEnd().isEmpty)
        client.close()
    }

    @Test(arguments: PollerKind.allCases)
    func theBarrierOfTheOldLoop_holdsBackWhatWasSentThere_andTheConnectionWithIt(_ kind: PollerKind) async throws {
        let (moved, group) = (Arrivals<Recorder>(), group(kind))
        let server = try TestServer(group: group)
        let barrier = TestBarrier()
        barrier.install(on: group[0])
        let (client, peer) = try await server.raw()
        barrier.tick(1, on: group[0]) { peer.connection.send(Array("one ".utf8)) }
        barrier.tick(2, on: group[0]) {
            peer.connection.send(Array("two ".utf8))
            _ = peer.connection.move(to: group[1]) { connection in
                connection.send(Array("three".utf8))
                connection.close()
                moved.yield(Recorder(connection))
            }
        }
        #expect(group[0].performAndWait { peer.connection.pendingBytes } == 8)
        barrier.move(to: 1, group[0])
        // Nothing left with the first of them, and it has not moved: the second is still held.
        #expect(group[0].performAndWait { peer.connection.pendingBytes } == 8)
        barrier.move(to: 2, group[0])
        #expect(await client.readToEnd() == Array("one two three".utf8))
        client.close()
        #expect(try await moved.next().ending() == .closed)
    }

    #if os(Linux)
        @Test(arguments: PollerKind.allCases)
        func aConnectionHeldBackByABarrierThatNeverOpens_isClosedWithIt(_ kind: PollerKind) async throws {
            let group = group(kind)
            var client: RawPeer?
            do {
                let server = try TestServer(group: group)
                let barrier = TestBarrier()
                barrier.install(on: group[0])
                barrier.tick.store(1, ordering: .relaxed)
                client = RawPeer(port: server.port)
                let peer = try await server.next()
                group[0].performAndWait {
                    peer.connection.send([1])
                    _ = peer.connection.move(to: group[1]) { _ in Issue.record("arrived") }
                }
            }
            #expect(await client?.readToEnd() == [])
            client?.close()
        }
    #endif

    @Test func identifiers_areUniqueInAGroup() async throws {
        let group = group(.preferred(idleWait: 0), 3)
        let server = try TestServer(group: group)
        var identifiers: Set<UInt64> = []
        for round in 0..<30 {
            let client = try await connect(to: server.port, loop: group[round % 3])
            identifiers.insert(client.connection.id)
            client.close()
            _ = await client.ending()
        }
        // Those of the accepted side come from the same source.
        for peer in group[0].performAndWait({ server.peers }) { identifiers.insert(peer.connection.id) }
        #expect(identifiers.count == 60 && identifiers.max() == 60)
    }

    @Test func theLoopsOfAGroup_areNumbered() {
        #expect(Loop.processors > 0)
        let group = Loop.group(count: 3)
        #expect(group.map(\.index) == [0, 1, 2] && group[2].queue.label == "loop.2")
    }
}
