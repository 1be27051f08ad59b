import TestKit
import Testing

@testable import Sockets

/// Bounds that change while connections are open.
@Suite(.ownThread, .timeLimit(.minutes(10)))
struct OtherLimitsTests {
    private static let wide = ConnectionLimits(outboundBytes: .max, outboundStall: 600_000, linger: 600_000)

    private func limits(_ change: (inout ConnectionLimits) -> Void) -> ConnectionLimits {
        var limits = Self.wide
        change(&limits)
        return limits
    }

    /// A connection whose peer reads nothing, and for which more waits than the kernel takes.
    private func stalled(_ server: TestServer) async throws -> (RawPeer, Recorder) {
        let (client, peer) = try await server.raw(receiveBuffer: 4096)
        server.loop.performAndWait { peer.connection.send(pattern(5_000_000)) }
        #expect(server.loop.performAndWait { peer.connection.isCongested && peer.connection.timeLeft ?? 0 > 500_000 })
        return (client, peer)
    }

    @Test func aShorterPatience_holdsForWhoHasWaitedAlready() async throws {
        let server = try TestServer(limits: Self.wide)
        let (client, peer) = try await stalled(server)
        let shorter = limits { $0.outboundStall = 1 }
        server.loop.performAndWait { peer.connection.apply(shorter) }
        #expect(await peer.ending() == .outboundStalled)
        client.close()
    }

    @Test func aLongerPatience_addsToWhatIsLeft_andOnlyToAClockThatRuns() async throws {
        let server = try TestServer(limits: Self.wide)
        let (client, peer) = try await stalled(server)
        let longer = limits { $0.outboundStall = 6_000_000 }
        server.loop.performAndWait { peer.connection.apply(longer) }
        #expect(server.loop.performAndWait { peer.connection.isOpen && peer.connection.timeLeft ?? 0 > 5_000_000 })
        client.close()
        let (other, quiet) = try await server.raw()
        server.loop.performAndWait { quiet.connection.apply(longer) }
        #expect(server.loop.performAndWait { quiet.connection.timeLeft == nil })
        other.close()
    }

    @Test func aLowerBound_cutsOffForWhomMoreWaits_andNobodyElse() async throws {
        let server = try TestServer(limits: Self.wide)
        let (client, peer) = try await stalled(server)
        let (other, quick) = try await server.raw()
        let lower = limits { $0.outboundBytes = 1000 }
        server.loop.performAndWait {
            peer.connection.apply(lower)
            quick.connection.apply(lower)
        }
        #expect(await peer.ending() == .outboundLimit)
        server.loop.performAndWait { quick.connection.send(pattern(1000)) }
        #expect(other.read(1000) == pattern(1000))
        server.loop.performAndWait { quick.connection.send(pattern(1001)) }
        #expect(await quick.ending() == .outboundLimit)
        client.close()
        other.close()
    }
}
