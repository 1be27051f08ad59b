import ClientCore
import Rules
import TableModel
import Testing
import Wire

@testable import TerminalUI

/// Sentences about missed results, and about the host's actions.
struct MissedTests {
    private let missed = CatchUp(
        epoch: "e", revision: 9,
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
            told(.reply(nil, .watch(table: "main", missed))) == [
                "While you were away: round 12: win +20, bust −10, insurance −5; you had 1005 chips then.",
                "While you were away, bob: where is ann?",
            ])
    }

    /// Changes without their facts are not guessed at: what is said is what the table shows.
    @Test func aGapIsNoNarration_butWhatIsAskedNow() throws {
        var scene = try Scene(cards: "9H 8S KD 7D 9C 5C 3S TH 4H QS")
        let before = scene.snapshot
        try scene.bet(2, 20)
        try scene.bet(1, 10)
        func told(_ news: TableNews) -> [String] {
            let change = TableChange(
                table: "main", revision: 9, from: before, by: before.difference(to: scene.snapshot), to: scene.snapshot,
                news: news)
            return Narrator(me: "ann", wording: Wording(suits: .words)).sentences(for: change, now: nil).map(\.text.text)
        }
        let asked = [
            "Your hand: 9 of hearts, 7 of diamonds: 16. The dealer shows king of diamonds.",
            "Your turn: hit, stand, double 10.",
        ]
        #expect(told(.missed) == ["Changes were missed: this is the table now."] + asked)
        // A server that does not tell facts.
        #expect(told(.none) == asked)
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
        #expect(told(.notice(stalled)) == ["The server waits for its disk: the game is paused, and no clock runs."])
        #expect(told(.notice(HostNotice("praised", name: "bob", time: 0))).isEmpty)
    }

    @Test func whyATableCloses_isTold_withTheTimeThatIsLeft() {
        let wording = Wording(suits: .words)
        #expect(wording.closing(ClosingNotice(), now: 0).text == "This table closes after the round.")
        let server = ClosingNotice(.server, deadline: 61_000, reason: "Back at noon.")
        #expect(
            wording.closing(server, now: 1000).text
                == "The server stops after this round, in 60 seconds at the latest: Back at noon.")
    }
}

struct MuteTests {
    private func heard(_ name: String, _ muted: MuteList) -> [String] {
        told(.chat(ChatLine(sequence: 1, name: name, text: "hello", time: 0)), muted: muted)
    }

    @Test func whatAMutedPlayerSays_isNotShown_untilUnmuted() {
        var muted = MuteList()
        #expect(heard("Bob", muted) == ["Bob: hello"])
        #expect(muted.mute("bob") == "bob is muted: their chat is not shown.")
        #expect(heard("Bob", muted).isEmpty && heard("B0b", muted).isEmpty, "however it is spelled, and what looks like it")
        #expect(heard("ann", muted) == ["ann: hello"])
        #expect(muted.unmute("BOB") == "BOB is no longer muted.")
        #expect(heard("Bob", muted) == ["Bob: hello"])
    }

    @Test func whoIsNotMuted_cannotBeUnmuted() {
        var muted = MuteList()
        #expect(muted.unmute("bob") == "bob is not muted.")
    }

    @Test func onTheScreen_aSlashMutes_andIsNeverSaid() throws {
        var scene = try Scene(cards: "9H 8S KD 7D 9C 5C")
        func type(_ text: String) -> Intent? {
            _ = scene.press(.character("t"))
            for scalar in text.unicodeScalars { _ = scene.press(.character(scalar)) }
            return scene.press(.enter)
        }
        #expect(type("/mute bob") == .perform(.mute("bob")) && scene.view.draft == nil)
        #expect(type("/unmute bob") == .perform(.unmute("bob")))
        #expect(type("/mtue bob") == .refuse("Unknown command '/mtue'. '/help' lists the commands."))
        #expect(scene.view.draft == "/", "the next word is not appended to it")
        #expect(scene.press(.escape) == .hush)
    }
}
