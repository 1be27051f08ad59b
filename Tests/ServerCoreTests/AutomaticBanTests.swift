import Operations
import Rules
import Testing

@testable import ServerCore

struct AutomaticBanTests {
    @Test func anAutomaticBanIsListed_endsNoConnection_andTheOperatorLiftsIt() throws {
        var configuration = ShardConfiguration(tables: [.init(name: "main", rules: HouseRules())])
        configuration.addresses.connecting = .perSecond(1, burst: 10)
        let server = VirtualServer(configuration)
        let home = try #require(IPAddress("192.0.2.1"))
        server.address = home
        server.connect(1)
        server.receive(#"{"type":"login","name":"ann"}"#, from: 1)
        for connection in ConnectionID(2)...400 { server.connect(connection) }
        _ = server.take()
        let directory = server.shard.directory
        let block = try #require(AddressBlock("192.0.2.1/32"))
        let (entries, others) = directory.bans(at: server.now, limit: 9)
        #expect(entries.map(\.source) == [.automatic] && entries.first?.block == block && others == 0)
        #expect(!directory.isBanned(home, at: server.now) && server.shard.sessions[1]?.closeReason == nil)
        server.connect(401)
        #expect(server.take(401).last?.contains("banned") == true)
        #expect(directory.unban(block, at: server.now) == Unbanning(lifted: [.automatic], left: nil))
        server.advance(1_000)
        server.connect(402)
        #expect(server.take(402).first?.contains("hello") == true)
    }
}
