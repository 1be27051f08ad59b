import TestKit
import Testing

@testable import ServerCore
@testable import Sockets

private func ip(_ text: String) throws -> IPAddress { try #require(IPAddress(text), "\(text)") }
private func block(_ text: String) throws -> AddressBlock { try #require(AddressBlock(text), "\(text)") }

/// Few bits, so that random blocks often lie in each other.
private func randomBlock(_ draws: inout SeededGenerator) -> AddressBlock {
    let family: IPAddress.Family = Bool.random(using: &draws) ? .v4 : .v6
    let width = family == .v4 ? 32 : 128
    let ends: [Int] = [0, 1, 2, 5, width / 2, width - 3, width - 1, width]
    let bits = (0..<5).reduce(UInt128(0)) { sum, _ in
        Bool.random(using: &draws) ? sum | 1 << UInt128(Int.random(in: 0..<width, using: &draws)) : sum
    }
    let address = IPAddress(family: family, bits: family == .v4 ? bits : bits | 1 << 120)
    guard let prefix = ends.randomElement(using: &draws), let block = AddressBlock(address, prefix: prefix) else {
        preconditionFailure("a prefix is within the width")
    }
    return block
}

struct AddressBlockMapTests {
    @Test func aMapIsWhatADictionaryIs_whateverIsPutInAndTakenOut() {
        var draws = SeededGenerator()
        for _ in 0..<60 {
            var map = AddressBlockMap<Int>()
            var model: [AddressBlock: Int] = [:]
            var seen: [AddressBlock] = []
            for step in 0..<200 {
                let isOld = Int.random(in: 0..<3, using: &draws) == 0
                let block = isOld ? seen.randomElement(using: &draws) ?? randomBlock(&draws) : randomBlock(&draws)
                seen.append(block)
                let value = Bool.random(using: &draws) ? step : nil
                map[block] = value
                model[block] = value
                #expect(map.count == model.count && map[block] == value, "seed \(Seed.value)")
                let address = seen.randomElement(using: &draws)?.base ?? block.base
                var found: [Int] = []
                map.forEachBlock(of: address) { value, _ in found.append(value) }
                let expected = model.filter { $0.key.contains(address) }.sorted { $0.key.prefix < $1.key.prefix }.map(\.value)
                #expect(found == expected, "seed \(Seed.value)")
            }
            var listed: [AddressBlock: Int] = [:]
            var order: [AddressBlock] = []
            map.visit { block, value in
                listed[block] = value
                order.append(block)
                return true
            }
            #expect(listed == model && order.count == model.count, "seed \(Seed.value)")
            for (a, b) in zip(order, order.dropFirst()) where a.base.family == b.base.family {
                #expect((a.base.bits, a.prefix) < (b.base.bits, b.prefix), "seed \(Seed.value)")
            }
            for block in seen { map[block] = nil }
            #expect(map.count == 0)
        }
    }

    @Test func theEndsOfBothFamiliesAreKeptApart() throws {
        let set = AddressBlockSet([try block("0.0.0.0/0"), try block("::1"), try block("255.255.255.255")])
        #expect(try set.block(around: ip("255.255.255.255"))?.description == "0.0.0.0/0")
        #expect(try set.block(around: ip("::1"))?.description == "::1" && set.block(around: ip("::2")) == nil)
        #expect(set.prefix(2).map(\.description) == ["0.0.0.0/0", "255.255.255.255"] && set.prefix(0).isEmpty)
    }

    /// A million with BJ_THOROUGH.
    @Test func manyBlocks_areAsManyAsTheyAre() throws {
        let count = Thorough.count(50_000, most: 1_000_000)
        let blocks = (0..<count).compactMap { index in
            AddressBlock(IPAddress(family: .v4, bits: UInt128(0x0A00_0000 + index * 3)), prefix: 32)
        }
        let set = AddressBlockSet(blocks)
        #expect(set.count == count)
        #expect(blocks.indices.filter { $0 % 997 == 0 }.allSatisfy { set.block(around: blocks[$0].base) == blocks[$0] })
        #expect(try set.block(around: ip("10.0.0.1")) == nil)
    }
}

struct BanListTests {
    @Test func aBanHoldsUntilItsMomentAndTheLongestOneIsTold() throws {
        var bans = BanList()
        let result1 = try bans.ban(block("192.0.2.0/24"), until: 1_000, at: 0)
        #expect(result1)
        let result2 = try bans.ban(block("192.0.2.7"), until: nil, at: 0)
        #expect(result2)
        #expect(try bans.bans(ip("192.0.2.1"), at: 999) && !bans.bans(ip("192.0.2.1"), at: 1_000))
        #expect(try bans.entry(for: ip("192.0.2.7"), at: 0) == .init(block: block("192.0.2.7"), source: .operator, until: nil))
        #expect(try !bans.bans(ip("198.51.100.1"), at: 0) && bans.entry(for: ip("198.51.100.1"), at: 0) == nil)
        #expect(bans.list(at: 1_000, limit: 9).entries.map(\.block.description) == ["192.0.2.7"])
        let result3 = try bans.unban(block("192.0.2.7"), at: 0)
        #expect(result3?.until == nil && result3 != nil)
        let result4 = try bans.unban(block("192.0.2.7"), at: 0)
        #expect(result4 == nil)
        #expect(try !bans.bans(ip("192.0.2.7"), at: 2_000))
    }

    @Test func aBlockIsBannedByEachSourceWithItsOwnEnd() throws {
        var bans = BanList()
        let (block, address) = (try block("192.0.2.0/24"), try ip("192.0.2.1"))
        _ = bans.configure(AddressBlockSet([block]))
        let result5 = bans.ban(block, until: 1_000, at: 0)
        #expect(result5)
        #expect(bans.list(at: 0, limit: 9).entries.map(\.source) == [.operator, .configuration])
        #expect(bans.list(at: 0, limit: 9).entries.map(\.until) == [1_000, nil])
        // A short ban does not end the configuration's.
        #expect(bans.bans(address, at: 5_000) && bans.entry(for: address, at: 5_000)?.source == .configuration)
        // Lifting is for what an operator can lift.
        let result7 = bans.unban(block, at: 0)
        #expect(result7?.source == .operator)
        #expect(bans.bans(address, at: 0))
        // Dropping it from the configuration does not lift the operator's.
        let result8 = bans.ban(block, until: nil, at: 0)
        #expect(result8)
        let result9 = bans.configure(AddressBlockSet())
        #expect(result9.count == 1)
        #expect(bans.list(at: 0, limit: 9).entries.map(\.source) == [.operator] && bans.bans(address, at: .max - 1))
    }

    @Test func theOperatorsBanEndsWhenItWasSaidLast() throws {
        var bans = BanList()
        let block = try block("2001:db8::/64")
        let isBanned = bans.ban(block, until: nil, at: 0)
        let isBannedAgain = bans.ban(block, until: 400, at: 0)
        #expect(isBanned && isBannedAgain && bans.list(at: 0, limit: 9).entries.map(\.until) == [400])
    }

    @Test func aFullListMakesRoomOfWhatHasEndedAndNoMore() throws {
        var bans = BanList(capacity: 2)
        let result14 = try bans.ban(block("10.0.0.1"), until: 10, at: 0)
        #expect(result14)
        let result15 = try bans.ban(block("10.0.0.2"), until: nil, at: 0)
        #expect(result15)
        let result16 = try bans.ban(block("10.0.0.3"), until: nil, at: 9)
        #expect(!result16)
        let result17 = try bans.ban(block("10.0.0.2"), until: 20, at: 9)
        #expect(result17)
        let result18 = try bans.ban(block("10.0.0.3"), until: nil, at: 10)
        #expect(result18)
        #expect(bans.list(at: 10, limit: 9).entries.count == 2)
        let result20 = try bans.unban(block("10.0.0.3"), at: 10)
        #expect(result20?.source == .operator)
        let result21 = try bans.ban(block("10.0.0.5"), until: nil, at: 10)
        #expect(result21)
    }

    @Test func aListIsBoundedAndTellsHowManyItLeftOut() throws {
        var bans = BanList()
        _ = bans.configure(AddressBlockSet(try ["10.0.0.1", "10.0.0.2", "10.0.0.3"].map(block)))
        let result25 = try bans.ban(block("10.0.0.9"), until: nil, at: 0)
        #expect(result25)
        let (entries, others) = bans.list(at: 0, limit: 2)
        #expect(entries.map(\.block.description) == ["10.0.0.9", "10.0.0.1"] && others == 2)
        #expect(entries.map(\.source) == [.operator, .configuration])
    }

    @Test func whatKeepsAWholeBlockOutIsAsWideAsItOrWider() throws {
        var bans = BanList()
        let result26 = try bans.ban(block("10.1.0.0/16"), until: nil, at: 0)
        #expect(result26)
        #expect(try bans.entry(for: block("10.1.2.0/24"), at: 0)?.block == block("10.1.0.0/16"))
        #expect(try bans.entry(for: block("10.0.0.0/8"), at: 0) == nil)
    }
}
