import ClientCore
import Rules
import TableModel
import Testing
import Wire

@testable import TerminalUI

/// Sentences about missed results, and about the host's actions.
struct MissedTests {
    private func told(_ event: ClientEvent) -> [String] {
        let state = ClientState()
        return LinkNarrator(wording: Wording(suits: .words)).sentences(
            from: state, to: ClientUpdate(state: state, event: event)
        ).map(
            \.text.text)
    }

    private let missed = Missed(
        results: [
            RoundResult(
                round: 12, seat: 3,
                hands: [
                    .init(bet: 20, result: HandResult(outcome: .win, net: 20)),
                    .init(bet: 10, result: HandResult(outcome: .bust, net: -10)),
                ], insurance: .init(bet: 5, net: -5), chips: 1005)
        ], chat: [ChatLine(sequence: 4, name: "bob", text: "where is ann?", time: 0)])

    @Test func whatBecameOfTheBets_andWhatWasSaid_isTold() {
        #expect(
            told(.reply(nil, .resume(table: "main", with: .snapshot, missed))) == [
                "While you were away: round 12: win +20, bust -10, insurance -5; you had 1005 chips then.",
                "While you were away, bob: where is ann?",
            ])
        // Where each diff comes, the table itself tells the results.
        #expect(told(.reply(nil, .resume(table: "main", with: .diffs, missed))) == ["While you were away, bob: where is ann?"])
    }

    @Test func whomTheHostSendsHome_isTold_andWhatIsNotKnownIsNot() {
        #expect(
            told(.notice(HostNotice(HostNotice.kicked, name: "bob", reason: "Twice at two tables.", time: 0))) == [
                "The host sent bob away: Twice at two tables."
            ])
        #expect(told(.notice(HostNotice(HostNotice.kicked, name: "bob", time: 0))) == ["The host sent bob away."])
        // No player can speak so: a name has no brackets.
        let words = HostNotice(HostNotice.said, name: HostNotice.host, reason: "Last\u{1B}[2J rounds\u{202E} at ten.", time: 0)
        #expect(told(.notice(words)) == ["[The host] Last?[2J rounds? at ten."])
        #expect((try? PlayerName("[The host]")) == nil)
        let stalled = HostNotice(HostNotice.stalled, name: HostNotice.host, time: 0)
        #expect(told(.notice(stalled)) == ["The server waits for its disk: the game stands still, and no time is lost."])
        #expect(told(.notice(HostNotice("praised", name: "bob", time: 0))).isEmpty)
    }

    @Test func whyATableCloses_isTold_withTheTimeThatIsLeft() {
        let wording = Wording(suits: .words)
        #expect(wording.closing(ClosingNotice(), now: 0).text == "This table closes after the round.")
        let server = ClosingNotice(.server, deadline: 61_000, reason: "Back at noon.")
        #expect(
            wording.closing(server, now: 1000).text
                == "The server stops after the rounds, in 60 seconds at the latest: Back at noon.")
    }
}
