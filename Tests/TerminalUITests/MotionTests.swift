import ClientCore
import Rules
import TableModel
import TestKit
import Testing

@testable import TableEngine
@testable import TerminalUI

/// The way of the table from one revision to the next, on a clock of the test's.
struct MotionTests {
    private let told = [Sentence(.result, "over")]

    /// Bob's bet begins the round: four cards of players, two of the dealer.
    private func dealt() throws -> Scene {
        var scene = try Scene(cards: "9H 8S KD 7D 9C 5C 3S TH 4H QS")
        try scene.bet(2, 20)
        try scene.bet(1, 10)
        return scene
    }

    /// The dealer turns a card, draws, and the hands are settled.
    private func settled() throws -> Scene {
        var scene = try dealt()
        try scene.stand(1, 2)
        return scene
    }

    private func motion(_ scene: Scene, left: Int64? = nil) throws -> Motion {
        var motion = Motion()
        #expect(motion.take(try #require(scene.change), told, at: 0, left: left).isEmpty)
        return motion
    }

    /// The times at which the picture changes, and the dealer's and the players' cards from then on.
    private func pictures(_ scene: Scene, _ motion: Motion) -> [(time: Int64, cards: String)] {
        var (scene, pictures): (Scene, [(Int64, String)]) = (scene, [])
        var next: Int64? = 0
        while let now = next {
            scene.show(motion, at: now)
            let sections = [TableSection.dealer] + scene.snapshot.hands.map { TableSection.hand($0) }
            let cards = sections.map { scene.board.cards(in: $0).map(\.text.text).joined(separator: " ") }
            pictures.append((now, cards.joined(separator: "|")))
            next = motion.nextChange(after: now)
        }
        return pictures
    }

    @Test func cardsOfADeal_lieOneAfterTheOther_inTheOrderOfTheShoe() throws {
        let scene = try dealt()
        let pictures = pictures(scene, try motion(scene))
        #expect(pictures.map(\.time) == [0, 80, 160, 240, 320, 400])
        let cards = ["|9♥|", "|9♥|8♠", "K♦|9♥|8♠", "K♦|9♥ 7♦|8♠", "K♦|9♥ 7♦|8♠ 9♣", "K♦ ░░|9♥ 7♦|8♠ 9♣"]
        #expect(pictures.map(\.cards) == cards)
    }

    @Test func theDealer_turnsTheCard_thenDraws_andTheResultsAreLast() throws {
        var scene = try settled()
        let motion = try motion(scene)
        let pictures = pictures(scene, motion)
        let final = try #require(pictures.last)
        #expect(pictures[0].cards.hasPrefix("K♦ ░░|") && !final.cards.contains("░") && pictures.count > 2)
        let result = TableItem.result(HandIdentifier(seat: 1, number: 1))
        for picture in pictures {
            scene.show(motion, at: picture.time)
            #expect((scene.board.cell(result) != nil) == (picture.time == final.time))
            let screen = Screen(scene.view, scene.board, size: ScreenSize(columns: 80, rows: 24))
            #expect((screen.result != nil) == (picture.time == final.time), "words and cards show one moment")
        }
    }

