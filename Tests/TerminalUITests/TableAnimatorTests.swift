import ClientCore
import Rules
import TableModel
import TestKit
import Testing

@testable import TableEngine
@testable import TerminalUI

/// The way of the table from one revision to the next, on a clock of the test's.
struct TableAnimatorTests {
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

    private func eachMoment(_ scene: Scene, left: Int64? = nil, _ look: (Scene, Int64, _ isMoving: Bool) throws -> Void) throws {
        try scene.eachMoment(left: left, behind: MessageLog()) { moment, time, isMoving in
            #expect(moment.view.messages == (isMoving ? [] : scene.view.messages), "told with the last card")
            try look(moment, time, isMoving)
        }
        #expect(scene.board.table == scene.snapshot)
    }

    /// The times at which the picture changes, and the dealer's and the players' cards from then on.
    private func pictures(_ scene: Scene, left: Int64? = nil) throws -> [(time: Int64, cards: String)] {
        var pictures: [(Int64, String)] = []
        try eachMoment(scene, left: left) { scene, now, _ in
            let hands = [scene.board.dealer] + scene.board.seats.flatMap(\.hands)
            pictures.append((now, hands.map { $0.cards.map(\.text.text).joined(separator: " ") }.joined(separator: "|")))
        }
        return pictures
    }

    @Test func cardsOfADeal_lieOneAfterTheOther_inTheOrderOfTheShoe() throws {
        let pictures = try pictures(dealt())
        #expect(pictures.map(\.time) == [0, 80, 160, 240, 320, 400])
        let cards = ["|9♥", "|9♥|8♠", "K♦|9♥|8♠", "K♦|9♥ 7♦|8♠", "K♦|9♥ 7♦|8♠ 9♣", "K♦ ░░|9♥ 7♦|8♠ 9♣"]
        #expect(pictures.map(\.cards) == cards)
    }

    @Test func theDealer_turnsTheCard_thenDraws_andTheResultsAreLast() throws {
        let pictures = try pictures(settled())
        let final = try #require(pictures.last)
        #expect(pictures[0].cards.hasPrefix("K♦ ░░|") && !final.cards.contains("░") && pictures.count > 2)
        try eachMoment(settled()) { scene, _, isMoving in
            #expect(scene.board.seats.flatMap(\.hands).allSatisfy { ($0.result == nil) == isMoving })
            #expect((scene.view.result == nil) == isMoving, "words and cards show one moment")
        }
    }

    @Test(arguments: [false, true])
    func theShoe_changesWithTheLastCard(isSettled: Bool) throws {
        try eachMoment(isSettled ? settled() : dealt()) { scene, _, _ in
            let cards = [scene.board.table, scene.snapshot].map {
                $0.entries.filter { if case .card = $0 { true } else { false } }.count
            }
            #expect((scene.board.table.cardsLeft == scene.snapshot.cardsLeft) == (cards[0] == cards[1]))
        }
    }

    @Test func motion_takesAQuarterOfTheTimeThatIsLeft_atMost() throws {
        let scene = try settled()
        for left: Int64 in [4, 40, 400, 4000, 60_000] {
            let last = try #require(try pictures(scene, left: left).last)
            #expect(last.time <= min(TableAnimator.longest, left / 4), "\(left)")
        }
        #expect(try pictures(scene, left: 0).count == 1)
    }

    @Test func nothingIsAsked_beforeItsCardsLie() throws {
        #expect(try dealt().frame(80, 24).text.contains("h hit"))
        try eachMoment(dealt()) { scene, _, isMoving in
            guard isMoving else { return }
            let text = scene.frame(80, 24).text
            #expect(!text.contains("h hit") && !text.contains("against") && !text.contains("▶"), "\(text)")
            #expect(KeyMap(scene.view).intent(for: .character("h")) == nil, "a key ends the motion, and decides nothing")
        }
    }

    /// A seat does not stand before its cards lie, and no total counts a card that does not.
    @Test func labelsAndTotals_areThoseOfTheCardsThatLie() throws {
        var scene = try Scene(chips: [1: 900, 2: 900, 3: 900], cards: "9H 8S 7S KD 9D 9C 7C 5C 3S TH 4H QS")
        for seat in [1, 2, 3] { try scene.bet(seat, 10) }
        try eachMoment(scene) { scene, _, isMoving in
            for (columns, rows) in [(40, 12), (80, 24), (120, 40)] where isMoving {
                #expect(!scene.frame(columns, rows).text.contains("stands"))
            }
        }
        for seat in [1, 2, 3] { try scene.act(seat, .stand) }
        try eachMoment(scene) { scene, _, _ in
            guard let total = scene.board.table.dealerTotal else { return }
            #expect(HandValue(scene.board.table.cards(in: .dealer).compactMap { $0 }).total == total.points)
        }
    }

