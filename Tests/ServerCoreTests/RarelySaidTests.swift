import Conformance
import Sockets
import Testing
import Wire

@testable import ServerCore

/// Codes that take a host, a slow reader or a fortune to bring about.
struct RarelySaidTests {
    /// No table takes more than 10^12 chips: no sum of whole tables of them overflows.
    @Test func chipsOutOfRange_isSaidToWhoBringsMoreThanATableTakes() throws {
        let server = VirtualServer.small()
        server.seat(guest: "croesus", 1)
        server.receive(#"{"type":"leave"}"#, from: 1)
        // Won in more games than anybody has played.
        let account = try #require(server.shard.accounts.values.first)
        server.shard.apply(.issued(account.id, chips: WireLimits.chips, reason: .credit, time: 0), to: account)
        let line = try #require(server.answers(to: #"{"type":"sit","id":1}"#, 1).last)
        #expect(line.contains(#""id":1,"to":"sit","code":"chips_out_of_range""#), "\(line)")
    }

    @Test func tooManyConnections_isSaidToAnAddressThatHasEnough() throws {
        var configuration = try ConformingServer.configuration()
        configuration.maximumConnectionsPerAddress = 0
        let server = VirtualServer(configuration)
        server.address = IPAddress("203.0.113.9")
        let performer = ServerKit.Performer(stage: VirtualStage(server), options: ConformingServer.options(["crowd"]))
        #expect(try kit.only(["host/too-many-from-one-address"]).map { try performer.perform($0) } == [.passed])
    }

    /// The host does what the transcript asks for: drains, sends bob home.
    @Test func theHostsAnnouncements_areMade() throws {
        let server = VirtualServer(try ConformingServer.configuration())
        let stage = VirtualStage(server)
        stage.onSaid = { bytes in
            let line = String(decoding: bytes, as: UTF8.self)
            if line.contains("close this table") { server.shard.drain(at: server.now, reason: "The floor is waxed.") }
            if line.contains("send the other home") {
                for account in server.shard.accounts.values where account.name.text.hasPrefix("bob") {
                    _ = server.shard.kick(account.id, reason: "Twice at two tables.", at: server.now)
                    break
                }
            }
        }
        let performer = ServerKit.Performer(stage: stage, options: ConformingServer.options(["closing"]))
        let names = ["host/whoever-is-sent-home*", "host/a-table-that-closes*"]
        #expect(try names.flatMap { kit.only([$0]) }.map { try performer.perform($0) } == [.passed, .passed])
    }
}
