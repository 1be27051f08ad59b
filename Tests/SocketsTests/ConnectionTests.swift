import Foundation
import TestKit
import Testing

@testable import Sockets

@Suite(.ownThread, .timeLimit(.minutes(10)))
struct ConnectionTests {
    private let echo: @Sendable (Recorder) -> Void = { peer in peer.onBytes = { [weak peer] in peer?.connection.send($0) } }

    @Test(arguments: [1, 2, 7, 100, 1024, 65_535, 65_536, 65_537, 200_000])
    func whatIsSent_comesBack_whateverTheChunks(size: Int) async throws {
        let server = try TestServer(accepted: echo)
        let client = try await connect(to: server.port, loop: server.loop)
        let all = pattern(max(size, min(200_000, size * 50)))
        for start in stride(from: 0, to: all.count, by: size) { client.send(Array(all[start..<min(start + size, all.count)])) }
        #expect(await client.bytes(all.count) == all)
        client.close()
        #expect(await client.ending() == .closed)
    }

    @Test func aLargeTransfer_arrivesWholeAndInOrder_thoughTheReaderStartsLate() async throws {
        let all = pattern(6_000_000)
        let server = try TestServer(limits: ConnectionLimits(outboundBytes: all.count, linger: 60_000)) { peer in
            // More in each tick of the loop than the kernel takes.
            for start in stride(from: 0, to: all.count, by: 500_000) { peer.connection.send(Array(all[start..<start + 500_000])) }
            peer.connection.close()
        }
        let peer = try #require(RawPeer(port: server.port, receiveBuffer: 8192))
        #expect(await peer.readToEnd() == all)
        peer.close()
    }

    @Test func whatIsNotReadYet_waits_andAnEndIsNotMissed() async throws {
        let server = try TestServer()
        let (client, peer) = try await server.pair()
        server.loop.performAndWait { peer.connection.isReading = false }
        client.send(pattern(1000))
        // Two that are read meanwhile show that the loop has had its chance.
        let (other, second) = try await server.pair()
        other.send(pattern(10))
        _ = await second.bytes(10)
        #expect(server.loop.performAndWait { peer.received.isEmpty })
        server.loop.performAndWait { peer.connection.isReading = true }
        #expect(await peer.bytes(1000) == pattern(1000))
        server.loop.performAndWait { peer.connection.isReading = false }
        client.send(pattern(7))
        client.close()
        server.loop.performAndWait { peer.connection.isReading = true }
        #expect(await peer.ending() == .peerClosed)
        #expect(server.loop.performAndWait { peer.received.count == 1007 })
    }

    @Test func aReaderThatStalls_isEndedByTheBound_whileOthersGoOn() async throws {
        let server = try TestServer(limits: ConnectionLimits(outboundBytes: 100_000))
        let (stalled, slow) = try await server.raw(receiveBuffer: 4096)
        let (client, quick) = try await server.pair()
        // Each chunk goes to both, and the next one when the quick one has it.
        let chunk = pattern(50_000)
        var rounds = 0
        while server.loop.performAndWait({ slow.end }) == nil, rounds < 1000 {
            rounds += 1
            slow.send(chunk)
            quick.send(chunk)
            _ = await client.bytes(rounds * chunk.count)
        }
        #expect(await slow.ending() == .outboundLimit)
        #expect(server.loop.performAndWait { quick.connection.isOpen })
        #expect(await client.bytes(rounds * chunk.count).count == rounds * chunk.count)
        stalled.close()
    }

    @Test func aReaderThatTakesNothing_isEndedInTime() async throws {
        let server = try TestServer(limits: ConnectionLimits(outboundBytes: .max, outboundStall: 30)) { peer in
            peer.connection.send(pattern(8_000_000))
        }
        let (stalled, peer) = try await server.raw(receiveBuffer: 4096)
        #expect(await peer.ending() == .outboundStalled)
        stalled.close()
    }

    @Test func theHandler_isNeverCalledFromInsideASend() async throws {
        let server = try TestServer(limits: ConnectionLimits(outboundBytes: 1000))
        let (client, peer) = try await server.pair()
        let isTold = server.loop.performAndWait {
            peer.connection.send(pattern(1001))
            return (peer.end != nil, peer.connection.isOpen)
        }
        #expect(isTold == (false, false))
        #expect(await peer.ending() == .outboundLimit)
        #expect(await client.ending() == .peerClosed)
    }