    @Test(arguments: [false, true])
    func theShoe_hasTheCards_thatDoNotLieYet(isSettled: Bool) throws {
        var scene = try isSettled ? settled() : dealt()
        let motion = try motion(scene)
        var sums: Set<Int> = []
        for picture in pictures(scene, motion) {
            scene.show(motion, at: picture.time)
            let hands = scene.snapshot.hands.map { TableSection.hand($0) }
            let lie = ([.dealer] + hands).reduce(0) { $0 + scene.board.cards(in: $1).count }
            sums.insert(lie + (try #require(scene.view.snapshot?.cardsLeft)))
        }
        #expect(sums.count == 1)
    }

    @Test func motion_takesAQuarterOfTheTimeThatIsLeft_atMost() throws {
        let scene = try settled()
        for left: Int64 in [4, 40, 400, 4000, 60_000] {
            let last = try #require(pictures(scene, try motion(scene, left: left)).last)
            #expect(last.time <= min(Motion.longest, left / 4), "\(left)")
        }
        var motion = Motion()
        #expect(motion.take(try #require(scene.change), told, at: 0, left: 0) == told && !motion.isMoving)
    }

    @Test func nothingIsAsked_beforeItsCardsLie() throws {
        var scene = try dealt()
        #expect(scene.frame(80, 24).text.contains("h hit"))
        let motion = try motion(scene)
        for picture in pictures(scene, motion).dropLast() {
            scene.show(motion, at: picture.time)
            let text = scene.frame(80, 24).text
            #expect(!text.contains("h hit") && !text.contains("against") && !text.contains("▶"), "\(text)")
            #expect(KeyMap(scene.view).intent(for: .character("h")) == nil, "a key ends the motion, and decides nothing")
        }
    }

    /// A seat does not stand before its cards lie, and no total counts a card that does not.
    @Test func labelsAndTotals_areThoseOfTheCardsThatLie() throws {
        var scene = try Scene(chips: [1: 900, 2: 900, 3: 900], cards: "9H 8S 7S KD 9D 9C 7C 5C 3S TH 4H QS")
        for seat in [1, 2, 3] { try scene.bet(seat, 10) }
        let deal = try motion(scene)
        for picture in pictures(scene, deal).dropLast() {
            scene.show(deal, at: picture.time)
            for (columns, rows) in [(40, 12), (80, 24), (120, 40)] {
                #expect(!scene.frame(columns, rows).text.contains("stands"))
            }
        }
        scene.show()
        for seat in [1, 2, 3] { try scene.act(seat, .stand) }
        let play = try motion(scene)
        for picture in pictures(scene, play) {
            scene.show(play, at: picture.time)
            guard let total = scene.view.snapshot?.dealerTotal else { continue }
            let cards = scene.view.snapshot?.cards(in: .dealer).compactMap { $0 } ?? []
            #expect(HandValue(cards).total == total.points, "\(picture.cards)")
        }
    }

    @Test func aKeyOrADecision_endsAllMotion_andTellsWhatWaited() throws {
        let scene = try settled()
        var motion = try motion(scene)
        #expect(motion.isMoving && motion.picture(of: scene.snapshot, at: 0) != scene.snapshot)
        #expect(motion.finish() == told)
        #expect(!motion.isMoving && motion.picture(of: scene.snapshot, at: 0) == scene.snapshot)
        #expect(motion.nextChange(after: 0) == nil)
    }

    @Test func theNextRound_endsTheMotionOfTheLastOne() throws {
        var scene = try settled()
        var motion = try motion(scene)
        try scene.wait()
        #expect(try #require(scene.change).new.hands.isEmpty)
        #expect(motion.take(try #require(scene.change), [], at: 1, left: nil) == told)
        #expect(!motion.isMoving)
    }

    @Test func aTableShownForTheFirstTime_andOneThatOnlyTellsNews_doNotMove() throws {
        var scene = try Scene(cards: "2C")
        var motion = Motion()
        #expect(motion.take(try #require(scene.change), told, at: 0, left: nil) == told)
        try scene.step("cid sits", .sit(player: PlayerID(3), profile: PlayerProfile(name: "cid"), seat: 5, chips: 500))
        #expect(motion.take(try #require(scene.change), told, at: 0, left: nil) == told)
        #expect(!motion.isMoving && motion.nextChange(after: 0) == nil)
    }

    /// Random rounds: each difference ends within its bound, has nothing but its own items wait, and ends at the newest table.
    @Test func everyDifference_endsAtTheNewestTable_withinItsBound() throws {
        var generator = SeededGenerator()
        for _ in 0..<3 {
            var scene = try Scene([("surrender", .text("late"))], chips: [1: 9000, 2: 9000, 3: 9000], cards: "8H")
            for _ in 0..<2 {
                for seat in 1...3 {
                    try scene.bet(seat, 10 * Int.random(in: 1...9, using: &generator))
                    try check(scene)
                }
                while let (seat, action) = scene.randomDecision(&generator) {
                    try scene.act(seat, action)
                    try check(scene)
                }
                try scene.wait()
                try check(scene)
            }
        }
    }

    private func check(_ scene: Scene) throws {
        let change = try #require(scene.change)
        guard case .changed(let old, let difference) = change.origin else { return }
        var motion = Motion()
        guard motion.take(change, told, at: 0, left: nil).isEmpty else { return }
        let own = Set(difference.entries.map(\.item))
        let before = difference.clears ? old.cleared() : old
        let first = motion.picture(of: change.new, at: -1)
        for item in change.new.entries.map(\.item) where first[item] != change.new[item] {
            // A new shoe counts down from its own first number.
            let isEarlier = first[item] == nil || first[item] == before[item] || item == .cardsLeft
            #expect(own.contains(item) && isEarlier, "BJ_SEED=\(Seed.value)")
        }
        #expect(motion.picture(of: change.new, at: Motion.longest) == change.new, "BJ_SEED=\(Seed.value)")
        #expect(motion.advance(to: Motion.longest) == told && !motion.isMoving, "BJ_SEED=\(Seed.value)")
    }
}
