import Conformance
import Operations
import Rules
import TableEngine
import Testing
import Wire

@testable import ServerCore

/// Codes that take a host, a slow reader or a fortune to bring about.
struct RarelySaidTests {
    /// The table has closed while a spectator did not read: for that connection it is still the one that is watched.
    @Test func tableClosed_isSaidToWhoWatchesATableThatHasClosedMeanwhile() throws {
        let house = VirtualHouse.small(tables: ["low", "high"])
        for (connection, name) in [(UInt64(1), "ann"), (2, "bob")] {
            house.connect(connection)
            house.receive(#"{"type":"login","name":"\#(name)"}"#, from: connection)
        }
        house.receive(#"{"type":"watch","table":"low"}"#, from: 1)
        house.congested.insert(1)
        // What comes after this is kept back.
        house.receive(#"{"type":"sit","table":"low"}"#, from: 2)
        let index = try #require(house.casino.house.index(ofTable: "low"))
        house.casino.closeTable(index, at: house.now)
        _ = house.take()
        house.receive(#"{"type":"sit","id":1}"#, from: 1)
        let line = try #require(house.take(1).last)
        #expect(line.contains(#""id":1,"to":"sit","code":"table_closed""#), "\(line)")
    }

    /// No table takes more than 10^12 chips: no sum of whole tables of them overflows.
    @Test func chipsOutOfRange_isSaidToWhoBringsMoreThanATableTakes() throws {
        let house = VirtualHouse.small()
        house.connect(1)
        house.receive(#"{"type":"login","name":"croesus"}"#, from: 1)
        // Won in more games than anybody has played.
        let account = try #require(house.casino.accounts.values.first)
        account.chips += WireLimits.chips
        house.casino.bank -= WireLimits.chips
        house.receive(#"{"type":"sit","id":1}"#, from: 1)
        let line = try #require(house.take(1).last)
        #expect(line.contains(#""id":1,"to":"sit","code":"chips_out_of_range""#), "\(line)")
    }

    @Test func tooManyConnections_isSaidToAnAddressThatHasEnough() throws {
        var configuration = try ConformingHouse.configuration()
        configuration.maximumConnectionsPerAddress = 0
        let house = VirtualHouse(configuration)
        house.address = IPAddress("203.0.113.9")
        let performer = ServerKit.Performer(stage: VirtualStage(house), options: ConformingHouse.options(["crowd"]))
        #expect(try kit.only(["host/too-many-from-one-address"]).map { try performer.perform($0) } == [.passed])
    }

    /// The host does what the transcript asks for: closes the table, sends bob home.
    @Test func theHostsAnnouncements_areMade() throws {
        let house = VirtualHouse(try ConformingHouse.configuration())
        let stage = VirtualStage(house)
        stage.onSaid = { bytes in
            let line = String(decoding: bytes, as: UTF8.self)
            if line.contains("close this table"), let index = house.casino.house.index(ofTable: "main") {
                house.casino.closeTable(index, reason: "The floor is waxed.", at: house.now)
            }
            if line.contains("send the other home") {
                for account in house.casino.accounts.values where account.name.text.hasPrefix("bob") {
                    _ = house.casino.kick(account.id, reason: "Twice at two tables.", at: house.now)
                    break
                }
            }
        }
        let performer = ServerKit.Performer(stage: stage, options: ConformingHouse.options(["closing"]))
        let names = ["host/whoever-is-sent-home*", "host/a-table-that-closes*"]
        #expect(try names.flatMap { kit.only([$0]) }.map { try performer.perform($0) } == [.passed, .passed])
    }
}
