import Testing

@testable import Sockets

@Suite(.timeLimit(.minutes(10)))
struct SharingTests {
    @Test(arguments: PollerKind.allCases)
    func whatIsSharedAndWhatIsSent_arriveInOneOrder(_ kind: PollerKind) async throws {
        let server = try TestServer(
            limits: ConnectionLimits(outboundBytes: .max, outboundStall: 600_000, linger: 600_000, congestedBytes: .max),
            group: LoopGroup(count: 1, label: "test.sharing", kind: kind))
        let client = try await SocketsTests.connect(to: server.port, loop: server.loop)
        let peer = try #require(server.loop.performAndWait { server.peers.first })
        var (expected, state) = ([UInt8](), Choices(state: 7))
        for _ in 0..<60 {
            // Some larger than what the kernel takes at once, several in a tick, with what others share and change in between.
            let messages = (0..<Int.random(in: 1...4, using: &state)).map { _ in
                (
                    isShared: Bool.random(using: &state),
                    bytes: [UInt8](repeating: .random(in: 0...255, using: &state), count: .random(in: 1...200_000, using: &state))
                )
            }
            server.loop.performAndWait {
                for (isShared, bytes) in messages {
                    var message = bytes
                    if isShared { peer.connection.share(message) } else { peer.connection.send(message) }
                    message[0] &+= 1
                }
            }
            expected += messages.flatMap(\.bytes)
        }
        #expect(await client.bytes(expected.count) == expected)
        #expect(server.loop.performAndWait { peer.connection.pendingBytes == 0 && !peer.connection.isShared })
    }

    @Test func aMessageThatIsShared_countsTowardsTheBound() async throws {
        let server = try TestServer(limits: ConnectionLimits(outboundBytes: 100, linger: 60_000))
        let client = try await SocketsTests.connect(to: server.port, loop: server.loop)
        let peer = try #require(server.loop.performAndWait { server.peers.first })
        server.loop.performAndWait { peer.connection.share([UInt8](repeating: 1, count: 101)) }
        #expect(await peer.ending() == .outboundLimit)
        _ = await client.ending()
        #expect(server.loop.performAndWait { client.received.isEmpty })
    }
}

/// A small generator, for the test's choices alone.
private struct Choices: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state ^ state >> 33
    }
}