    @Test func aKeyOrTheNextDifference_endsAllMotion_andShowsWhatWaited() throws {
        let scene = try settled()
        let (change, animator) = (try #require(scene.change), TableAnimator())
        animator.board.show(try #require(change.old), me: "ann")
        animator.show(change, me: "ann", behind: MessageLog(), at: 0, left: nil)
        #expect(animator.drawn(scene.view).messages.isEmpty && animator.drawn(scene.view).state.snapshot != change.new)
        animator.finish()
        #expect(animator.nextChange == nil && animator.drawn(scene.view).messages == scene.view.messages)
        #expect(animator.board.table == change.new)
    }

    @Test func aTableShownForTheFirstTime_andOneThatOnlyTellsNews_doNotMove() throws {
        var scene = try Scene(cards: "2C")
        let animator = TableAnimator()
        animator.show(try #require(scene.change), me: "ann", behind: MessageLog(), at: 0, left: nil)
        try scene.step("cid sits", .sit(player: PlayerID(3), profile: PlayerProfile(name: "cid"), seat: 5, chips: 500))
        animator.show(try #require(scene.change), me: "ann", behind: MessageLog(), at: 0, left: nil)
        #expect(animator.nextChange == nil && animator.board.table == scene.snapshot)
    }

    /// Random rounds with splits, doubles and insurance: each picture shows the bets as they were at its last card, and the chips that they leave.
    @Test func eachPicture_hasTheBetsOfItsLastCard_andChipsThatAddUp() throws {
        var generator = SeededGenerator()
        for round in 0..<60 {
            // Pairs, and an ace of the dealer's.
            let cards = ["8H", "AH", "TH", "AS", "8S", "AD", "TS", "KC"].shuffled(using: &generator)
            let dealt = [cards[0], cards[1], "AC", cards[0], cards[1], cards[2]] + cards
            var scene = try Scene(
                [("holeCard", .text(round % 3 == 0 ? "none" : "peek"))], chips: [1: 9000, 2: 9000],
                cards: dealt.joined(separator: " "))
            for seat in [1, 2] {
                try scene.bet(seat, 10)
                try check(scene)
            }
            while let (seat, action) = scene.randomDecision(&generator) {
                try scene.act(seat, action)
                try check(scene)
            }
        }
    }

    private func check(_ scene: Scene) throws {
        guard let change = scene.change, let old = change.old, case .facts(let facts) = change.news else { return }
        let note: Comment = "BJ_SEED=\(Seed.value)\n\(scene.transcript)"
        func stakes(_ table: TableSnapshot) -> [TableItem: Int] {
            Dictionary(
                uniqueKeysWithValues: table.entries.compactMap {
                    switch $0 {
                    case .bet(_, let chips), .insurance(_, let chips): ($0.item, chips)
                    default: nil
                    }
                })
        }
        try eachMoment(scene) { moment, _, isMoving in
            let table = moment.board.table
            let players = scene.snapshot.seats.map { table.player($0)?.chips }
            guard isMoving else {
                #expect(players == scene.snapshot.seats.map { scene.snapshot.player($0)?.chips }, note)
                return
            }
            // The facts before the next card; a double and a split are complete with theirs.
            let isCard = { (fact: PublicFact) in if case .card = fact { true } else { false } }
            let last = facts.lastIndex { fact in
                guard case .card(let id, _) = fact else { return false }
                return table[.card(id)] == scene.snapshot[.card(id)]
            }
            let next = facts[(last.map { $0 + 1 } ?? 0)...].firstIndex(where: isCard) ?? facts.count
            var expected = stakes(old.difference(to: scene.snapshot).clears ? old.cleared() : old)
            for (index, fact) in facts[..<next].enumerated() {
                guard case .hand(let hand, let word) = fact else { continue }
                let isComplete = index + 1 < next
                let items: [TableItem] =
                    switch word {
                    case .bet: [.bet(hand)]
                    case .doubled where isComplete: [.bet(hand)]
                    case .split where isComplete:
                        [.bet(HandIdentifier(seat: hand.seat, number: scene.snapshot.hands(ofSeat: hand.seat).count))]
                    case .insured: [.insurance(hand.seat)]
                    default: []
                    }
                for item in items { expected[item] = stakes(scene.snapshot)[item] }
            }
            #expect(stakes(table) == expected, note)
            for seat in scene.snapshot.seats {
                let sum = expected.reduce(0) { sum, stake in
                    switch stake.key {
                    case .bet(let hand) where hand.seat == seat: sum + stake.value
                    case .insurance(seat): sum + stake.value
                    default: sum
                    }
                }
                #expect(sum + (table.player(seat)?.chips ?? 9000) == 9000, note)
            }
        }
    }

    /// Random rounds, line by line: every difference ends at the newest table within its bound; none is compared, and no more cells are made than
    /// it has items.
    @Test func everyDifference_endsAtTheNewestTable_withinItsBound_andIsAppliedAsReceived() throws {
        var generator = SeededGenerator()
        for isPaced in [false, true, true] {
            var scene = try Scene([("surrender", .text("late"))], chips: [1: 9000, 2: 9000, 3: 9000], cards: "8H")
            let animator = TableAnimator()
            let board = animator.board
            func draw() { #expect(Screen(scene.view, board, size: ScreenSize(columns: 120, rows: 40)).frame.lines.count == 40) }
            board.show(scene.snapshot, me: "ann")
            draw()
            func check() throws {
                let (change, made) = (try #require(scene.change), board.cellsMade)
                #expect(board.table == change.old, "BJ_SEED=\(Seed.value)")
                animator.show(change, me: "ann", behind: MessageLog(), at: 0, left: isPaced ? nil : 0)
                draw()
                while let next = animator.nextChange {
                    #expect(isPaced && next <= TableAnimator.longest)
                    animator.advance(to: next)
                    draw()
                }
                #expect(board.table == change.new && board.tablesCompared == 1, "BJ_SEED=\(Seed.value)")
                guard case .changed(_, let difference) = change.origin else { return }
                #expect(board.cellsMade - made <= difference.entries.count, "BJ_SEED=\(Seed.value)")
            }
            for _ in 0..<2 {
                for seat in 1...3 {
                    try scene.bet(seat, 10 * Int.random(in: 1...9, using: &generator))
                    try check()
                }
                while let (seat, action) = scene.randomDecision(&generator) {
                    try scene.act(seat, action)
                    try check()
                }
                try scene.wait()
                try check()
            }
        }
    }
}
