import TestKit
import Testing

@testable import Sockets

@Suite(.ownThread, .timeLimit(.minutes(10)))
struct CongestionTests {
    /// A line of 1,000 bytes with its number.
    private func line(_ number: Int) -> [UInt8] {
        var line = [UInt8](repeating: UInt8(ascii: "-"), count: 1000)
        line.replaceSubrange(0..<8, with: String(10_000_000 + number).utf8)
        line[999] = UInt8(ascii: "\n")
        return line
    }

    private func lines(_ count: Int) -> [UInt8] {
        var all: [UInt8] = []
        for number in 0..<count { all += line(number) }
        return all
    }

    private func patient(_ kind: PollerKind, outboundBytes: Int = .max, outboundStall: Int64 = 600_000) -> (
        ConnectionLimits, [Loop]
    ) {
        (
            ConnectionLimits(outboundBytes: outboundBytes, outboundStall: outboundStall, linger: 600_000),
            Loop.group(count: 1, label: "test.congestion", kind: kind)
        )
    }

    @Test(arguments: PollerKind.allCases)
    func aPeerThatReadsSlowly_isTakenForCongested_andIsHeardOfOnceWhenItHasCaughtUp(_ kind: PollerKind) async throws {
        let (limits, group) = patient(kind)
        let server = try TestServer(limits: limits, group: group)
        let (client, peer) = try await server.raw(receiveBuffer: 4096)
        for episode in 1...3 {
            var sent: [UInt8] = []
            while true {
                let line = line(sent.count)
                let isCongested = group[0].performAndWait {
                    guard !peer.connection.isCongested else { return true }
                    peer.connection.send(line)
                    return false
                }
                if isCongested { break }
                sent += line
            }
            let waiting = group[0].performAndWait { peer.connection.waitingBytes }
            #expect(waiting > limits.congestedBytes && waiting <= limits.congestedBytes + 1000)
            #expect(group[0].performAndWait { peer.drains } == episode - 1)
            #expect(client.read(sent.count) == sent)
            #expect(await peer.drains(episode) == episode)
            #expect(!group[0].performAndWait { peer.connection.isCongested })
        }
        peer.close()
        #expect(await client.readToEnd().isEmpty)
        client.close()
        #expect(await peer.ending() == .closed)
        #expect(group[0].performAndWait { peer.drains } == 3)
    }

    @Test func whatIsSentWhenDrained_followsWhatWaited() async throws {
        let all = pattern(2_000_000)
        let server = try TestServer(limits: ConnectionLimits(outboundBytes: .max, linger: 600_000)) { peer in
            peer.connection.send(all)
            peer.onDrain = { [weak peer] in
                guard let peer else { return }
                peer.connection.send(Array("and the rest".utf8))
                peer.connection.close()
            }
        }
        let client = try #require(RawPeer(port: server.port, receiveBuffer: 4096))
        #expect(await client.readToEnd() == all + Array("and the rest".utf8))
        client.close()
    }

    @Test func whatOnlyThisTickOrABarrierHoldsBack_isNoCongestion() async throws {
        let server = try TestServer()
        let loop = server.loop
        let (client, peer) = try await server.raw()
        let barrier = TestBarrier()
        barrier.install(on: loop)
        let isCongested = barrier.tick(1, on: loop) {
            peer.connection.send(pattern(20_000))
            return peer.connection.isCongested
        }
        #expect(!isCongested && !loop.performAndWait { peer.connection.isCongested })
        barrier.move(to: 1, loop)
        #expect(client.read(20_000) == pattern(20_000))
        #expect(loop.performAndWait { peer.drains } == 0)
        client.close()
    }

    @Test(arguments: PollerKind.allCases)
    func aReaderThatIsCutOff_isToldGoodbye_betweenTwoLines(_ kind: PollerKind) async throws {
        let goodbye = Array("bye\n".utf8)
        let (limits, group) = patient(kind, outboundBytes: 100_000)
        let server = try TestServer(limits: limits, group: group) { peer in
            peer.goodbye = goodbye
        }
        for unread in [0, 1, 100_000] {
            let client = try #require(RawPeer(port: server.port, receiveBuffer: 4096))
            // Input that nobody gets to read must not turn the farewell into a reset.
            client.send(pattern(unread))
            let peer = try await server.next()
            var (isOpen, number) = (true, 0)
            while isOpen {
                let line = line(number)
                number += 1
                isOpen = group[0].performAndWait {
                    peer.connection.send(line)
                    return peer.connection.isOpen
                }
            }
            #expect(await peer.ending() == .outboundLimit)
            let heard = await client.readToEnd()
            #expect(heard.suffix(goodbye.count) == goodbye)
            let whole = heard.dropLast(goodbye.count)
            #expect(whole.count % 1000 == 0 && Array(whole) == lines(whole.count / 1000))
            client.close()
        }
    }

    @Test(arguments: PollerKind.allCases)
    func aReaderThatStalls_isToldGoodbyeToo(_ kind: PollerKind) async throws {
        let (limits, group) = patient(kind, outboundStall: 30)
        let all = lines(5_000)
        let server = try TestServer(limits: limits, group: group) { peer in
            peer.goodbye = Array("bye\n".utf8)
            peer.connection.send(all)
        }
        let client = try #require(RawPeer(port: server.port, receiveBuffer: 4096))
        #expect(try await server.next().ending() == .outboundStalled)
        client.close()
    }

    @Test func aMessageWithoutAnEnd_isNotFollowedByAGoodbye() async throws {
        let server = try TestServer(limits: ConnectionLimits(outboundBytes: 1_500_000)) { peer in
            peer.goodbye = Array("bye\n".utf8)
        }
        let (client, peer) = try await server.raw(receiveBuffer: 4096)
        let endless = [UInt8](repeating: 45, count: 1_000_000)
        server.loop.performAndWait { peer.connection.send(endless) }
        server.loop.performAndWait { peer.connection.send(endless) }
        #expect(await peer.ending() == .outboundLimit)
        #expect(await client.readToEnd().allSatisfy { $0 == 45 })
        client.close()
    }
}
