import TableModel
import Testing
import Wire

@testable import ClientCore

/// A player who is removed from a table: the session goes on without one.
struct TableLeavingTests {
    private let kicked = ServerMessage.bye(code: GoodbyeCode.kicked.rawValue, message: "The host has sent you away.")
    private let hello = ServerMessage.hello(Hello(server: "s", time: 5_000, idleSeconds: 60))

    /// A session whose player sits at `main` and has chosen that seat.
    private func seated(_ change: (inout SessionOptions) -> Void) -> ClientMachine {
        var options = SessionOptions(name: "ann")
        change(&options)
        var session = ClientMachine(options: options)
        _ = session.start(at: 0)
        _ = logIn(&session)
        for request in requests(session.submit(.sit(table: "main", seat: 1, pass: "sesame"), at: 0).actions) {
            _ = session.receive(.ok(id: request.id, .sit(table: "main", seat: 1, at: TableRevision(1))), at: 0)
        }
        _ = session.receive(.snapshot(table: "main", epoch: "e", revision: 1, .init(), chat: 0), at: 0)
        return session
    }

    /// - Returns: the requests after the login.
    private func logIn(_ session: inout ClientMachine) -> [Request] {
        let login = requests(session.receive(hello, at: 0))
        return requests(session.receive(.ok(id: login.last?.id, .login(LoginReply(name: "ann", chips: 5))), at: 0))
    }

    private func requests(_ actions: [ClientAction]) -> [Request] {
        actions.compactMap { if case .send(let request) = $0 { request } else { nil } }
    }

    /// - Returns: the requests after the login on the next connection.
    private func reconnect(_ session: inout ClientMachine) -> [Request] {
        _ = session.connectionLost(.connection("closed"), at: 0)
        #expect(session.tick(at: 60_000).contains(.connect))
        return logIn(&session)
    }

    @Test func aKick_endsTheSession_ofAProgram() {
        var session = seated { $0.wish = .nothing }
        #expect(session.receive(kicked, at: 0).contains(.close))
        #expect(session.status.link == .ended("The host has sent you away."))
    }

    @Test func aKick_leadsAPersonBack_withoutATable() {
        var session = seated { ($0.wish, $0.returnsAfterKick) = (.sit(table: nil, seat: nil), true) }
        let bet = session.submit(.bet(amount: 10, seat: nil, round: 0), at: 0).id
        let actions = session.receive(kicked, at: 0)
        #expect(session.status.position == nil && session.status.link == .lost(.dismissed) && session.status.isDismissed)
        #expect(
            actions.contains(.publish(.goodbye(code: GoodbyeCode.kicked.rawValue, message: "The host has sent you away.")))
                && actions.last != .close)
        #expect(actions.contains { if case .answer(bet, .failure) = $0 { true } else { false } })
        #expect(reconnect(&session).isEmpty, "neither the seat nor the bet is asked for again")
        #expect(session.status.isDismissed, "the way back")
        _ = session.connectionLost(.connection("reset"), at: 9)
        #expect(!session.status.isDismissed, "this loss has another cause")
    }

    @Test func aTableThatIsForgotten_isNotAskedForAgain() {
        var session = seated { _ in }
        #expect(session.state.snapshot != nil)
        #expect(session.forgetTable(at: 0).contains(.publish(.leftTable)))
        #expect(session.state.snapshot == nil && session.state.table == nil)
        #expect(reconnect(&session).isEmpty)
    }

    @Test func aPassPhrase_thatTookASeat_takesItAgain() {
        var session = seated { $0.wish = .nothing }
        let messages = reconnect(&session).compactMap { try? $0.message.get() }
        #expect(
            messages == [
                .resume(table: "main", epoch: "e", revision: 1, chat: 0, pass: "sesame"),
                .sit(table: "main", seat: nil, pass: "sesame"),
            ])
    }
}
