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

struct BanListTests {
    @Test func aBlockIsBannedIfOneAroundItIs_whateverIsBannedAndLifted() {
        var draws = SeededGenerator()
        for _ in 0..<60 {
            var bans = BanList(configured: [randomBlock(&draws)])
            var model: [AddressBlock: Int64] = [:]
            var seen: [AddressBlock] = []
            for step in Int64(1)..<100 {
                let isOld = Int.random(in: 0..<3, using: &draws) == 0
                let block = isOld ? seen.randomElement(using: &draws) ?? randomBlock(&draws) : randomBlock(&draws)
                seen.append(block)
                if Bool.random(using: &draws) {
                    #expect(bans.ban(block, until: 100 + step, at: step) && bans.entry(for: block, at: step) != nil)
                    model[block] = 100 + step
                } else {
                    #expect(bans.unban(block, at: step)?.until == model.removeValue(forKey: block), "seed \(Seed.value)")
                }
                let address = seen.randomElement(using: &draws)?.base ?? block.base
                let isBanned = (bans.configured.union(model.keys)).contains { $0.contains(address) }
                #expect(bans.bans(address, at: step) == isBanned, "seed \(Seed.value)")
            }
            let listed = bans.list(at: 0).map(\.block)
            #expect(listed == model.keys.sorted() + bans.configured, "seed \(Seed.value)")
        }
    }

    @Test func aBanHoldsUntilItsMomentAndTheLongestOneIsTold() throws {
        var bans = BanList()
        let result1 = try bans.ban(block("192.0.2.0/24"), until: 1_000, at: 0)
        #expect(result1)
        let result2 = try bans.ban(block("192.0.2.7"), until: nil, at: 0)
        #expect(result2)
        #expect(try bans.bans(ip("192.0.2.1"), at: 999) && !bans.bans(ip("192.0.2.1"), at: 1_000))
        #expect(try bans.entry(for: block("192.0.2.7"), at: 0) == .init(block: block("192.0.2.7"), source: .operator, until: nil))
        #expect(try !bans.bans(ip("198.51.100.1"), at: 0) && bans.entry(for: block("198.51.100.1"), at: 0) == nil)
        #expect(bans.list(at: 1_000).map(\.block.description) == ["192.0.2.7"])
        let result3 = try bans.unban(block("192.0.2.7"), at: 0)
        #expect(result3?.until == nil && result3 != nil)
        let result4 = try bans.unban(block("192.0.2.7"), at: 0)
        #expect(result4 == nil)
        #expect(try !bans.bans(ip("192.0.2.7"), at: 2_000))
    }

    @Test func aBlockIsBannedByEachSourceWithItsOwnEnd() throws {
        var bans = BanList()
        let (block, address) = (try block("192.0.2.0/24"), try ip("192.0.2.1"))
        bans.configured = [block]
        let result5 = bans.ban(block, until: 1_000, at: 0)
        #expect(result5)
        #expect(bans.list(at: 0).map(\.source) == [.operator, .configuration])
        #expect(bans.list(at: 0).map(\.until) == [1_000, nil])
        // A short ban does not end the configuration's.
        #expect(bans.bans(address, at: 5_000) && bans.list(at: 5_000).last?.source == .configuration)
        // Lifting is for what an operator can lift.
        let result7 = bans.unban(block, at: 0)
        #expect(result7?.source == .operator)
        #expect(bans.bans(address, at: 0))
        // Dropping it from the configuration does not lift the operator's.
        let result8 = bans.ban(block, until: nil, at: 0)
        #expect(result8)
        bans.configured = []
        #expect(bans.list(at: 0).map(\.source) == [.operator] && bans.bans(address, at: .max - 1))
    }

    @Test func theOperatorsBanEndsWhenItWasSaidLast() throws {
        var bans = BanList()
        let block = try block("2001:db8::/64")
        let isBanned = bans.ban(block, until: nil, at: 0)
        let isBannedAgain = bans.ban(block, until: 400, at: 0)
        #expect(isBanned && isBannedAgain && bans.list(at: 0).map(\.until) == [400])
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
        #expect(bans.list(at: 10).count == 2)
        let result20 = try bans.unban(block("10.0.0.3"), at: 10)
        #expect(result20?.source == .operator)
        let result21 = try bans.ban(block("10.0.0.5"), until: nil, at: 10)
        #expect(result21)
    }

    @Test func whatKeepsAWholeBlockOutIsAsWideAsItOrWider() throws {
        var bans = BanList()
        let result26 = try bans.ban(block("10.1.0.0/16"), until: nil, at: 0)
        #expect(result26)
        #expect(try bans.entry(for: block("10.1.2.0/24"), at: 0)?.block == block("10.1.0.0/16"))
        #expect(try bans.entry(for: block("10.0.0.0/8"), at: 0) == nil)
    }
}
