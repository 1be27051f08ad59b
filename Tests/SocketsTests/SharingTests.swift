import TestKit
import Testing

@testable import Sockets

@Suite(.ownThread, .timeLimit(.minutes(10)))
struct SharingTests {
    @Test(arguments: PollerKind.allCases)
    func whatIsSharedAndWhatIsSent_arriveInOneOrder(_ kind: PollerKind) async throws {
        let server = try TestServer(
            limits: ConnectionLimits(outboundBytes: .max, outboundStall: 600_000, linger: 600_000, congestedBytes: .max),
            group: Loop.group(count: 1, label: "test.sharing", kind: kind))
        let (client, peer) = try await server.pair()
        var (expected, state) = ([UInt8](), SeededGenerator(seed: 7))
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
        let (client, peer) = try await server.pair()
        server.loop.performAndWait { peer.connection.share([UInt8](repeating: 1, count: 101)) }
        #expect(await peer.ending() == .outboundLimit)
        _ = await client.ending()
        #expect(server.loop.performAndWait { client.received.isEmpty })
    }
}