    @Test func whatAnEndBringsAbout_isStillSentInTheTick() async throws {
        let server = try TestServer()
        let (leaver, leaving) = try await server.pair()
        let (stayer, staying) = try await server.pair()
        server.loop.perform {
            leaving.onEnd = { staying.connection.send(Array("gone".utf8)) }
            leaving.connection.abort()
        }
        #expect(await stayer.bytes(4) == Array("gone".utf8))
        _ = await leaver.ending()
    }

    @Test func close_sendsWhatIsQueued_thenEnds() async throws {
        let all = pattern(1_000_000)
        let server = try TestServer(limits: ConnectionLimits(outboundBytes: all.count, linger: 60_000)) { peer in
            peer.connection.send(all)
            peer.connection.close()
            peer.connection.send([1, 2, 3])
        }
        let client = try #require(RawPeer(port: server.port))
        // Input that nobody reads must not turn the farewell into a reset.
        client.send(pattern(10_000))
        #expect(await client.readToEnd() == all)
        client.close()
        let peer = try await server.next()
        #expect(await peer.ending() == .closed)
        #expect(server.loop.performAndWait { peer.received.isEmpty })
    }

    @Test func aPeerThatNeverCloses_isNotWaitedForLongerThanTheLinger() async throws {
        let server = try TestServer(limits: ConnectionLimits(linger: 20)) { peer in
            peer.connection.close()
        }
        let (client, peer) = try await server.raw()
        #expect(await peer.ending() == .closed)
        client.close()
    }

    @Test func aPeerThatHasFinishedSending_getsWhatIsQueued() async throws {
        let all = pattern(2_000_000)
        let server = try TestServer(limits: ConnectionLimits(outboundBytes: all.count, linger: 60_000)) { peer in
            peer.onBytes = { [weak peer] _ in peer?.connection.send(all) }
        }
        let client = try #require(RawPeer(port: server.port))
        client.send(Array("give\n".utf8))
        client.sendNoMore()
        #expect(await client.readToEnd() == all)
        client.close()
        let peer = try await server.next()
        #expect(await peer.ending() == .peerClosed)
    }

    @Test func aPeerThatResets_endsTheConnection_alsoWhileItIsWrittenTo() async throws {
        let server = try TestServer(limits: ConnectionLimits(outboundBytes: .max)) { peer in
            peer.connection.send(pattern(8_000_000))
        }
        let (client, peer) = try await server.raw(receiveBuffer: 4096)
        client.reset()
        guard case .failed = await peer.ending() else {
            Issue.record("ended by \(await peer.ending())")
            return
        }
        #expect(server.loop.performAndWait { peer.connection.pendingBytes == 0 })
    }

    @Test func writingToAPeerThatIsGone_raisesNoSignal() async throws {
        // Its default would end the process.
        let previous = signal(SIGPIPE, SIG_DFL)
        defer { signal(SIGPIPE, previous) }
        let server = try TestServer()
        for _ in 0..<20 {
            let (client, peer) = try await server.raw()
            server.loop.performAndWait {
                // The loop can't hear of it in between, so the second write meets a socket that was reset.
                client.reset()
                peer.connection.send([1])
                peer.connection.flush(releasing: peer.connection.takeUnflushed())
                peer.connection.send([2])
            }
            guard case .failed = await peer.ending() else {
                Issue.record("ended by \(await peer.ending())")
                return
            }
        }
    }

    @Test func aPeerThatIsGoneWithoutAWord_isFoundByTheKernelIn20Seconds() async throws {
        let server = try TestServer()
        let (client, peer) = try await server.pair()
        for end in [client, peer] {
            server.loop.performAndWait {
                #expect(Descriptor.option(end.connection.descriptor, SO_KEEPALIVE) == 1)
                func option(_ name: Int32) -> Int32? {
                    Descriptor.option(end.connection.descriptor, name, level: Int32(IPPROTO_TCP))
                }
                #if canImport(Glibc)
                    #expect(option(TCP_KEEPIDLE) == 15 && option(TCP_USER_TIMEOUT) == 20_000)
                #else
                    #expect(option(TCP_KEEPALIVE) == 15 && option(TCP_RXT_CONNDROPTIME) == 20)
                #endif
                #expect(option(TCP_KEEPINTVL) == 5 && option(TCP_KEEPCNT) == 1)
            }
        }
    }

    @Test func theOtherSidesPort_isKnown() async throws {
        let server = try TestServer()
        let client = try await connect(to: server.port, loop: server.loop)
        #expect(client.connection.peer.port == server.port && client.connection.peer.host == "127.0.0.1")
        #expect(client.connection.peer.description == "127.0.0.1:\(server.port)")
    }
}
