import Foundation
import Sockets
import TableEngine
import TestKit
import Testing
import Wire

@testable import ServerCore

struct AwayPlayersTests {
    @Test func aNetworkOfIPv6IsOne_howeverManyOfItsAddressesAreUsed() throws {
        var away = AwayPlayers()
        for id in 1...2 { away.insert(PlayerID(UInt32(id)), from: IPAddress("192.0.2.1"), isSeated: false) }
        let networks = try (3...40).map { try #require(IPAddress("2001:db8:0:\($0)::1")) }
        for (id, network) in zip(3..., networks) { away.insert(PlayerID(UInt32(id)), from: network, isSeated: false) }
        #expect(away.first == PlayerID(3))
        // 38 of one /56, where an address has 5, and a network 20 or a quarter of all.
        #expect(away.surplus(from: networks[9], limit: 5, total: 1_000) == PlayerID(3))
        #expect(away.surplus(from: networks[9], limit: 10, total: 1_000) == nil)
        #expect(away.surplus(from: networks[9], limit: 10, total: 100) == PlayerID(3))
    }

    /// A list that looks at everybody each time.
    @Test func whoeverComesAndGoes_itIsWhatALongSearchFinds() throws {
        var random = SeededGenerator()
        var away = AwayPlayers()
        var list: [(id: Int, address: Int, isSeated: Bool)] = []
        let addresses = try (0..<5).map { try #require(IPAddress("2001:db8:\($0)::1")) }
        for step in 0..<6_000 {
            let id = Int.random(in: 0..<40, using: &random)
            switch Int.random(in: 0..<4, using: &random) {
            case 0:
                away.remove(PlayerID(UInt32(id)))
                list.removeAll { $0.id == id }
            case 1:
                away.leaveSeat(PlayerID(UInt32(id)))
                if let index = list.firstIndex(where: { $0.id == id && $0.isSeated }) {
                    list.append((id, list.remove(at: index).address, false))
                }
            default:
                let (address, isSeated) = (Int.random(in: 0..<5, using: &random), Bool.random(using: &random))
                away.insert(PlayerID(UInt32(id)), from: addresses[address], isSeated: isSeated)
                list.removeAll { $0.id == id }
                list.append((id, address, isSeated))
            }
            let hint: Comment = "step \(step), BJ_SEED=\(Seed.value)"
            #expect(away.count == list.count, hint)
            let idle = Dictionary(grouping: list.filter { !$0.isSeated }, by: \.address)
            let most = idle.values.map(\.count).max() ?? 0
            let firsts = idle.values.filter { $0.count == most }.map { PlayerID(UInt32($0[0].id)) }
            #expect(away.first.map { firsts.contains($0) } ?? firsts.isEmpty, hint)
            for address in 0..<5 {
                let group = list.filter { $0.address == address }
                let first = group.first { !$0.isSeated } ?? group.first
                let surplus = away.surplus(from: addresses[address], limit: max(0, group.count - 1), total: 0)
                #expect(surplus == first.map { PlayerID(UInt32($0.id)) }, hint)
                #expect(away.surplus(from: addresses[address], limit: group.count, total: 0) == nil, hint)
            }
        }
    }
}
