import ClientCore
import Rules
import TableModel
import TestKit
import Testing
import Wire

@testable import TableEngine
@testable import TerminalUI

/// A round as it is felt: its result, the others, and the wait for them.
struct StoryTests {
    private func text(_ scene: Scene, _ columns: Int = 120, _ rows: Int = 40) -> String { scene.frame(columns, rows).text }

    @Test(arguments: [
        ("AS 7D KS 9D", "BLACKJACK!  You win 30."), ("TS 9D 9S TD", "19 against 19. Your bet of 20 is returned."),
        ("TS 9D 9S 9C", "19 against 18. You win 20."), ("TS 9D 8S TD", "18 against 19. You lose 20."),
        ("TS TD 8S 6D 7C", "Dealer busts with 23. You win 20."), ("TS TD 8S AD", "Dealer has blackjack. You lose 20."),
    ])
    func theResult_liesOnTheFelt_untilAKeyOrTheFirstCard(cards: String, words: String) throws {
        // Practice opens the betting in the frame of the result.
        var scene = try Scene(chips: [1: 1000], cards: cards + " 2C 3C 4C 5C 6C 7C", pace: 0)
        try scene.bet(1, 20)
        if scene.snapshot.choice(1) != nil { try scene.act(1, .stand) }
        let isPlain = text(scene).contains("6 DECKS")
        #expect(!isPlain && text(scene).contains(words) && text(scene).contains("Your bet:  20"), "\(text(scene))")
        #expect(text(scene, 80, 24).contains(words), "\(text(scene, 80, 24))")
        var pressed = scene
        _ = pressed.press(.character("+"))
        #expect(!text(pressed).contains(words) && text(pressed).contains("Your bet:  25"), "a key that acts acts")
        try scene.bet(1, 20)
        #expect(!text(scene).contains(words) && text(scene).contains("6 DECKS"))
    }

    @Test func theChart_isAskedForOnce_whereItHasAPlaceBesideTheTable() throws {
        var player = try Scene(cards: "9H 8S").view
        func asked(_ event: PlayerSession.Event) -> Bool {
            player.handle(event, at: player.now).contains(.send(.chart(table: "main"), nil))
        }
        let places = [(200, 60), (200, 40), (120, 60)].map { Screen.hasRoomForChart(ScreenSize(columns: $0, rows: $1)) }
        #expect(places == [true, false, false])
        #expect(!asked(.sized(hasRoomForChart: false)) && asked(.sized(hasRoomForChart: true)))
        #expect(!asked(.sized(hasRoomForChart: true)))
    }

    @Test func aRemark_isMade_whereThereIsSomethingToSay() {
        var tally = SessionTally()
        func play(_ net: Int, chips: Int, _ outcome: Outcome = .win) -> SafeText? {
            let hand = HandIdentifier(seat: 1, number: 1)
            let cards: [TableEntry] = [.card(1, .dealer, Card("9H"))]
            func table(_ entries: [TableEntry]) -> TableSnapshot {
                let base: [TableEntry] = [.round(tally.hands + 1), .player(1, Player(name: "ann", chips: chips))]
                return (try? TableSnapshot().applying(TableDifference(entries: base + entries))) ?? TableSnapshot()
            }
            let new = table([.phase(.settled), .bet(hand, 20), .result(hand, HandResult(outcome: outcome, net: net))] + cards)
            tally.take(TableChange(table: "main", revision: 1, old: table([.phase(.playing)] + cards), new: new), me: "ann")
            return tally.last?.remark
        }
        #expect(play(30, chips: 1030, .blackjack) == nil && tally.last?.isBig == true)
        #expect(play(30, chips: 1060, .blackjack) == "Your 2nd blackjack today.")
        #expect(play(20, chips: 1080) == "Your 3rd win in a row." && tally.last?.isBig == false)
        #expect(play(-1020, chips: 60, .lose) == nil)
        #expect(play(1500, chips: 1560) == "Back from 60 chips.")
        #expect(play(1600, chips: 3160) == "Your biggest win today." && tally.last?.isBig == true)
    }

