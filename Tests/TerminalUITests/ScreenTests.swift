import ClientCore
import Rules
import TableModel
import TestKit
import Testing

@testable import TableEngine
@testable import TerminalUI

/// Whole screens, compared with files in `Golden`.
struct ScreenTests {
    private static let seven = Dictionary(uniqueKeysWithValues: (1...7).map { ($0, 1000) })

    @Test(arguments: [(80, 24), (60, 18), (120, 40)])
    func turn_isClearlyMarked_withTheKeysAndTheirCost(columns: Int, rows: Int) throws {
        let frame = try Scene.playing(annHits: true).frame(columns, rows)
        #expect(frame.text.contains("Your turn: 18 against K."))
        #expect(frame.text.contains("d double for 25"))
        #expect(frame.text.contains("15 s"))
        try expectGolden(frame.text, "turn-\(columns)x\(rows).txt")
    }

    @Test func betting_showsTheAmountAsItIsTyped() throws {
        var scene = try Scene(cards: "2C")
        #expect(scene.press(.character("2")) == .amount(2, isWhole: false))
        #expect(scene.press(.character("5")) == .amount(25, isWhole: false))
        try expectGolden(scene.frame(80, 24).text, "betting.txt")
    }

    @Test func results_standInTheLinesOfTheirHands() throws {
        var scene = try Scene(cards: "8H TS 6D 8S 9C TC 3S 7D KS 5H 9D")
        for seat in [1, 2] { try scene.bet(seat, 10) }
        try scene.act(1, .split)
        try expectGolden(scene.frame(80, 24).text, "split.txt")
        try scene.act(1, .double)
        try scene.stand(1, 2)
        try expectGolden(scene.frame(80, 24).text, "results.txt")
    }

    @Test func lostConnection_isSaid_andNoKeyOfTheGameWorks() throws {
        var scene = try Scene.playing(annHits: true)
        scene.update(.link, [Sentence(.link, "The connection is lost: it was cut. Trying again.")]) {
            $0.link = .connecting(attempt: 3)
        }
        let frame = scene.frame(80, 24)
        #expect(frame.text.contains("reconnecting, attempt 3"))
        #expect(scene.refuses(.character("h")))
        try expectGolden(frame.text, "reconnecting.txt")
    }

