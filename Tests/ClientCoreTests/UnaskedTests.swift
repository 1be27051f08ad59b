import Rules
import TableModel
import Testing
import Wire

@testable import ClientCore

/// Tables and answers that nobody asked for: a server could drop a shoe with them in the middle.
struct UnaskedTests {
    private func table(_ name: String) -> ServerMessage {
        .snapshot(table: name, epoch: "e", revision: 9, TableSnapshot(), chat: 0)
    }

    private let leave = Reply.applied("leave", at: 9)

    @Test func aTableThatNobodyAskedFor_endsTheConnection_inWords() {
        var talk = Talk()
        talk.showTable()
        talk.take(table("main"), at: 0)
        #expect(talk.session.state.link == .loggedIn)
        talk.take(table("high"), at: 0)
        #expect(
            talk.session.state.link == .lost(.breach("the server sent table \"high\" without a request"))
                && talk.position?.table == "main"
        )
        #expect(!talk.events.contains { if case .table(let change) = $0 { change.table == "high" } else { false } })
        #expect(LinkFailure.breach("the server sent a second hello").description == "the server sent a second hello")
    }

    /// Unknown items and rules have to be kept, since they are in the check value.
    @Test(
        arguments: [(250, 6, 9, true), (251, 6, 9, false), (1, 1, 32 << 10, true), (1, 1, 32 << 10 | 1, false)], [false, true])
    func aTableThatGrowsByWhatIsUnknown_endsTheConnection(
        _ limit: (items: Int, rules: Int, bytes: Int, isTaken: Bool), _ comesWhole: Bool
    ) throws {
        let content = String(repeating: "7", count: limit.bytes)
        let rules = (0..<limit.rules).map { TableRules.Other(key: "k\($0)", value: content) }
        let entries =
            try (0..<limit.items).map { try TableEntry.other(#require(OtherName(Array("zz\($0)".utf8))), content) }
            + [.rules(TableRules(HouseRules(), digest: "", others: rules))]
        var talk = Talk()
        talk.showTable()
        talk.take(
            comesWhole
                ? .snapshot(table: "main", epoch: "e", revision: 4, TableSnapshot(entries))
                : .diff(from: 3, to: 4, check: nil, TableDifference(entries: entries)), at: 0)
        #expect(
            talk.session.state.link
                == (limit.isTaken ? .loggedIn : .lost(.breach("the server's table has too many unknown items"))))
        #expect(talk.position?.revision == (limit.isTaken ? 4 : 3))
        #expect((talk.session.state.snapshot?.entries.isEmpty == true) != limit.isTaken)
    }

    @Test func aTableThatWasAskedFor_isFollowed_underTheNameThatTheServerGives() {
        for (request, reply) in [
            (ClientMessage.watch(table: "HIGH"), Reply.watch(table: "high", CatchUp(epoch: "e", revision: 9))),
            (.watch(table: nil), .watch(table: "high", CatchUp(epoch: "e", revision: 9))),
            (.sit(table: "high", seat: nil), .sit(table: "high", seat: 1, CatchUp(epoch: "e", revision: 9))),
        ] {
            var talk = Talk()
            talk.showTable()
            talk.take(.ok(id: .number(talk.submit(request)), reply), at: 0)
            talk.take(table("high"), at: 0)
            #expect(talk.position?.table == "high")
            talk.take(table("main"), at: 0)
            #expect(talk.session.state.link == .lost(.breach("the server sent table \"main\" without a request")))
        }
    }

    @Test func anAnswerAboutAnotherTable_allowsNone() {
        for id in [RequestID.text("z"), nil] {
            var talk = Talk()
            talk.showTable()
            let watch = talk.submit(.watch(table: "low"))
            talk.take(.ok(id: id ?? .number(watch), .watch(table: "high", CatchUp(epoch: "e", revision: 9))), at: 0)
            talk.take(table("high"), at: 0)
            #expect(talk.session.state.link == .lost(.breach("the server sent table \"high\" without a request")))
        }
    }

    /// A later request replaced it, or the table was forgotten: the server answers it all the same.
    @Test func anAnswerToARequestThatWasGivenUp_isNoFault() {
        var talk = Talk()
        talk.showTable()
        let id = talk.submit(.leave)
        talk.note(talk.session.forgetTable(at: 0))
        talk.take(.ok(id: .number(id), leave), at: 0)
        #expect(talk.session.state.link == .loggedIn)
    }

    @Test func aLeaveThatNobodySent_endsTheConnection_andIsNotBelieved() {
        for isOther in [false, true] {
            var talk = Talk()
            talk.showTable()
            let id: RequestID? = isOther ? .number(talk.submit(.ping)) : nil
            talk.take(.ok(id: id, leave), at: 0)
            #expect(
                talk.session.state.link == .lost(.breach("the server confirmed a leave that was not requested"))
                    && talk.position?.table == "main")
            #expect(!talk.events.contains(.reply(id, leave)))
        }
        var talk = Talk()
        talk.showTable()
        talk.take(.ok(id: .number(talk.submit(.leave)), leave), at: 0)
        #expect(talk.session.state.link == .loggedIn && talk.position == nil)
    }

    @Test func aMoveOfThePlayersOwn_isKnown_untilItIsAnswered_alsoOverALostConnection() {
        var talk = Talk({ $0.initialPlacement = .sit(table: nil, seat: nil) })
        #expect(!talk.session.state.isMoving)
        talk.showTable()
        let id = talk.submit(.leave)
        #expect(talk.session.state.isMoving)
        talk.reconnect(login: false, at: 60_000)
        #expect(talk.session.state.isMoving)
        talk.acceptLogin(at: 60_000)
        #expect(talk.session.state.isMoving)
        talk.take(.ok(id: .number(id), leave), at: 60_000)
        #expect(!talk.session.state.isMoving)
    }

    /// A second house within one connection would be asked for, and given, the secret that is kept for it.
    @Test func aSecondHello_endsTheConnection_andNoSecretIsLookedFor() {
        var talk = Talk({ $0.credential = .kept }, login: false)
        talk.note(talk.session.secretFound(annsSecret, for: "ann", at: 0))
        talk.acceptLogin(at: 0)
        let asked = talk.found
        talk.greet(house: "00000000000000bb", at: 0)
        #expect(
            talk.session.state.link == .lost(.breach("the server sent a second hello")) && talk.found == asked
                && talk.made.isEmpty)
        talk.note(talk.session.tick(at: 60_000))
        talk.greet(at: 60_000)
        #expect(talk.session.state.link == .connected, "the first line of the next connection")
    }

    /// The next login would send the secret of the name in the reply.
    @Test func aLoginUnderAnotherName_endsTheConnection_andIsNotRemembered() {
        for name in ["bob", "an", "house 1"] {
            var talk = Talk(login: false)
            talk.note(talk.session.logIn(as: "ann", at: 0))
            talk.acceptLogin(as: name, at: 0)
            #expect(
                talk.session.state.link == .lost(.breach("the server logged you in as \"\(name)\" without a request"))
                    && talk.session.state.login == nil)
            talk.note(talk.session.tick(at: 60_000))
            talk.greet(at: 60_000)
            #expect((try? talk.sent.last?.message.get())?.isLogin(of: "ann") == true)
        }
        for spelling in ["ANN", "Ann"] {
            var talk = Talk(login: false)
            talk.note(talk.session.logIn(as: "ann", at: 0))
            talk.acceptLogin(as: spelling, at: 0)
            #expect(talk.session.state.link == .loggedIn && talk.session.state.login?.name == spelling)
        }
        var talk = Talk()
        talk.take(.ok(id: nil, .login(LoginReply(name: "ann", chips: 5))), at: 0)
        #expect(
            talk.session.state.link == .lost(.breach("the server logged you in as \"ann\" without a request")), "nobody asked")
    }
}
