import Testing

@testable import Sockets

/// Bounds that change while connections are open.
@Suite(.timeLimit(.minutes(10)))
struct OtherLimitsTests {
    private static let wide = ConnectionLimits(outboundBytes: .max, outboundStall: 600_000, linger: 600_000)

    private func limits(_ change: (inout ConnectionLimits) -> Void) -> ConnectionLimits {
        var limits = Self.wide
        change(&limits)
        return limits
    }

    /// A connection whose peer reads nothing, and for which more waits than the kernel takes.
    private func stalled(_ server: TestServer, _ accepted: Arrivals<Recorder>) async throws -> (RawPeer, Recorder) {
        let client = RawPeer(port: server.port, receiveBuffer: 4096)
        let peer = try await accepted.next()
        server.loop.performAndWait { peer.connection.send(pattern(5_000_000)) }
        #expect(server.loop.performAndWait { peer.connection.isCongested && peer.connection.timeLeft ?? 0 > 500_000 })
        return (client, peer)
    }

    private func server(_ accepted: Arrivals<Recorder>) throws -> TestServer {
        try TestServer(limits: Self.wide) { accepted.yield($0) }
    }

    @Test func aShorterPatience_holdsForWhoHasWaitedAlready() async throws {
        let accepted = Arrivals<Recorder>()
        let server = try server(accepted)
        let (client, peer) = try await stalled(server, accepted)
        let shorter = limits { $0.outboundStall = 1 }
        server.loop.performAndWait { peer.connection.apply(shorter) }
        #expect(await peer.ending() == .outboundStalled)
        client.close()
    }

    @Test func aLongerPatience_addsToWhatIsLeft_andOnlyToAClockThatRuns() async throws {
        let accepted = Arrivals<Recorder>()
        let server = try server(accepted)
        let (client, peer) = try await stalled(server, accepted)
        let longer = limits { $0.outboundStall = 6_000_000 }
        server.loop.performAndWait { peer.connection.apply(longer) }
        #expect(server.loop.performAndWait { peer.connection.isOpen && peer.connection.timeLeft ?? 0 > 5_000_000 })
        client.close()
        let other = RawPeer(port: server.port)
        let quiet = try await accepted.next()
        server.loop.performAndWait { quiet.connection.apply(longer) }
        #expect(server.loop.performAndWait { quiet.connection.timeLeft == nil })
        other.close()
    }

    @Test func aLowerBound_cutsOffForWhomMoreWaits_andNobodyElse() async throws {
        let accepted = Arrivals<Recorder>()
        let server = try server(accepted)
        let (client, peer) = try await stalled(server, accepted)
        let other = RawPeer(port: server.port)
        let quick = try await accepted.next()
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
