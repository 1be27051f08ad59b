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
            tally.take(try change(&scene) { try $0.bet(1, bet) }, me: "ann", at: 0)
            while scene.snapshot.choice(1) != nil { tally.take(try change(&scene) { try $0.act(1, .stand) }, me: "ann", at: 0) }
            tally.take(try change(&scene) { try $0.wait() }, me: "ann", at: 0)
        }
        #expect(
            tally.summary == "You played 3 hands: 1 won, 1 lost, 1 push. Biggest win 25 chips, in all +15 chips.",
            "\(scene.transcript)")
        #expect(tally.net == scene.view.player.map { $0.chips - 1000 })
    }

    @Test func insurance_belongsToTheSum() throws {
        var scene = try Scene(chips: [1: 1000], cards: "TS AD 6H KC")
        var tally = SessionTally()
        tally.take(try change(&scene) { try $0.bet(1, 20) }, me: "ann", at: 0)
        tally.take(try change(&scene) { try $0.act(1, .insurance) }, me: "ann", at: 0)
        #expect(tally.hands == 1 && tally.net == 0 && tally.lost == 1, "\(scene.transcript)")
        #expect(scene.view.player?.chips == 1000)
    }

    @Test func aTimeOut_isToldApartFromAnAnswer() throws {
        var scene = try Scene(chips: [1: 1000], cards: "TS TD 6H 7C 9S TC 8D")
        var turns = OwnTurns()
        try scene.bet(1, 10)
        let turn = try #require(scene.snapshot.choice(1)?.turn)
        var late = scene
        let missed = try change(&late) { try $0.wait() }
        #expect(turns.timeOuts(in: missed, me: "ann") == [.init(seat: 1, action: .stand)])
        let narrator = Narrator(me: "ann", wording: Wording(suits: .words), timeOuts: [1])
        #expect(narrator.sentences(for: missed, now: nil).contains { $0.text == "Your time is up: you stand on 16." })
        let message = ClientMessage.act(.stand, seat: 1, hand: nil, amount: nil, turn: turn)
        turns.sent(message)
        let played = try change(&scene) { try $0.act(1, .stand) }
        #expect(turns.timeOuts(in: played, me: "ann").isEmpty)
        turns.refused(message)
        #expect(turns.timeOuts(in: played, me: "ann").count == 1, "an answer that was refused is none")
        #expect(turns.timeOuts(in: played, me: "bob").isEmpty)
    }

    @Test func aSeatThatTheServerHasSitOut_isExplained_withTheKeyThatEndsIt() throws {
        var scene = try Scene(chips: [1: 1000], cards: "TS")
        let change = try change(&scene) { try $0.step("ann sits out", .sitOut(player: PlayerID(1))) }
        let letters = Wording(suits: .words)
        for isAsked in [false, true] {
            var turns = OwnTurns()
            turns.sent(.sitOut)
            if !isAsked { turns.refused(.sitOut) }
            turns.note(change, me: "ann")
            #expect(turns.isSatOut != isAsked)
            let told = [letters, Wording(suits: .symbols)].map { wording in
                Narrator(me: "ann", wording: wording, isSatOut: turns.isSatOut).sentences(for: change, now: nil).map(\.text.text)
            }
            let reason = "Your time ran out, so you sit out: your seat is kept for a while, and"
            #expect(told[0].contains(isAsked ? "You sit out." : "\(reason) 'in' plays again."), "\(told)")
            #expect(told[1].contains(isAsked ? "You sit out." : "\(reason) o plays again."), "\(told)")
            scene.edit { $0.isSatOut = turns.isSatOut }
            for (columns, rows) in [(40, 12), (80, 24)] {
                let text = scene.frame(columns, rows).text
                #expect(text.contains("ime ran out") != isAsked && text.contains("o play again"), "\(text)")
            }
            turns.note(TableChange(table: "main", revision: 9, old: change.new, new: try #require(change.old)), me: "ann")
            #expect(!turns.isSatOut)
        }
    }

    @Test func anUnansweredOffer_isNoNo() throws {
        var scene = try Scene(chips: [1: 1000], cards: "TS AD 6H 7C")
        try scene.bet(1, 20)
        let missed = try change(&scene) { try $0.wait() }
        let late = OwnTurns().timeOuts(in: missed, me: "ann")
        #expect(late == [.init(seat: 1, action: .decline)])
        let texts = Narrator(me: "ann", wording: Wording(suits: .words), timeOuts: late.map(\.seat)).sentences(
            for: missed, now: nil
        )
        .map(\.text.text)
        #expect(texts.contains("Your time is up: no insurance.") && !texts.contains("You say no."), "\(texts)")
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
        #expect(lines.contains { $0.contains(" against 10, bet 10.  ━━━━━━━━━━ 15 s") }, "\(lines)")
        #expect(lines[23].hasSuffix("Shoe 1 ━━━━━━━━━━━━┃━━━ 306 left"), "\(lines[23])")
        try scene.act(1, .stand)
        let others = scene.frame(80, 24).text
        #expect(others.contains("It is bob's turn.  ━━━━━━━━━━ 15 s"), "\(others)")
        let narrow = scene.frame(40, 12)
        #expect(narrow.lines.allSatisfy { $0.columns <= 40 } && narrow.text.contains("━━━━━ 15 s"))
    }
}
