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
        #expect(frame.text.contains("Your turn: 18 against 10."))
        #expect(frame.text.contains("d double for 25"))
        #expect(frame.text.contains("15 s"))
        try expectGolden(frame.text, "turn-\(columns)x\(rows).txt")
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

    @Test func cardsOfWhoHadTheSeatBefore_areNotShownAsMine() throws {
        var scene = try Scene(me: "zoe", cards: "9H 8S KD 7D 9C TC")
        for seat in [2, 1] { try scene.bet(seat, 10) }
        try scene.stand(1, 2)
        let sit = Command.sit(player: PlayerID(9), profile: PlayerProfile(name: "zoe"), seat: 1, chips: 500)
        try scene.step("ann leaves, zoe sits", .leave(player: PlayerID(1)), sit)
        #expect(Screen(scene.view, scene.board, size: ScreenSize(columns: 80, rows: 24)).ownHands.isEmpty)
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
