import Fairness
import TestKit
import Testing

@testable import ServerCore

extension VirtualServer {
    fileprivate func enter(_ name: String, _ connection: ConnectionID, secret digits: String) -> String {
        connect(connection)
        return reply(to: #"{"type":"login","name":"\#(name)","secret":"\#(digits)"}"#, connection)
    }
}

/// The secret that opens an account.
struct SecretTests {
    private let server = VirtualServer.small()

    @Test func anAccountKeepsTheName_whateverAnswersAreLost_alsoAfterACrash() throws {
        for connection in ConnectionID(1)...5 {
            #expect(server.enter("ann", connection).contains(#""name":"ann","chips":1000"#), "login \(connection)")
            server.receive([#"{"type":"sit"}"#, #"{"type":"leave"}"#], from: connection)
            try server.establish("ann")
            server.cut(connection)
        }
        server.advance(121_000)
        #expect(server.shard.accounts.isEmpty && server.shard.dormant.count == 1)
        for server in [server, try VirtualServer(after: server, outage: 1000)] {
            #expect(server.enter("ann", 6, secret: secret(of: "eve").digits).contains("wrong_secret"))
            #expect(server.say(#"{"type":"login","name":"ANN"}"#, 6).contains("name_taken"))
            #expect(server.enter("ann", 7).contains(#""name":"ann","chips":1000"#))
            #expect(server.ledger.bank == -1000 && server.ledger.imbalance == 0)
        }
    }

    @Test func aSecondDeviceIsTheSamePlayer_withSeatAndHand() {
        server.seat("ann", 1)
        server.receive(#"{"type":"bet","amount":10,"round":"now"}"#, from: 1)
        let before = server.shard.shown("main")?.snapshot
        #expect(server.enter("ann", 2).contains(#""chips":0,"table":"main","seats":[1]"#))
        #expect(server.take().contains(.closed(1)) || server.shard.sessions[1]?.isClosing == true)
        server.cut(1)
        #expect(server.shard.shown("main")?.snapshot == before && server.shard.accounts.count == 1)
        #expect(server.enter("ann", 3).contains(#""seats":[1]"#), "and back, as often as they like")
    }

    @Test func theServerKeepsNoSecret_onlyItsDigest() throws {
        server.enter("ann", 1)
        let account = try #require(server.shard.accounts.values.first)
        let digest = try #require(account.state.secret)
        #expect(digest == SHA256.hash(secret(of: "ann").bytes))
        #expect(secret(of: "ann").opens(digest) && !secret(of: "bob").opens(digest))
        #expect("\(secret(of: "ann")) \(String(reflecting: secret(of: "ann")))" == "(secret) (secret)")
    }

    @Test func aWrongSecretIsRefused_forResidentsAndDormantAccounts_andChangesNothing() throws {
        server.seat("ann", 1)
        try server.establish("ann")
        let wrong = secret(of: "eve").digits
        #expect(server.enter("ann", 2, secret: wrong).contains("wrong_secret") && server.shard.sessions[1]?.account != nil)
        server.receive(#"{"type":"logout"}"#, from: 1)
        #expect(server.shard.dormant.count == 1)
        #expect(server.say(#"{"type":"login","name":"ANN","secret":"\#(wrong)"}"#, 2).contains("wrong_secret"))
        #expect(server.say(#"{"type":"login","name":"ANN"}"#, 2).contains("name_taken"))
        #expect(server.shard.dormant.count == 1 && server.logged.count { $0.contains("wrong_secret") } == 2)
        #expect(server.say(login("ann"), 2).contains(#""chips":1000"#))
    }

    @Test func whatIsNoSecret_isSaidToBeNone() {
        for text in ["\"\"", "\"00\"", "7", "\"\(secret(of: "ann").digits.uppercased())\"", "\"\(secret(of: "ann").digits)0\""] {
            server.greet(9)
            let said = server.say(#"{"type":"login","name":"ann","secret":\#(text)}"#, 9)
            #expect(
                said.contains("invalid_field") && said.contains(text == "7" ? "a string" : "64 lower-case hexadecimal digits"))
            server.cut(9)
        }
        #expect(server.shard.names.count == 0)
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

/// Guests have no secret, and nothing outlives their connection.
struct GuestTests {
    private let server = VirtualServer.small()

    private func enter(_ name: String, _ connection: ConnectionID) -> String {
        server.greet(connection)
        return server.say(#"{"type":"login","name":"\#(name)"}"#, connection)
    }

    @Test func aGuestWhoIsGone_leavesNothing_withoutAHand() {
        #expect(enter("ann", 1).contains(#""chips":1000"#))
        server.receive(#"{"type":"sit"}"#, from: 1)
        server.cut(1)
        #expect(server.shard.shown("main")?.snapshot.player(1) == nil && server.shard.accounts.isEmpty)
        #expect(
            server.ledger.imbalance == 0 && server.shard.names.count == 0 && server.shard.dormant.count == 0)
        #expect(server.ledger.bank == 0 && enter("ann", 2).contains(#""chips":1000"#))
    }

    @Test func aGuestsHand_isPlayedByTheTablesRules_andThenTheSeatIsFree() throws {
        #expect(enter("ann", 1).contains("ok"))
        server.receive([#"{"type":"sit"}"#, #"{"type":"bet","amount":10,"round":"now"}"#], from: 1)
        server.cut(1)
        #expect(server.shard.shown("main")?.snapshot.player(1) != nil && server.shard.accounts.count == 1)
        server.greet(2)
        #expect(server.say(#"{"type":"login","name":"ann"}"#, 2).contains("name_taken"))
        #expect(server.say(login("ann"), 2).contains("name_taken"), "a guest's name is nobody's to claim")
        server.advance(20_000)
        #expect(server.facts.contains { if case .settled = $0 { true } else { false } })
        #expect(server.shard.shown("main")?.snapshot.player(1) == nil && server.shard.accounts.isEmpty)
        #expect(server.ledger.imbalance == 0 && server.ledger.accounts == 0)
        #expect(server.say(login("ann"), 2).contains(#""chips":1000"#))
    }
}
