import Journal
import Sockets
import Synchronization
import SystemSimulation
import TestKit
import Testing

@testable import ServerCore

/// Servers of one house, in one process: partition 1 is the first's. They know one another's listeners for proxies.
final class House: Sendable {
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

    let rows = SharedRows()

    init(_ count: Int, change: (inout Server.Options) -> Void = { _ in }) throws {
        let relays = SharedAddresses()
        let block = try #require(AddressBlock("127.0.0.0/8"))
        let running = try (1...count).map { [rows] partition in
            let running = try RunningServer(seed: nil, storage: FaultStorage(), registry: rows.claim(partition)) { shards in
                shards.tables = ["t", "u"].map { .init(name: "\($0)\(partition)", rules: .patient) }
                (shards.loginMilliseconds, shards.idleMilliseconds) = (86_400_000, 86_400_000)
            } options: { options in
                options.partitions = HousePartitions(own: partition) { relays[$0] }
                change(&options)
            }
            let relay = try running.server.startProxyListener(host: "127.0.0.1", port: 0, trusted: [block]).description
            relays[partition] = relay
            running.server.announce(relay: relay)
            return running
        }
        (servers, ports, self.relays) = (running.map(\.server), running.map(\.port), relays)
        for server in servers {
            #expect(Waiting.until { (1...count).allSatisfy { server.inspect(\.lobby).listed.map(\.name).contains("t\($0)") } })
            #expect(Waiting.until { (1...count).count { server.registryClient?.relay(of: $0) != nil } == count - 1 })
        }
    }

    /// A player with an account.
    func logIn(_ name: String, at partition: Int = 1) throws -> RawPeer {
        let peer = try connect(partition)
        #expect(peer.line()?.contains("\"hello\"") == true)
        peer.send(Self.login(name))
        #expect(peer.line(with: "\"to\":\"login\"")?.contains("\"ok\"") == true)
        return peer
    }

    static func login(_ name: String) -> String {
        "{\"type\":\"login\",\"name\":\"\(name)\",\"secret\":\"\(String(repeating: "5a", count: 32))\"}"
    }

    func connect(_ partition: Int = 1) throws -> RawPeer { try #require(RawPeer(port: ports[partition - 1])) }

    /// Moves the only connection of a house from where it is to a partition.
    /// - Returns: where it was; nil while it is on the way.
    func move(to partition: Int) -> Int? {
        for (index, server) in servers.enumerated() where index + 1 != partition {
            let moved = server.driver.performAndWait { driver in
                guard let session = driver.shard.sessions.values.first else { return false }
                driver.shard.relay(session, to: partition)
                return true
            }
            if moved { return index + 1 }
        }
        return nil
    }

    /// Where the only connection has a session.
    var place: Int? {
        servers.firstIndex { server in server.inspect { !$0.sessions.isEmpty } }.map { $0 + 1 }
    }

    func metric(_ name: String, _ partition: Int = 1) -> Int { servers[partition - 1].metric(name) }

    func stop() async { for server in servers { await server.stop() } }
}