    @Test func theLog_hasGreatMomentsOfOthers_andAllOfOnesOwn() throws {
        // Ann doubles and busts with 200; bob hits; cid busts with 10.
        var scene = try Scene(
            me: "bob", chips: [1: 1000, 2: 1000, 3: 1000], cards: "5H 8S TH 6D 6C 4C 6S TD TC 2C TS 9C 5D")
        for (seat, bet) in [(1, 100), (2, 20), (3, 10)] { try scene.bet(seat, bet) }
        try scene.act(1, .double)
        try scene.act(2, .hit)
        try scene.act(2, .stand)
        try scene.act(3, .hit)
        let log = scene.view.messages.map(\.text.text)
        #expect(
            log == [
                "ann doubles (bet 200) and draws the 10♣: 21.", "You hit and draw the 2♣: 14.", "You stand on 14.",
                "Dealer 6, 10, 9: bust 25. ann and you win.", "Round 1: won 20, 1020 chips.",
            ], "\(log)\n\(scene.transcript)")
    }

    @Test func theQuestion_namesWhomTheTableWaitsFor_andAnIdleSecondIsCheap() throws {
        let chips = Dictionary(uniqueKeysWithValues: (1...5).map { ($0, 1000) })
        var scene = try Scene(me: "dee", chips: chips, cards: "9H 8S 7D 7C 6D TC 9S 8D 7S 6C 5D 2C")
        func expect(_ words: String, _ location: SourceLocation = #_sourceLocation) {
            #expect(text(scene, 80, 24).contains(words), "\(text(scene, 80, 24))", sourceLocation: location)
            let (first, size) = (scene.frame(80, 24), ScreenSize(columns: 80, rows: 24))
            var next = scene
            next.handle(.tick, after: 1000)
            for colors in [true, false] {
                let drawing = next.frame(size.columns, size.rows).drawing(over: first, for: .init(hasColors: colors))
                #expect((1...60).contains(drawing.utf8.count), "\(drawing.debugDescription)", sourceLocation: location)
            }
        }
        try scene.bet(4, 10)
        expect("Waiting for ann, bob and 2 more")
        try scene.bet(2, 10)
        try scene.bet(3, 10)
        expect("Waiting for ann and eve")
        for seat in [1, 5] { try scene.bet(seat, 10) }
        expect("It is ann's turn. You act 4th.")
        try scene.stand(1, 2)
        expect("It is cid's turn. You are next.")
        try scene.step("cid is away", .disconnected(player: PlayerID(3)))
        try scene.wait(4000)
        #expect(scene.snapshot.player(3)?.presence == .away)
        expect("cid is away:")
        try scene.stand(3, 4)
        expect("It is eve's turn.")
    }

    @Test func theClient_says_whatItKnowsWithoutTheServer() throws {
        var scene = try Scene(cards: "2C")
        var here = TableSummary.of("ann")
        scene.edit { $0.state.lobby = [here] }
        let refused: [(PlayerCommand, String?)] = [
            (.kick("Ann"), "You can't kick yourself."), (.kick("zoe"), "Nobody named zoe is here."), (.kick("BOB"), nil),
            (.sit(seat: 3), "You already have seat 1."),
        ]
        for (command, words) in refused { #expect(scene.view.refusal(of: command)?.text == words, "\(command)") }
        here.watchers = 1
        scene.edit { $0.state.lobby = [here] }
        #expect(scene.view.refusal(of: .kick("zoe")) == nil, "those who watch have no names here")
        _ = scene.press(.delete)
        #expect(scene.view.betAmount == 0, "never 1 of 10")
    }

    @Test func theChart_marksTheCellOfTheHand() throws {
        var scene = try Scene(chips: [1: 1000], cards: "TS TD 6H 7C")
        try scene.bet(1, 10)
        let digest = try #require(scene.view.state.snapshot?.tableRules?.digest)
        let rows = [StrategyChart.Row.hard(15), .hard(16), .hard(17)].map { hand in
            var row = ValueChart.Row(hand, stand: Array(repeating: -5400, count: 10), hit: Array(repeating: -5300, count: 10))
            row.play = Array(repeating: hand == .hard(17) ? .stand : .hit, count: 10)
            return row
        }
        _ = scene.press(.character("c"))
        scene.update(.chart(ValueChart(digest: digest, edge: 0, insurance: [], rows: rows)))
        let marked = scene.frame(80, 24).lines.flatMap(\.spans).filter {
            $0.style.isSuperset(of: [.bold, .inverse]) && $0.text.text == "  H"
        }
        #expect(marked.count == 1 && scene.view.chartCell?.upCard == .ten)
        scene.enter(.escape)
        try scene.act(1, .stand)
        #expect(scene.view.chartCell == nil)
    }

    @Test(arguments: [(80, 24), (120, 40), (200, 60)])
    func theCardsOfOthers_haveOneSize(columns: Int, rows: Int) throws {
        let chips = Dictionary(uniqueKeysWithValues: (1...7).map { ($0, 1000) })
        var scene = try Scene(me: "ann", chips: chips, cards: "9H 8S 7D 7C 6D TC 4S KS 9S 8D 7S 6C 5D 2C 4C 7H 5S 4D TH 2D 9C")
        for seat in 1...7 { try scene.bet(seat, 10) }
        try scene.stand(1, 2)
        try scene.act(3, .hit)
        if scene.snapshot.choice(3) != nil { try scene.act(3, .hit) }
        let text = scene.frame(columns, rows).text
        let others = scene.board.seats.filter { !$0.isMine && !$0.hands.isEmpty }
        let isFace = { (card: TableCell) in text.contains("│\(card.text.text)") }
        let cards = others.flatMap(\.hands).flatMap(\.cards)
        #expect(cards.count > 12 && cards.count(where: isFace) == (columns == 200 ? cards.count : 0), "\(text)")
    }
}
