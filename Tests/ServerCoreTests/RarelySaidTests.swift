import Testing
import Wire

@testable import ServerCore

/// Codes that take a fortune to bring about.
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
        #expect(line.contains(#""id":1,"to":"sit","class":"rule","code":"insufficient_chips""#), "\(line)")
    }
}
