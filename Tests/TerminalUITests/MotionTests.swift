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
        try scene.act(1, .stand)
        try scene.act(2, .stand)
        return scene
    }

    private func motion(_ scene: Scene, at now: Int64 = 0, settling: Int64 = 5000) throws -> Motion {
        var motion = Motion()
        #expect(motion.take(try #require(scene.change), told, at: now, settling: settling).isEmpty)
        return motion
    }

    /// Numbers of the dealer's and of the players' cards on the board, in order.
    private func cards(_ scene: Scene, _ motion: Motion, at now: Int64) -> [String] {
        scene.board.veil = motion.veil(at: now)
        let sections = [TableSection.dealer] + scene.snapshot.hands.map { TableSection.hand($0) }
        return sections.map { scene.board.cards(in: $0).map(\.text.text).joined(separator: " ") }
    }

    private func duration(_ motion: Motion) -> Int64 {
        var (now, count): (Int64, Int) = (0, 0)
        while let next = motion.nextChange(after: now), count < 1000 {
            var rest = motion
            if rest.advance(to: next) == told { return next }
            (now, count) = (next, count + 1)
        }
        return now
    }

    @Test func cardsOfADeal_slideInOneAfterTheOther_inTheOrderOfTheShoe_within300Milliseconds() throws {
        let scene = try dealt()
        let motion = try motion(scene)
        #expect(cards(scene, motion, at: 0) == ["", "", ""])
        var (shown, now): ([[String]], Int64) = ([], 0)
        while let next = motion.nextChange(after: now), next > now {
            let cards = cards(scene, motion, at: next)
            if shown.last != cards { shown.append(cards) }
            now = next
        }
        let pictures = ["| 9|", "|9♥| 8", " K|9♥|8♠", "K♦|9♥  7|8♠", "K♦|9♥ 7♦|8♠  9", "K♦  ░|9♥ 7♦|8♠ 9♣", "K♦ ░░|9♥ 7♦|8♠ 9♣"]
        #expect(shown.map { $0.joined(separator: "|") } == pictures)
        #expect(duration(motion) == 300)
        #expect(cards(scene, motion, at: 300) == ["K♦ ░░", "9♥ 7♦", "8♠ 9♣"])
    }

    @Test func aCardSlidesInFromTheRight_inASlotOfItsOwnWidth() {
        let cell = TableCell(.card(1, Card(.ten, .hearts)), me: "", wording: Wording(suits: .symbols))
        #expect(cell.text.text == "10♥" && cell.sliding(1, of: 3).text.text == "  1" && cell.sliding(2, of: 3).text.text == " 10")
        for done in 1...5 {
            let sliding = cell.sliding(done, of: 6)
            #expect(sliding.text.columns == cell.text.columns)
            for art in [CardArt.small, .large] {
                #expect(art.lines([sliding]).map(\.columns) == art.lines([cell]).map(\.columns))
            }
        }
        #expect(CardArt.large.lines([cell.turning])[2].text == "    │    ")
        #expect(CardArt.large.lines([cell.sliding(3, of: 7)])[1].text == "         ")
    }

    @Test func theDealer_turnsTheCard_thenDraws_andTheResultsAreLast() throws {
        let scene = try settled()
        let motion = try motion(scene)
        var (shown, now): ([String], Int64) = ([cards(scene, motion, at: 0)[0]], 0)
        var hasResult = false
        while let next = motion.nextChange(after: now), next < duration(motion), next > now {
            let dealer = cards(scene, motion, at: next)[0]
            if shown.last != dealer { shown.append(dealer) }
            hasResult = hasResult || scene.board.cell(.result(HandIdentifier(seat: 1, number: 1))) != nil
            now = next
        }
        #expect(!hasResult)
        let final = cards(scene, Motion(), at: 0)[0]
        #expect(shown.first == "K♦ │ " || shown.first == "K♦ ░░" || shown.first == "K♦ │", "\(shown)")
        #expect(shown.last == final && shown.count > 2, "\(shown)")
        #expect(duration(motion) <= 2000 && duration(motion) > 400)
        #expect(cards(scene, motion, at: duration(motion))[0] == final)
        #expect(scene.board.cell(.result(HandIdentifier(seat: 1, number: 1))) != nil)
    }

    @Test func theDealer_takesNoLongerThanTheSettlingTime() throws {
        let scene = try settled()
        for settling: Int64 in [1, 10, 100, 700, 2000, 60_000] {
            let motion = try motion(scene, settling: settling)
            #expect(duration(motion) <= min(2000, settling), "\(settling)")
        }
        var motion = Motion()
        #expect(motion.take(try #require(scene.change), told, at: 0, settling: 0) == told && !motion.isMoving)
    }

    @Test func chipsOnTheirWay_areConserved() throws {
        var scene = try Scene(cards: "9H 8S KD 7D 9C 5C 3S TH 4H QS")
        try scene.bet(1, 100)
        let motion = try motion(scene)
        let hand = HandIdentifier(seat: 1, number: 1)
        var (now, bets): (Int64, Set<String>) = (0, [])
        repeat {
            scene.board.veil = motion.veil(at: now)
            let (bet, chips) = (scene.board.cell(.bet(hand))?.text.text, scene.board.cell(.player(1))?.note.text)
            let sum = [bet, chips].compactMap { $0.flatMap { Int($0) } }.reduce(0, +)
            #expect(sum == 1000, "\(now)")
            bets.insert(bet ?? "")
            now = motion.nextChange(after: now) ?? 300
        } while now < duration(motion)
        #expect(motion.veil(at: now).isEmpty)
        #expect(bets.count >= 3, "\(bets)")
        #expect(duration(motion) < 300)
    }

    @Test func aKeyOrADecision_endsAllMotion_andTellsWhatWaited() throws {
        let scene = try settled()
        var motion = try motion(scene)
        #expect(motion.isMoving && !motion.veil(at: 0).isEmpty)
        #expect(motion.finish() == told)
        #expect(!motion.isMoving && motion.veil(at: 0).isEmpty && motion.nextChange(after: 0) == nil)
    }

    @Test func oneDifferenceWaits_andASecondOneEndsTheFirst() throws {
        var scene = try Scene(chips: [1: 1000, 2: 1000, 3: 1000], cards: "2H 2S 2D KD 3H 3S 4D 5C 3S TH 4H QS")
        for seat in 1...3 { try scene.bet(seat, 10) }
        var motion = Motion()
        var changes: [TableChange] = []
        for seat in 1...3 {
            try scene.act(seat, .hit)
            changes.append(try #require(scene.change))
            if seat < 3 { try scene.act(seat, .stand) }
        }
        func take(_ index: Int) -> [Sentence] { motion.take(changes[index], [Sentence(.play, "\(index)")], at: 10, settling: 0) }
        #expect(take(0).isEmpty && take(1).isEmpty)
        let hidden = motion.veil(at: 10)
        #expect(hidden.values.contains(.hidden))
        // The third ends the first; the second moves, and it waits.
        #expect(take(2).map(\.text.text) == ["0"])
        #expect(motion.nextChange(after: 10) == 50)
        #expect(motion.advance(to: 10_000).map(\.text.text) == ["1", "2"])
        #expect(!motion.isMoving)
    }

    @Test func theNextRound_endsTheMotionOfTheLastOne() throws {
        var scene = try settled()
        var motion = try motion(scene)
        try scene.wait()
        #expect(try #require(scene.change).new.hands.isEmpty)
        #expect(motion.take(try #require(scene.change), [], at: 1, settling: 0) == told)
        #expect(!motion.isMoving)
    }

    @Test func aTableShownForTheFirstTime_andOneThatOnlyTellsNews_doNotMove() throws {
        var scene = try Scene(cards: "2C")
        var motion = Motion()
        #expect(motion.take(try #require(scene.change), told, at: 0, settling: 0) == told)
        try scene.step("cid sits", .sit(player: PlayerID(3), profile: PlayerProfile(name: "cid"), seat: 5, chips: 500))
        #expect(motion.take(try #require(scene.change), told, at: 0, settling: 0) == told)
        #expect(!motion.isMoving && motion.nextChange(after: 0) == nil)
    }

    /// Random rounds: each difference ends within its bound, hides nothing but its own items, and ends at the newest table.
    @Test func everyDifference_endsAtTheNewestTable_withinItsBound() throws {
        var generator = SeededGenerator()
        for _ in 0..<3 {
            var scene = try Scene([("surrender", .text("late"))], chips: [1: 9000, 2: 9000, 3: 9000], cards: "8H")
            for _ in 0..<2 {
                for seat in 1...3 {
                    try scene.bet(seat, 10 * Int.random(in: 1...9, using: &generator))
                    try check(scene)
                }
                while scene.snapshot.round?.phase.isInPlay == true {
                    let asked = scene.snapshot.seats.first { scene.snapshot.choice($0) != nil } ?? 1
                    guard let action = scene.snapshot.choice(asked)?.options.randomElement(using: &generator)?.action else {
                        break
                    }
                    try scene.act(asked, action)
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
        let settling: Int64 = change.new.phase == .settled ? 5000 : 0
        guard motion.take(change, told, at: 0, settling: settling).isEmpty else { return }
        let bound = change.new.phase == .settled ? Motion.longestDealer : Motion.longest
        let own = Set((difference.insertions + difference.updates).map(\.item))
        let start = motion.veil(at: 0)
        #expect(Set(start.keys).isSubset(of: own), "BJ_SEED=\(Seed.value)")
        for (item, sight) in motion.veil(at: -1) {
            let before = difference.clears ? old.cleared()[item] : old[item]
            #expect(sight == (before.map { .shows($0) } ?? .hidden), "BJ_SEED=\(Seed.value)")
        }
        let whole = scene.frame(80, 24)
        var (now, sizes): (Int64, [Int]) = (0, [])
        while let next = motion.nextChange(after: now), next < bound {
            sizes.append(motion.veil(at: now).count)
            if next == now { break }
            now = next
        }
        scene.board.veil = motion.veil(at: now / 2)
        #expect(scene.frame(80, 24).lines.count == whole.lines.count)
        #expect(sizes == sizes.sorted(by: >), "BJ_SEED=\(Seed.value)")
        #expect(motion.advance(to: bound) == told && motion.veil(at: bound).isEmpty, "BJ_SEED=\(Seed.value)")
        scene.board.veil = [:]
        #expect(scene.frame(80, 24) == whole)
    }
}
