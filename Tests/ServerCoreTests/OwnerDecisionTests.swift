import Records
import TestKit
import Testing

@testable import ServerCore

/// An owner's decisions, from one start of the server to the next.
struct OwnerDecisionTests {
    private enum Ending: CaseIterable {
        /// `kill -9`.
        case crash
        case stop
    }

    /// ann owns "mine", is there on connection 1, and has set the phrase `hers`. The configuration's is `config`.
    private func server(_ pass: String? = "config") throws -> VirtualServer {
        let server = VirtualServer.plain(["main", "mine"]) {
            $0.tables[1].pass = pass
            $0.hostSecret = secret(of: "host")
            $0.requests = .unreached
        }
        server.expectOwner(of: "mine")
        server.enter("ann", 1, owner: "owner-code-1")
        server.receive(#"{"type":"watch","table":"mine"\#(pass.map { #","pass":"\#($0)""# } ?? "")}"#, from: 1)
        #expect(server.say(#"{"type":"pass","pass":"hers"}"#, 1).contains(#""to":"pass""#))
        return server
    }

    /// The next start of a server that has ended in a way.
    private func next(_ server: VirtualServer, _ ending: Ending, _ pass: String?? = .none) throws -> VirtualServer {
        if ending == .stop { server.stop() }
        return try VirtualServer(after: server, outage: 1000) { configuration in
            if let pass { configuration.tables[1].pass = pass }
        }
    }

    private func phrase(_ server: VirtualServer) throws -> String? {
        let live = try #require(server.shard.hostedTables.first { $0.name == "mine" }).pass
        #expect(try replayed(server.records).tables["mine"]?.pass == live, "the journal has the phrase in force")
        return live
    }

    @Test(arguments: Ending.allCases)
    private func thePhraseHolds_untilTheConfigurationNamesAnother(_ ending: Ending) throws {
        var server = try server()
        for _ in 0..<2 {
            server = try next(server, ending)
            #expect(try phrase(server) == "hers")
            #expect(server.logged.contains { $0.contains("owner_pass_kept") && !$0.contains("hers") })
        }
        server.enter("bob", 2)
        #expect(server.say(#"{"type":"sit","table":"mine","pass":"config"}"#, 2).contains("wrong_pass"))
        #expect(server.say(#"{"type":"sit","table":"mine","pass":"hers"}"#, 2).contains(#""to":"sit""#))
        server = try next(server, ending, "other")
        #expect(try phrase(server) == "other")
        // Overruled for good: the first phrase does not bring the owner's back.
        server = try next(server, ending, "config")
        #expect(try phrase(server) == "config" && server.ledger.imbalance == 0)
    }

    @Test(arguments: Ending.allCases)
    private func aPhraseThatIsTakenAway_orSetWhereThereWasNone_holdsToo(_ ending: Ending) throws {
        let open = try server()
        #expect(open.say(#"{"type":"pass"}"#, 1).contains(#""to":"pass""#))
        #expect(try phrase(next(open, ending)) == nil)
        let locked = try next(server(nil), ending)
        #expect(try phrase(locked) == "hers")
        #expect(try phrase(next(locked, ending, "config")) == "config")
    }

    @Test(arguments: Ending.allCases)
    private func whoIsSentAway_staysSoForTheRestOfTheTime(_ ending: Ending) throws {
        let server = try server()
        server.enter("bob", 2)
        server.receive(#"{"type":"sit","table":"mine","pass":"hers"}"#, from: 2)
        try server.establish("bob")
        server.receive(#"{"type":"kick","player":"bob"}"#, from: 1)
        server.cut(2)
        let next = try next(server, ending)
        next.enter("bob", 2)
        let sit = #"{"type":"sit","table":"mine","pass":"hers"}"#
        let refused = next.say(sit, 2)
        #expect(refused.contains("sent_away") && refused.contains(#""retryAfter":\#(SentAway.milliseconds - 1000)"#))
        next.advance(SentAway.milliseconds - 1000)
        #expect(next.say(sit, 2).contains(#""to":"sit""#))
    }

    @Test func theOwner_needsNoPhrase_toChangeOneThatIsForgotten() throws {
        let server = try next(server(), .stop)
        server.enter("ann", 1)
        #expect(server.say(#"{"type":"watch","table":"mine"}"#, 1).contains(#""to":"watch""#))
        #expect(server.say(#"{"type":"sit","table":"mine","pass":"forgotten"}"#, 1).contains(#""to":"sit""#))
        #expect(server.say(#"{"type":"pass","pass":"new"}"#, 1).contains(#""to":"pass""#))
    }

    @Test func aBotOfTheHouse_needsNoPhrase_andIsSentAwayByTheHostAlone() throws {
        let server = try server()
        server.connect(2)
        server.receive(#"{"type":"login","name":"house-1","secret":"\#(secret(of: "host").digits)","bot":true}"#, from: 2)
        #expect(server.say(#"{"type":"sit","table":"mine"}"#, 2).contains(#""to":"sit""#))
        server.enter("bob", 3)
        #expect(server.say(#"{"type":"sit","table":"mine"}"#, 3).contains("wrong_pass"))
        #expect(server.say(#"{"type":"kick","player":"house-1"}"#, 1).contains("That is a house bot"))
    }
}

/// The last message of a server that ends.
struct GoodbyeTests {
    @Test func aStopInMidHand_saysWhatBecomesOfTheBet() {
        let server = VirtualServer.small(ceremonies: false)
        for (connection, name) in [(1, "ann"), (2, "bob"), (3, "cid")] as [(ConnectionID, String)] {
            server.connect(connection, as: name)
            if connection < 3 { server.receive(#"{"type":"sit"}"#, from: connection) }
        }
        server.receive(#"{"type":"bet","amount":10,"round":"now"}"#, from: 1)
        server.receive(#"{"type":"bet","amount":25,"round":"now"}"#, from: 2)
        _ = server.take()
        server.stop()
        let byes = server.outputs.compactMap { output -> String? in
            guard case .line(let connection, let text) = output, text.contains(#""type":"bye""#) else { return nil }
            return "\(connection) \(text)"
        }
        #expect(
            byes == [
                #"1 {"type":"bye","code":"shutting_down","message":"The server is stopping. Your bets were returned: 10 chips."}"#,
                #"2 {"type":"bye","code":"shutting_down","message":"The server is stopping. Your bets were returned: 25 chips."}"#,
                #"3 {"type":"bye","code":"shutting_down","message":"The server is stopping."}"#,
            ])
        #expect(server.ledger.imbalance == 0 && server.ledger.tables == 0)
    }
}
