import TestKit
import Testing

@testable import Sockets

@Suite(.ownThread, .timeLimit(.minutes(10)))
struct OutboundTotalTests {
    private let megabyte = 1 << 20

    /// Peers that read nothing, with so many megabytes queued for each in turn.
    private func queue(_ sizes: [Int], limit: Int, on group: [Loop], moving mover: Int? = nil) async throws
        -> (recorders: [Recorder], clients: [RawPeer], server: TestServer)
    {
        for loop in group { loop.limitOutbound(to: limit * megabyte) }
        let limits = ConnectionLimits(outboundBytes: .max, outboundStall: 600_000, linger: 600_000)
        let server = try TestServer(limits: limits, group: group)
        var recorders: [Recorder] = []
        var clients: [RawPeer] = []
        for (index, size) in sizes.enumerated() {
            try clients.append(#require(RawPeer(port: server.port, receiveBuffer: 4096)))
            var recorder = try await server.next()
            if index == mover {
                let arrived = Arrivals<Recorder>()
                let stays = recorder
                group[0].performAndWait {
                    _ = stays.connection.move(to: group[group.count - 1]) { arrived.yield(Recorder($0)) }
                }
                recorder = try await arrived.next()
            }
            recorders.append(recorder)
            let bytes = [UInt8](repeating: 1, count: size * megabyte)
            let peer = recorder
            peer.connection.loop.performAndWait { peer.connection.send(bytes) }
        }
        return (recorders, clients, server)
    }

    @Test(arguments: PollerKind.allCases)
    func beyondTheTotal_thePeerForWhomMostWaits_isCutOff_andNobodyElse(_ kind: PollerKind) async throws {
        let group = Loop.group(count: 1, label: "test.total", kind: kind)
        let (recorders, clients, server) = try await queue([2, 9, 3, 4], limit: 16, on: group)
        #expect(await recorders[1].ending() == .outboundTotal)
        group[0].performAndWait {
            #expect([0, 2, 3].allSatisfy { recorders[$0].connection.isOpen })
            let queued = group.reduce(0) { $0 + $1.outboundBytes }
            #expect(queued <= 9 * megabyte && queued > 6 * megabyte)
        }
        // Bytes that were read, and closed connections, do not count.
        for index in [0, 2, 3] { _ = clients[index].read([2, 9, 3, 4][index] * megabyte) }
        for client in clients { client.close() }
        for index in [0, 2, 3] { _ = await recorders[index].ending() }
        #expect(group[0].performAndWait { group.reduce(0) { $0 + $1.outboundBytes } } == 0)
        _ = server
    }

    @Test(arguments: PollerKind.allCases)
    func eachLoop_hasTheBound(_ kind: PollerKind) async throws {
        let group = Loop.group(count: 2, label: "test.total", kind: kind)
        let (recorders, clients, server) = try await queue([12, 4, 9, 4], limit: 16, on: group, moving: 0)
        #expect(await recorders[2].ending() == .outboundTotal)
        for index in [0, 1, 3] { recorders[index].connection.loop.performAndWait { #expect(recorders[index].connection.isOpen) } }
        for client in clients { client.close() }
        _ = server
    }
}
