import Foundation
import Rules
import Sockets
import Synchronization
import TestKit
import Testing
import Wire

@testable import ServerCore

/// Servers of one house, in one process: partition 1 is the first's. They know one another's listeners for proxies.
private final class House: Sendable {
    let servers: [Server]
    let ports: [Int]
    /// Where a partition takes relays: by its number.
    let relays: SharedAddresses

    final class SharedAddresses: Sendable {
        private let texts = Mutex<[Int: String]>([:])

        subscript(partition: Int) -> String? {
            get { texts.withLock { $0[partition] } }
            set { texts.withLock { $0[partition] = newValue } }
        }
    }

    init(_ count: Int, trusted: String = "127.0.0.0/8", loops: Int = 2) throws {
        let relays = SharedAddresses()
        var shards = ShardConfiguration(tables: [.init(name: "main", rules: .patient)])
        shards.requests = .unreached
        shards.loginMilliseconds = 86_400_000
        shards.idleMilliseconds = 86_400_000
        let block = try #require(AddressBlock(trusted))
        var ports: [Int] = []
        servers = try (1...count).map { partition in
            var options = Server.Options()
            (options.port, options.loops) = (0, loops)
            options.partitions = HousePartitions(own: partition) { relays[$0] }
            let server = Server(shards: shards, options: options)
            ports.append(try server.start().port)
            relays[partition] = try server.startProxyListener(host: "127.0.0.1", port: 0, trusted: [block]).description
            return server
        }
        (self.ports, self.relays) = (ports, relays)
    }

    func connect(_ partition: Int = 1) throws -> RawPeer { try #require(RawPeer(port: ports[partition - 1])) }

    /// Moves the only connection of a house from where it is to a partition.
    /// - Returns: where it was; nil while it is on the way.
    func move(to partition: Int) -> Int? {
        for (index, server) in servers.enumerated() where index + 1 != partition {
            for driver in server.drivers {
                let moved = driver.performAndWait { driver in
                    guard let session = driver.shard.sessions.values.first else { return false }
                    driver.shard.relay(session, to: partition)
                    return true
                }
                if moved { return index + 1 }
            }
        }
        return nil
    }

    /// Where the only connection has a session.
    var place: Int? {
        for (index, server) in servers.enumerated()
        where server.drivers.contains(where: { $0.performAndWait { !$0.shard.sessions.isEmpty } }) { return index + 1 }
        return nil
    }

    func metric(_ name: String, _ partition: Int = 1) -> Int {
        let line = servers[partition - 1].directory.metrics.registry.text.split(separator: "\n").first {
            $0.hasPrefix(name + " ")
        }
        return line.flatMap { Int($0.dropFirst(name.count + 1)) } ?? -1
    }

    func stop() async {
        for server in servers { await withCheckedContinuation { done in server.stop { done.resume() } } }
    }
}

@Suite(.ownThread)
struct RelayTests {
    /// A client floods while it is moved at random: to another server, on to a third by way of the first, back to the first.
    @Test func everyLineIsAnsweredOnce_inOrder_howeverAConnectionMoves() async throws {
        var random = SeededGenerator()
        let house = try House(3)
        let peer = try house.connect()
        #expect(peer.line()?.contains("\"hello\"") == true)
        var (sent, moves, answered) = (0, [0, 0, 0, 0], 0)
        while moves.min().map({ $0 < 8 }) ?? true {
            var bytes: [UInt8] = []
            for _ in 0..<random.below(40) {
                sent += 1
                bytes += Array("{\"type\":\"ping\",\"id\":\(sent)}\n".utf8)
            }
            var rest = bytes[...]
            while !rest.isEmpty {
                let piece = rest.prefix(1 + random.below(rest.count))
                rest = rest.dropFirst(piece.count)
                peer.send(Array(piece))
                let target = 1 + random.below(3)
                // From the first, on to another one, and back; a relay that does not begin counts for none.
                if random.below(3) == 0, let from = house.move(to: target) { moves[target == 1 ? 3 : from - 1] += 1 }
            }
            while answered < sent {
                answered += 1
                let line = peer.line() ?? "nothing"
                #expect(line.hasPrefix("{\"type\":\"ok\",\"id\":\(answered),\"to\":\"ping\""), "\(line), BJ_SEED=\(Seed.value)")
                guard line.contains("\"id\":\(answered),") else { return }
            }
        }
        peer.close()
        #expect(Waiting.until { house.metric("bj_relayed_connections") == 0 && house.metric("bj_connections") == 0 })
        #expect(
            (1...3).allSatisfy { house.metric("bj_connections", $0) == 0 && house.metric("bj_relay_failures_total", $0) == 0 })
        await house.stop()
    }
}
