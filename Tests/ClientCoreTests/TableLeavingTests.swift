import TableModel
import Testing
import Wire

@testable import ClientCore

/// A player who is removed from a table: the session goes on without one.
struct TableLeavingTests {
    private let kicked = ServerMessage.bye(code: GoodbyeCode.kicked.rawValue, message: "The host has kicked you.")

    /// A session whose player sits at `main` and has chosen that seat.
    private func seated(_ change: (inout SessionOptions) -> Void) -> Talk {
        var talk = Talk(change)
        let sit = talk.submit(.sit(table: "main", seat: 1, pass: "sesame"))
        talk.take(.ok(id: .number(sit), .sit(table: "main", seat: 1, CatchUp(epoch: "e", revision: 1))), at: 0)
        talk.take(.snapshot(table: "main", epoch: "e", revision: 1, .init(), chat: 0), at: 0)
        return talk
    }

    /// - Returns: the requests after the login on the next connection.
    private func reconnect(_ talk: inout Talk) -> [ClientMessage] {
        talk.sent = []
        talk.reconnect(at: 60_000)
        #expect(talk.connects == 2)
        return talk.sent.dropFirst().compactMap { try? $0.message.get() }
    }

    @Test func aKick_endsTheSession_ofAProgram() {
        var talk = seated { $0.initialPlacement = .nothing }
        talk.take(kicked, at: 0)
        #expect(talk.closes == 1 && talk.session.state.link == .ended("The host has kicked you."))
    }

    @Test func aKick_leadsAPersonBack_withoutATable() {
        var talk = seated { ($0.initialPlacement, $0.returnsAfterKick) = (.sit(table: nil, seat: nil), true) }
        let bet = talk.submit(.bet(amount: 10, seat: nil, round: 0))
        talk.take(kicked, at: 0)
        let status = talk.session.state
        #expect(status.position == nil && status.link == .lost(.dismissed) && status.isDismissed)
        #expect(
            talk.events.contains(.goodbye(code: GoodbyeCode.kicked.rawValue, message: "The host has kicked you."))
                && talk.code(bet) != nil)
        #expect(reconnect(&talk).isEmpty, "neither the seat nor the bet is asked for again")
        #expect(talk.session.state.isDismissed, "the way back")
        talk.note(talk.session.connectionLost(.connection("reset"), at: 9))
        #expect(!talk.session.state.isDismissed, "this loss has another cause")
    }

    @Test func aTableThatIsForgotten_isNotAskedForAgain() {
        var talk = seated { $0.initialPlacement = .sit(table: nil, seat: nil) }
        #expect(talk.session.state.snapshot != nil)
        talk.note(talk.session.forgetTable(at: 0))
        #expect(talk.events.contains(.leftTable) && talk.session.state.snapshot == nil && talk.session.state.table == nil)
        #expect(reconnect(&talk).isEmpty)
    }

    @Test func aPassPhrase_thatTookASeat_takesItAgain() {
        var talk = seated { $0.initialPlacement = .nothing }
        let expected: [ClientMessage] = [
            .watch(table: "main", pass: "sesame", known: KnownTable(epoch: "e", revision: 1, chat: 0)),
            .sit(table: "main", seat: nil, pass: "sesame"),
        ]
        #expect(reconnect(&talk) == expected)
    }
}
