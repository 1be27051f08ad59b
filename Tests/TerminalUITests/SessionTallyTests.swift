import ClientCore
import Rules
import TableModel
import Testing
import Wire

@testable import TableEngine
@testable import TerminalUI

/// The sum of a session, and the decisions that the server made in it.
struct SessionTallyTests {
    private func change(_ scene: inout Scene, _ step: (inout Scene) throws -> Void) rethrows -> TableChange {
        let old = scene.snapshot
        try step(&scene)
        return TableChange(table: "main", revision: 2, old: old, new: scene.snapshot)
    }

    @Test func handsAreCounted_withTheirChips() throws {
        // 20 against 17; 16 against 18; 10 and 10 against 20.
        var scene = try Scene(chips: [1: 1000], cards: "TS TD TH 7C TC TD 6S 8H KS KD QS QD")
        var tally = SessionTally()
        #expect(tally.summary == nil)
        for bet in [25, 10, 10] {
            tally.take(try change(&scene) { try $0.bet(1, bet) }, me: "ann")
            while scene.snapshot.choice(1) != nil { tally.take(try change(&scene) { try $0.act(1, .stand) }, me: "ann") }
            tally.take(try change(&scene) { try $0.wait() }, me: "ann")
        }
        #expect(
            tally.summary == "You played 3 hands: 1 won, 1 lost, 1 push. Biggest win 25, net +15.",
            "\(scene.transcript)")
        #expect(tally.net == scene.view.player.map { $0.chips - 1000 })
    }

    @Test func insurance_belongsToTheSum() throws {
        var scene = try Scene(chips: [1: 1000], cards: "TS AD 6H KC")
        var tally = SessionTally()
        tally.take(try change(&scene) { try $0.bet(1, 20) }, me: "ann")
        tally.take(try change(&scene) { try $0.act(1, .insurance) }, me: "ann")
        #expect(tally.hands == 1 && tally.net == 0 && tally.lost == 1, "\(scene.transcript)")
        #expect(scene.view.player?.chips == 1000)
    }

    @Test func aTimeOut_isToldApartFromAnAnswer() throws {
        var scene = try Scene(chips: [1: 1000], cards: "TS TD 6H 7C 9S TC 8D")
        try scene.bet(1, 10)
        var late = scene
        try late.wait()
        let missed = try #require(late.change)
        #expect(missed.told(of: "ann") == [.timedOut, .stood, .settled] && missed.told(of: "bob").isEmpty)
        #expect(late.told.map(\.text).starts(with: ["Your time is up.", "You stand on 16."]))
        try scene.act(1, .stand)
        #expect(try #require(scene.change).told(of: "ann") == [.stood, .settled])
        #expect(!scene.told.contains { $0.text.text.contains("time is up") })
    }

    @Test func aSeatThatTheServerHasSitOut_isExplained_withTheKeyThatEndsIt() throws {
        let reason = "Your time ran out, so you sit out: your seat is kept for a while, and"
        for isAsked in [false, true] {
            var scene = try Scene(chips: [1: 1000], cards: "TS")
            if isAsked { try scene.step("ann sits out", .sitOut(player: PlayerID(1))) } else { try scene.wait(3_600_000) }
            let change = try #require(scene.change)
            #expect(change.news == .facts([.player("ann", isAsked ? .satOut : .idled)]))
            let told = [Wording(suits: .words), Wording(suits: .symbols)].map { wording in
                Narrator(me: "ann", wording: wording).sentences(for: change, now: nil).map(\.text.text)
            }
            #expect(told[0].contains(isAsked ? "You sit out." : "\(reason) 'in' deals you back in."), "\(told)")
            #expect(told[1].contains(isAsked ? "You sit out." : "\(reason) o deals you back in."), "\(told)")
            scene.edit { $0.isIdled = !isAsked }
            for (columns, rows) in [(40, 12), (80, 24)] {
                let text = scene.frame(columns, rows).text
                #expect(text.contains("ime ran out") != isAsked && text.contains("o play again"), "\(text)")
            }
        }
    }

    @Test func anUnansweredOffer_isNoNo() throws {
        var scene = try Scene(chips: [1: 1000], cards: "TS AD 6H 7C")
        try scene.bet(1, 20)
        try scene.wait()
        #expect(scene.told.map(\.text).starts(with: ["Your time is up.", "You decline insurance."]), "\(scene.told)")
    }

    @Test func ownChat_isNotUnread() {
        var log = MessageLog()
        log.append(Sentence(.ownChat, "ann: hello"))
        #expect(log.unreadChat(below: 0) == 0)
        log.append(Sentence(.chat, "bob: hello"))
        #expect(log.unreadChat(below: 0) == 1)
    }

    @Test func theClock_isABar_andTheShoe_aGaugeWithItsCutCard() throws {
        #expect(Gauge.bar(1, of: 15, width: 10, .plain).text == "━─────────")
        #expect(
            Gauge.bar(15, of: 15, width: 10, .plain).text == "━━━━━━━━━━" && Gauge.bar(0, of: 15, width: 3, .plain).text == "───")
        #expect(Gauge.bar(99, of: 0, width: 3, .plain).text == "───")
        let shoe = ShoeStatus(number: 1, decks: 1, behindCutCard: 13)
        #expect(
            Gauge.shoe(shoe, left: 52, width: 8).text == "━━━━━━┃━" && Gauge.shoe(shoe, left: 26, width: 8).text == "────━━┃━")
        #expect(Gauge.shoe(shoe, left: 0, width: 8).text == "──────┃━")
        var scene = try Scene(cards: "TS 5S TD 6H 7C 9S TC 8D")
        for seat in [1, 2] { try scene.bet(seat, 10) }
        let lines = scene.frame(80, 24).text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        #expect(lines.contains { $0.contains(" against 10.  ━━━━━━━━━━ 15 s") }, "\(lines)")
        #expect(lines[23].hasSuffix("Shoe ━━━━━━━┃━━ 306 left"), "\(lines[23])")
        try scene.act(1, .stand)
        let others = scene.frame(80, 24).text
        #expect(others.contains("It is bob's turn.  ━━━━━━━━━━ 15 s"), "\(others)")
        let narrow = scene.frame(40, 12)
        #expect(narrow.lines.allSatisfy { $0.columns <= 40 } && narrow.text.contains("━━━━━ 15 s"))
    }
}
