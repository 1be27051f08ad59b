import Dispatch
import Foundation
import TestKit
import Testing

@testable import Sockets

/// What is read when there is more, or less, than one look takes, and what comes behind it.
@Suite(.ownThread, .timeLimit(.minutes(10)))
struct ReadingTests {
    /// A server's side of a connection that reads nothing yet.
    private static func deaf(_ kind: PollerKind) async throws -> (server: TestServer, peer: Recorder, raw: RawPeer) {
        let server = try TestServer(group: Loop.group(count: 1, label: "test.reading", kind: kind)) { peer in
            peer.connection.isReading = false
        }
        let raw = try #require(RawPeer(port: server.port))
        return (server, try await server.next(), raw)
    }

    /// Bytes that wait with the system to be read.
    private static func waiting(_ connection: Connection) -> Int {
        var count: Int32 = 0
        return ioctl(connection.descriptor, UInt(FIONREAD), &count) == 0 ? Int(count) : -1
    }

    @Test(arguments: PollerKind.allCases)
    func moreThanIsReadAtOnce_isAllRead_thoughNothingMoreComes(_ kind: PollerKind) async throws {
        let (server, peer, raw) = try await Self.deaf(kind)
        // More than four buffers of 64 KiB, if the system takes so much; the more a look leaves behind, the better.
        let all = pattern(300_000)
        server.loop.performAndWait { Descriptor.set(peer.connection.descriptor, SOL_SOCKET, SO_RCVBUF, 4 << 20) }
        DispatchQueue.global().async { raw.send(all) }
        // As much as the system takes: until 200 looks have found no more.
        var (taken, looks) = (0, 0)
        _ = Waiting.until {
            let now = server.loop.performAndWait { Self.waiting(peer.connection) }
            (taken, looks) = (now, now > taken ? 0 : looks + 1)
            return taken >= all.count || looks >= 200
        }
        server.loop.performAndWait { peer.connection.isReading = true }
        #expect(await peer.bytes(all.count) == all)
        raw.close()
    }

    @Test(arguments: PollerKind.allCases)
    func theEndBehindWhatIsRead_isToldAfterIt(_ kind: PollerKind) async throws {
        let (server, peer, raw) = try await Self.deaf(kind)
        raw.send(pattern(1000))
        raw.sendNoMore()
        // Both are there before the first look.
        #expect(Waiting.until { server.loop.performAndWait { Self.waiting(peer.connection) } >= 1000 })
        server.loop.performAndWait { peer.connection.isReading = true }
        #expect(await peer.ending() == .peerClosed)
        #expect(server.loop.performAndWait { peer.received } == pattern(1000))
        raw.close()
    }

    @Test(arguments: PollerKind.allCases)
    func whoHasEnoughWhileItReads_hearsOfTheEndOnlyWhenItReadsAgain(_ kind: PollerKind) async throws {
        let (server, peer, raw) = try await Self.deaf(kind)
        server.loop.performAndWait { peer.onBytes = { [weak peer] _ in peer?.connection.isReading = false } }
        raw.send(pattern(1000))
        raw.sendNoMore()
        #expect(Waiting.until { server.loop.performAndWait { Self.waiting(peer.connection) } >= 1000 })
        server.loop.performAndWait { peer.connection.isReading = true }
        #expect(await peer.bytes(1000) == pattern(1000))
        // Some looks of the loop later it still has not heard of it.
        for _ in 0..<10 { server.loop.performAndWait {} }
        #expect(server.loop.performAndWait { peer.end } == nil)
        server.loop.performAndWait { peer.connection.isReading = true }
        #expect(await peer.ending() == .peerClosed)
        raw.close()
    }
}