    @Test func fullTable_withSplitHands_fitsTheSmallestScreen() throws {
        var scene = try Scene(me: "guy", chips: Self.seven, cards: "8H 8S 8D 8C 8H 8S 8D 6C 8H 8S 8D 8C 8H 8S 8D 9C")
        for seat in 1...7 { try scene.bet(seat, 10) }
        for seat in 1...3 {
            try scene.act(seat, .split)
            while scene.snapshot.choice(seat) != nil { try scene.act(seat, .stand) }
        }
        let frame = scene.frame(60, 18)
        for seat in 1...7 { #expect(frame.text.contains(Scene.names[seat - 1])) }
        try expectGolden(frame.text, "full-60x18.txt")
    }

    @Test func tooSmallTerminal_isTold() throws {
        #expect(try Scene.playing(annHits: true).frame(39, 12).text.contains("40 x 12"))
        #expect(try Scene.playing(annHits: true).frame(40, 11).text.contains("40 x 12"))
    }

    @Test func noLine_isWiderThanTheTerminal_atAnySize() throws {
        let scene = try Scene.playing(annHits: true)
        for columns in [1, 10, 59, 60, 61, 75, 76, 80, 100, 200] {
            for rows in [1, 5, 18, 19, 21, 22, 23, 24, 60] {
                let frame = scene.frame(columns, rows)
                #expect(frame.lines.count == rows)
                #expect(frame.lines.allSatisfy { $0.columns <= columns })
            }
        }
    }

    @Test func onlyWhatChanged_isMadeAnew() throws {
        var scene = try Scene(cards: "9H 8S KD 7D 9C 5C 3S")
        for seat in [2, 1] { try scene.bet(seat, 10) }
        _ = scene.frame(80, 24)
        let before = scene.board.cellsMade
        _ = scene.frame(80, 24)
        #expect(scene.board.cellsMade == before)
        try scene.act(1, .hit)
        _ = scene.frame(80, 24)
        // The card, its hand's total, the question, and the cards that are left.
        #expect(scene.board.cellsMade - before == 4)
    }

    @Test func ofATable_onlyTheCellsAreDrawn() throws {
        let text = try Screen(Scene.playing().view, TableBoard(), size: ScreenSize(columns: 80, rows: 24)).frame.text
        #expect(text.contains("Waiting for a table"))
        for word in ["bob", "Dealer", "round", "Shoe", "9♥", "8♠"] { #expect(!text.contains(word), "\(word)\n\(text)") }
    }

    @Test func asksOnceMore_beforeAHandIsLeft() throws {
        var scene = try Scene.playing(annHits: true)
        #expect(scene.press(.character("q")) == .perform(.leave))
        #expect(scene.frame(80, 24).text.contains("Leave anyway?"))
        #expect(scene.press(.character("h")) == .show(.table))
        #expect(scene.press(.character("q")) == .perform(.leave))
        #expect(scene.press(.character("q")) == .perform(.leave))
    }

    @Test func aDecision_isNotSentTwice_beforeTheTableShowsIt() throws {
        var scene = try Scene.playing(annHits: true)
        #expect(scene.press(.character("h")) == .perform(.act(.hit)))
        let hit = PlayerCommand.act(.hit).message(in: scene.view.client)
        #expect(hit == .act(.hit, seat: 2, hand: 1, amount: nil, turn: 3))
        #expect(scene.press(.character("h")) == nil)
        try scene.act(2, .hit)
        #expect(scene.press(.character("s")) == .perform(.act(.stand)))
    }

    @Test func bet_isStepped_andErased_andTheLastOneOffered() throws {
        var scene = try Scene(cards: "9H 8S KD 7D 9C 5C 3S")
        for (key, amount) in [(Key.up, 15), (.character("+"), 20), (.down, 15), (.backspace, 1), (.character("4"), 14)] {
            _ = scene.press(key)
            #expect(scene.view.betAmount == amount)
        }
        #expect(scene.press(.enter) == .refuse("Bets go in steps of 5: 10 or 15."), "what is offered is possible")
        #expect(PlayerCommand.bet(14).message(in: scene.view.client) == .bet(amount: 14, seat: 1, round: 0))
        try scene.bet(2, 10)
        try scene.bet(1, 35)
        try scene.stand(1, 2)
        try scene.wait()
        #expect(scene.press(.enter) == .perform(.bet(35)))
    }

    @Test func playerWithoutChips_isPromisedNothing_whereTheHouseGivesNothing() throws {
        var scene = try Scene(chips: [1: 10, 2: 1000], cards: "9H 8S KD 7D 9C TC")
        scene.edit { $0.state.hello?.givesRebuys = false }
        for seat in [2, 1] { try scene.bet(seat, 10) }
        try scene.stand(1, 2)
        try scene.wait()
        #expect(scene.view.situation == .broke && scene.refuses(.character("s")))
        #expect(scene.frame(80, 24).text.contains("the house gives no new ones"))
        let change = TableChange(table: "main", revision: 1, old: TableSnapshot(), new: scene.snapshot)
        let narrator = Narrator(me: "ann", wording: Wording(suits: .words), givesRebuys: false)
        #expect(narrator.sentences(for: change, now: nil).contains { $0.text.text.contains("gives no new ones") })
    }

    @Test func playerWithoutChips_isOfferedANewStake() throws {
        var scene = try Scene(chips: [1: 10, 2: 1000], cards: "9H 8S KD 7D 9C TC")
        for seat in [2, 1] { try scene.bet(seat, 10) }
        try scene.stand(1, 2)
        try scene.wait()
        #expect(scene.view.situation == .broke)
        #expect(scene.told.map(\.text.text) == ["You are out of chips: 'sit' gives you a new stake."])
        #expect(scene.press(.character("s")) == .perform(.sit()))
        #expect(scene.frame(80, 24).text.contains("s sit down with a new stake"))
    }

    @Test func whoWatches_mayTakeASeat_andNothingElse() throws {
        let scene = try Scene(me: "zoe", cards: "2C")
        let keys = KeyMap(scene.view)
        #expect(keys.intent(for: .character("s")) == .perform(.sit()))
        #expect(scene.refuses(.enter) && scene.refuses(.character("o")))
        #expect(scene.frame(80, 24).text.contains("You are watching."))
    }

    @Test func rules_areScrolled_asFarAsThereAreAny() throws {
        var scene = try Scene.playing(annHits: true)
        #expect(scene.press(.character("v")) == .perform(.rules))
        try expectGolden(scene.frame(60, 18).text, "rules.txt")
        for _ in 0..<5 { #expect(scene.press(.pageDown) == .scroll(10)) }
        #expect(scene.frame(60, 18).text.contains("After a time-out the hand stands"))
        #expect(scene.press(.character("h")) == .show(.table))
    }

    @Test func cardsOfWhoHadTheSeatBefore_areNotShownAsMine() throws {
        var scene = try Scene(me: "zoe", cards: "9H 8S KD 7D 9C TC")
        for seat in [2, 1] { try scene.bet(seat, 10) }
        try scene.stand(1, 2)
        let sit = Command.sit(player: PlayerID(9), profile: PlayerProfile(name: "zoe"), seat: 1, chips: 500)
        try scene.step("ann leaves, zoe sits", .leave(player: PlayerID(1)), sit)
        #expect(Screen(scene.view, scene.board, size: ScreenSize(columns: 80, rows: 24)).ownHands.isEmpty)
    }

    @Test func whatIsSaid_isTypedInTheFooter_andSentWhole() throws {
        var scene = try Scene.playing(annHits: true)
        #expect(scene.press(.character("t")) == .talk)
        for scalar in "hé lo".unicodeScalars { #expect(scene.press(.character(scalar)) == .edit(.character(scalar))) }
        // The keys that play are letters now.
        #expect(scene.press(.character("s")) == .edit(.character("s")) && scene.press(.backspace) == .edit(.backspace))
        _ = scene.press(.character("\u{202E}"))
        #expect(scene.refuses(.enter) && scene.frame(80, 24).text.contains(" Say: hé lo?"), "what cannot be seen is not said")
        _ = scene.press(.backspace)
        #expect(scene.frame(80, 24).text.contains(" Say: hé lo"))
        #expect(scene.press(.enter) == .perform(.say("hé lo")) && scene.view.draft == nil)
        #expect(scene.press(.character("t")) == .talk && scene.press(.escape) == .hush && scene.view.draft == nil)
        #expect(scene.press(.character("t")) == .talk && scene.press(.enter) == .hush)
    }

    @Test func everyHint_isAKeyThatWorks() throws {
        let scene = try Scene.playing(annHits: true)
        let keys = KeyMap(scene.view)
        for hint in keys.hints {
            guard hint.key.text.unicodeScalars.count == 1, let key = hint.key.text.unicodeScalars.first else { continue }
            #expect(keys.intent(for: .character(key)) != nil, "\(hint.key)")
        }
    }
}
