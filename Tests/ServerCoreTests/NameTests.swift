import Foundation
import Rules
import TableEngine
import TestKit
import Testing
import Wire

@testable import ServerCore

struct NameTests {
    private let server = VirtualServer.small()
    private var shard: Shard { server.shard }

    @Test func nobodyIsKnownBesideSomebodyWhoLooksLikeHim_whoeverComesAndGoes() throws {
        var random = SeededGenerator()
        var known: [(name: PlayerName, id: PlayerID)] = []
        let alphabets = [
            "iIl1oO0aAn", "\u{456}\u{406}\u{4CF}\u{43E}\u{41E}\u{430}\u{410}\u{43D}",
            "\u{3B9}\u{399}\u{3BF}\u{39F}\u{391}\u{397}",
        ]
        for step in 0..<4_000 {
            if Int.random(in: 0..<3, using: &random) == 0, let gone = known.indices.randomElement(using: &random) {
                let gone = known.remove(at: gone)
                shard.names.remove(gone.id, FoldedName(gone.name))
                continue
            }
            let alphabet = alphabets.randomElement(using: &random) ?? ""
            let text = (0..<Int.random(in: 1...3, using: &random)).compactMap { _ in alphabet.randomElement(using: &random) }
            let name = try PlayerName(String(text))
            let isTaken = known.contains { $0.name.key == name.key || $0.name.skeleton == name.skeleton }
            #expect((shard.player(like: name) == nil) == !isTaken, "step \(step), seed \(Seed.value)")
            let id = try shard.register(name)
            #expect((id == nil) == isTaken, "\(name), step \(step), seed \(Seed.value)")
            if let id { known.append((name, id)) }
        }
        for (name, id) in known { shard.names.remove(id, FoldedName(name)) }
        #expect(shard.names.count == 0)
    }

    @Test func aNameThatSomebodyElseHasByNowIsNotTakenFromThem() throws {
        let name = try PlayerName("ann")
        let first = try #require(try shard.register(name))
        shard.names.remove(first, FoldedName(name))
        let second = try #require(try shard.register(name))
        shard.names.remove(first, FoldedName(name))
        #expect(shard.player(like: name) == second)
    }

    @Test func aLoginByALookAlikeWithTheSecret_isThePlayers_underTheirOwnName() throws {
        let server = VirtualServer.small()
        server.connect(1, as: "Oleg")
        let digits = secret(of: "Oleg").digits
        server.connect(2, asGuest: "0leg")
        #expect(server.take(2).last?.contains("name_taken") == true)
        server.receive("{\"type\":\"login\",\"name\":\"0leg\",\"secret\":\"\(digits)\"}", from: 2)
        #expect(server.take(2).last?.contains(#""name":"Oleg""#) == true && server.shard.accounts.count == 1)
    }
}
