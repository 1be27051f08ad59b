import Fairness
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
}

extension VirtualServer {
    fileprivate func enter(_ name: String, _ connection: ConnectionID, secret digits: String) -> String {
        connect(connection)
        return reply(to: #"{"type":"login","name":"\#(name)","secret":"\#(digits)"}"#, connection)
    }
}

/// The secret that opens an account.
struct SecretTests {
    private let server = VirtualServer.small()

    @Test func theServerKeepsNoSecret_onlyItsDigest() throws {
        server.enter("ann", 1)
        let account = try #require(server.shard.accounts.values.first)
        let digest = try #require(account.state.secret)
        #expect(digest == SHA256.hash(secret(of: "ann").bytes))
        #expect(secret(of: "ann").opens(digest) && !secret(of: "bob").opens(digest))
        #expect("\(secret(of: "ann")) \(String(reflecting: secret(of: "ann")))" == "(secret) (secret)")
    }

    @Test func theHostsSecretOpensItsNames_whateverTheirAccountsSecretWas() throws {
        var server = VirtualServer.plain { $0.hostSecret = secret(of: "the host") }
        let first = secret(of: "the host").digits
        #expect(server.enter("house-1", 1, secret: first).contains(#""chips":1000"#))
        server.receive(#"{"type":"sit"}"#, from: 1)
        try server.establish("house-1")
        server.receive(#"{"type":"logout"}"#, from: 1)
        // The account is old, the host's secret is new.
        server = try VirtualServer(after: server, outage: 0) { $0.hostSecret = secret(of: "the host's next") }
        #expect(server.enter("house-1", 2, secret: secret(of: "eve").digits).contains("wrong_secret"))
        #expect(server.enter("house-1", 3, secret: secret(of: "the host's next").digits).contains(#""chips":1000"#))
        // It opens no other name.
        server.enter("ann", 4)
        #expect(server.enter("ann", 5, secret: secret(of: "the host's next").digits).contains("wrong_secret"))
    }
}
