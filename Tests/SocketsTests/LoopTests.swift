import Foundation
import TestKit
import Testing

@testable import Sockets

@Suite(.ownThread, .timeLimit(.minutes(10)))
struct LoopTests {
    @Test func aLoop_knowsWhetherItIsCurrent() {
        let group = LoopGroup(count: 2, label: "test.current")
        defer { group.stop() }
        let (loop, other) = (group[0], group[1])
        #expect(!loop.isCurrent)
        #expect(loop.performAndWait { loop.isCurrent && !other.isCurrent })
    }

    @Test func confinedState_isUsedOnItsLoopAlone() {
        final class Counter { var count = 0 }
        let group = LoopGroup(count: 2, label: "test.confined")
        defer { group.stop() }
        let counter = LoopConfined(sending: Counter(), on: group[0])
        group[1].performAndWait { counter.perform { $0.count += $0.count == 0 && counter.loop.isCurrent ? 1 : 100 } }
        #expect(counter.performAndWait { $0.count } == 1)
    }

    @Test func aGate_holdsBackWhatWasSent_andKeepsTheOrder() async throws {
        let server = try TestServer()
        let gate = Gate()
        let client = try await SocketsTests.connect(to: server.port, loop: server.loop)
        server.loop.performAndWait {
            server.loop.gateFlushes(isOpen: { gate.isOpen }, whenOpen: { gate.waiting.append($0) })
        }
        let peer = try #require(server.loop.performAndWait { server.peers.first })
        server.loop.performAndWait { peer.connection.send(Array("one ".utf8)) }
        server.loop.performAndWait { peer.connection.send(Array("two ".utf8)) }
        server.loop.performAndWait { gate.isOpen = true }
        // The gate is open again, yet what comes now stands behind what still waits.
        server.loop.performAndWait { peer.connection.send(Array("three".utf8)) }
        #expect(server.loop.performAndWait { gate.waiting.count == 3 && peer.connection.pendingBytes == 13 })
        server.loop.performAndWait { gate.releaseFirst() }
        #expect(await client.bytes(4) == Array("one ".utf8))
        #expect(server.loop.performAndWait { peer.connection.pendingBytes == 9 })
        server.loop.performAndWait {
            gate.releaseFirst()
            gate.releaseFirst()
        }
        #expect(await client.bytes(13) == Array("one two three".utf8))
        server.loop.performAndWait { peer.connection.send([33]) }
        #expect(await client.bytes(14).last == 33)
    }

    @Test func aPeerThatHasFinishedSending_getsWhatTheGateHeld() async throws {
        let gate = Gate()
        let replied = AsyncStream.makeStream(of: Recorder.self)
        let server = try TestServer { peer in
            peer.onBytes = { [weak peer] in
                guard let peer else { return }
                peer.connection.send($0)
                replied.continuation.yield(peer)
            }
        }
        server.loop.performAndWait {
            server.loop.gateFlushes(isOpen: { gate.isOpen }, whenOpen: { gate.waiting.append($0) })
        }
        let client = RawPeer(port: server.port)
        client.send(Array("held".utf8))
        client.finishSending()
        var arriving = replied.stream.makeAsyncIterator()
        let peer = try #require(await arriving.next())
        server.loop.performAndWait { gate.releaseFirst() }
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
