import ClientCore
import Rules
import TableModel
import TestKit
import Testing

@testable import TableEngine
@testable import TerminalUI

/// The table at all sizes from 40 × 12 to 200 × 60.
struct SizeTests {
    private static let sizes = [(40, 12), (60, 18), (80, 24), (120, 40), (160, 45), (200, 60)]

    /// Five players; bob has split and is asked for his second hand.
    private func split() throws -> Scene {
        let chips = Dictionary(uniqueKeysWithValues: [1, 2, 4, 5, 7].map { ($0, 1000) })
        var scene = try Scene(me: "bob", chips: chips, cards: "9H 8S KD 10D AC 6D 7D 8D 4C 9S 5C 3S 2C 9C 10S")
        for seat in [1, 2, 4, 5, 7] { try scene.bet(seat, 25) }
        try scene.act(1, .hit)
        if scene.snapshot.choice(1) != nil { try scene.act(1, .stand) }
        try scene.act(2, .split)
        try scene.act(2, .stand)
        return scene
    }

    @Test(arguments: sizes)
    func aSplitHand_isPlayable(columns: Int, rows: Int) throws {
        let scene = try split()
        #expect(scene.view.situation != .waiting)
        try expectGolden(scene.frame(columns, rows).text, "split-\(columns)x\(rows).txt")
    }

    /// Betting, waiting, the insurance asked for, a turn with the chat line open, another's turn with and without the rules, the dealer's
    /// play, the result, the bets after it.
    @Test(arguments: [(40, 12), (80, 24), (120, 40), (200, 60)])
    func aRound_looksLikeThis(columns: Int, rows: Int) throws {
        var scene = try Scene(cards: "9H 8S AD 7D 9C 5C 3S TH 4H QS")
        var frames: [String] = []
        func see(_ moment: String) { frames.append("== \(moment)\n" + scene.frame(columns, rows).text) }
        see("betting")
        try scene.bet(1, 25)
        see("waiting for the others")
        try scene.bet(2, 10)
        see("insurance")
        for seat in [1, 2] where scene.snapshot.choice(seat) != nil { try scene.act(seat, .decline) }
        scene.edit { $0.say(Sentence(.chat, "bob: good luck")) }
        for key in "tthank".unicodeScalars { _ = scene.press(.character(key)) }
        see("chat line")
        _ = scene.press(.escape)
        try scene.act(1, .stand)
        see("another's turn")
        _ = scene.press(.character("v"))
        see("rules")
        _ = scene.press(.escape)
        try scene.act(2, .stand)
        let settled = scene
        try settled.eachMoment { moment, time, _ in
            scene = moment
            if (1...2 * TableAnimator.draw).contains(time) { see("dealer's play, after \(time) ms") }
        }
        scene = settled
        see("result")
        try scene.wait()
        see("between rounds")
        try expectGolden(frames.joined(), "round-\(columns)x\(rows).txt")
    }

    @Test(arguments: [(40, 12), (120, 40), (200, 60)])
    func beforeAndAfterTheRound_theTableKeepsItsPlaces(columns: Int, rows: Int) throws {
        var scene = try split()
        try scene.act(2, .stand)
        for seat in [4, 5, 7] { while scene.snapshot.choice(seat) != nil { try scene.act(seat, .stand) } }
        try expectGolden(scene.frame(columns, rows).text, "settled-\(columns)x\(rows).txt")
        try scene.wait()
        try expectGolden(scene.frame(columns, rows).text, "bets-\(columns)x\(rows).txt")
    }

    @Test(arguments: [(40, 12), (60, 18), (120, 36)])
    func severalSeats_ofOnePlayer_areAllOnTheScreen(columns: Int, rows: Int) throws {
        var scene = try Scene([("seatsPerPlayer", .integer(3))], cards: "9H 8S KD 10D 6C 6D 7D 8D 4C")
        let profile = PlayerProfile(name: "ann")
        for seat in [3, 5] { try scene.step("sit", .sit(player: PlayerID(1), profile: profile, seat: seat, chips: 1000)) }
        for seat in [1, 3, 5] { try scene.step("bet", .bet(player: PlayerID(1), seat: seat, amount: 10)) }
        try scene.bet(2, 10)
        check(scene, columns, rows)
        try expectGolden(scene.frame(columns, rows).text, "seats-\(columns)x\(rows).txt")
    }

    @Test func movesWithLongMeanings_areAllOnTheNarrowestScreen() {
        let moves = ["hit", "stand", "double for 1000000", "split for 1000000", "surrender, −1000000"]
        let hints = moves.map { KeyMap.Hint(key: SafeText(String($0.prefix(1))), meaning: SafeText($0), use: .move) }
        let others = ["o", "q", "t", "v", "?"].map { KeyMap.Hint(key: $0, meaning: "something", use: .general) }
        let lines = StyledText.lines(of: hints + others, columns: 40)
        #expect(lines.count <= 4 && lines.allSatisfy { $0.columns <= 40 })
        for move in moves { #expect(lines.contains { $0.text.contains(move) }) }
        #expect(lines.last?.text.hasSuffix(" o q t v ?") == true)
    }

    @Test func largeCards_areASCII_whereTheTerminalIs() throws {
        let frame = try split().frame(200, 60)
        let drawing = frame.drawing(over: nil, for: .init(isUnicode: false, hasColors: false))
        #expect(drawing.utf8.allSatisfy { $0 < 0x80 })
        let text = drawing.replacing(/\u{1B}\[[0-9;]*[A-Za-z]/, with: "")
        #expect(text.contains(" S   S ") && text.contains("+-----------+"))
    }

    @Test func everyCard_fitsItsBox_withThePipsOfARealOne() throws {
        for suit in Suit.allCases {
            for rank in Rank.allCases {
                let cell = TableCell(.card(1, .dealer, Card(rank, suit)), me: "")
                for (size, height, width) in [(CardSize.small, 3, 5), (.big, 9, 13)] {
                    let lines = try #require(size.lines([cell], 20))
                    #expect(lines.count == height && lines.allSatisfy { $0.columns == width }, "\(lines.map(\.text))")
                }
                let text = CardSize.big.lines([cell], 20)?.map(\.text).joined() ?? ""
                let pips = text.count { $0 == suit.symbol } - 2
                // A figure wears its suit.
                #expect(
                    rank.points == 10 && rank != .ten ? (2...3).contains(pips) : pips == (rank.isAce ? 1 : rank.points), "\(text)"
                )
            }
        }
        func figure(_ rank: Rank) -> [String] {
            CardSize.big.lines([TableCell(.card(1, .dealer, Card(rank, .clubs)), me: "")], 20)?.map {
                String($0.text.dropFirst(3))
            } ?? []
        }
        #expect(Set([figure(.jack), figure(.queen), figure(.king)]).count == 3)
        let pips = figure(.seven).map { String($0.prefix(7)) }.filter { $0.contains("♣") }
        #expect(pips == [" ♣   ♣ ", "   ♣   ", " ♣   ♣ ", " ♣   ♣ "])
    }

    @Test func cardsWithoutRoom_areFannedOut_andEachShowsItsRank() throws {
        let cells = [Rank.ten, .nine, .king, .ace].map { TableCell(.card(1, .dealer, Card($0, .hearts)), me: "") }
        #expect(CardSize.big.lines(cells, 60)?[1].text.contains("K ") == true)
        #expect(CardSize.big.lines(cells, 31)?[1].text == "│10 ♥ │9  ♥ │K    │A          │")
        // In colours, too: cards that touch have outlines.
        #expect(CardSize.big.lines(cells, 31)?[0].spans.allSatisfy { !$0.style.contains(.edge) } == true)
        #expect(CardSize.big.lines(cells, 60)?[0].spans.contains { $0.style.contains(.edge) } == true)
        #expect(CardSize.small.lines(cells, 17)?[1].text == "│10♥│9♥ │K♥ │A♥ │")
        #expect(CardSize.big.lines(cells, 22)?[1].text == "│10│9 │K │A          │")
        #expect(CardSize.big.lines(cells, 21) == nil && CardSize.small.lines(cells, 16) == nil)
    }

    /// Cards that are drawn, moves that come and go and answers to keys leave the felt, the dealer and the question where they are.
    @Test(arguments: [(120, 40), (200, 60)])
    func inARound_theTableKeepsItsPlaces_andPanelsLeaveTheDealerAndTheHand(columns: Int, rows: Int) throws {
        let chips = Dictionary(uniqueKeysWithValues: (1...5).map { ($0, 1000) })
        let cards = "8H 2S 3D 2D 3C 6D 8D 2C 3S 2H 4C 9C 8C 4S 2S 3C 2D 3H 5C 4D 2S 3S 3D 2H 4H 5H"
        var scene = try Scene(chips: chips, cards: cards)
        var places: Set<[Int?]> = []
        func look() {
            let lines = scene.frame(columns, rows).lines
            let big = lines.indices.filter { lines[$0].text.contains("┌───────────┐") }
            let bar = lines.firstIndex { $0.text.contains("━ ") && $0.text.contains(" s ") }
            places.insert([lines.count { $0.spans.contains { $0.style.contains(.felt) } }, big.count, big.first, big.last, bar])
        }
        for seat in 1...5 { try scene.bet(seat, 25) }
        for _ in 0..<2 { try scene.act(1, .split) }
        look()
        #expect(scene.view.situation != .waiting && scene.snapshot.hands(ofSeat: 1).count == 3)
        _ = scene.press(.character("Z"))
        look()
        while scene.snapshot.choice(1) != nil { try scene.stand(1) }
        for seat in 2...3 {
            try scene.act(seat, .hit)
            look()
            try scene.stand(seat)
        }
        #expect(places.count == 1, "\(places) \(scene.frame(columns, rows).text)")
        let box = "┌" + String(repeating: "─", count: 82) + "┐"
        for key in "v?" {
            _ = scene.press(.character(Unicode.Scalar(String(key)) ?? "v"))
            let text = scene.frame(columns, rows).text
            for words in ["Dealer", "You 3", "'s turn", box] { #expect(text.contains(words), "\(words)\n\(text)") }
            _ = scene.press(.escape)
        }
    }

    /// Random rounds at random sizes with chat: the limits of the screen hold.
    @Test func atEverySize_theHand_theDealer_andEveryMove_areOnTheScreen() throws {
        var generator = SeededGenerator()
        for _ in 0..<Thorough.count(14, most: 600, quick: 4) {
            let players = (1...7).shuffled(using: &generator).prefix(Int.random(in: 1...7, using: &generator)).sorted()
            let me = players.randomElement(using: &generator) ?? 1
            let cards = (0..<60).map { _ in
                // Few values: pairs to split, and long hands.
                Card(Rank(rawValue: UInt8.random(in: 0...3, using: &generator)) ?? .ace, Suit(rawValue: 1) ?? .spades).description
            }
            let chips = Dictionary(uniqueKeysWithValues: players.map { ($0, 100_000) })
            var scene = try Scene(me: Scene.names[me - 1], chips: chips, cards: cards.joined(separator: " "))
            check(scene, &generator)
            for seat in players { try scene.bet(seat, Int.random(in: 2...100, using: &generator) * 5) }
            for _ in 0..<60 {
                guard scene.snapshot.round?.phase.isInPlay == true else { break }
                if let seat = players.first(where: { scene.snapshot.choice($0) != nil }),
                    let choice = scene.snapshot.choice(seat)
                {
                    let options = choice.options.map(\.action)
                    let action = options.contains(.split) ? .split : options.randomElement(using: &generator) ?? .stand
                    try scene.act(seat, action)
                } else {
                    try scene.wait()
                }
                scene.edit { $0.say(Sentence(.chat, "dee: a line of chat that is longer than the narrowest screen is wide")) }
                check(scene, &generator)
            }
        }
    }

    /// Every key that is offered has an effect, and no hostile name moves the cursor.
    @Test func theListOfTables_andTheFormOfTheName_fitAnyTerminal_whateverIsSentOrTyped() throws {
        var tables = try (0..<500).map { index in
            TableSummary(
                name: "t\u{1B}[2J\u{202E}王\(index)", seats: 7, freeSeats: index % 8,
                players: Array(repeating: "x\u{7}\u{1B}]0;y", count: 40), watchers: 1 << 53,
                rules: try HouseRules().with([("maximumBet", .integer(1_000_000_000))]))
        }
        tables.append(tables[0])
        var player = PlayerSession(.init(host: "", port: 0, name: .given("ann")), .keys)
        player.state.lobby = tables
        player.lobby = LobbyView()
        player.lobby?.notice = SafeText(String(repeating: "long ", count: 100))
        for keys in [[], [Key.end], [.pageDown, .right], [.character("/"), .character("王")]] {
            for key in keys { player.press(key, at: 0) }
            fits { LobbyScreen(lobby: player.lobby ?? LobbyView(), view: player, size: $0).frame }
        }
        player = PlayerSession(.init(host: "", port: 0, name: .asked(suggestion: "")), .keys)
        for scalar in String(repeating: "王\u{1B}[2J", count: 60).unicodeScalars {
            player.press(.character(scalar), at: 0)
        }
        #expect(player.join.map { $0.name.utf8.count <= 130 } == true)
        _ = player.handle(.tick, at: 250)
        fits { JoinScreen(view: player.join ?? JoinView(server: ""), player: player, size: $0).frame }
    }

    private func fits(_ draw: (ScreenSize) -> Frame) {
        for columns in [1, 2, 9, 10, 11, 27, 40, 59, 60, 80, 99, 100, 133, 200] {
            for rows in [1, 2, 5, 6, 7, 9, 10, 12, 18, 24, 60] {
                let frame = draw(ScreenSize(columns: columns, rows: rows))
                #expect(frame.lines.count == rows && frame.lines.allSatisfy { $0.columns <= columns })
                #expect(frame.text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0 != "\u{202E}" || $0 == "\n" })
            }
        }
    }

    private func check(_ scene: Scene, _ generator: inout SeededGenerator) {
        for _ in 0..<6 {
            let (columns, rows) = (Int.random(in: 40...200, using: &generator), Int.random(in: 12...60, using: &generator))
            check(scene, columns, rows)
        }
        check(scene, 40, 12)
    }

    private func check(_ scene: Scene, _ columns: Int, _ rows: Int) {
        let screen = Screen(scene.view, scene.board, size: ScreenSize(columns: columns, rows: rows))
        let frame = screen.frame
        #expect(frame.lines.allSatisfy { $0.spans.last { $0.style.contains(.felt) }?.text.text != "…" }, "\(frame.text)")
        let note: Comment = "\(columns)x\(rows) BJ_SEED=\(Seed.value)\n\(frame.text)"
        #expect(frame.lines.count == rows && frame.lines.allSatisfy { $0.columns <= columns }, note)
        let text = frame.text
        let hands = screen.ownHands.filter { $0.seat != screen.active?.seat || $0.isActive || rows >= 14 }
        for hand in hands + [screen.dealer] { #expect(shows(text, hand.cards), note) }
        for hint in KeyMap(scene.view).hints where hint.use != .extra {
            let words = hint.use == .move ? "\(hint.key) \(hint.short ?? hint.meaning)" as SafeText : hint.key
            #expect(text.contains(words.text) || text.contains("\(hint.key) \(hint.meaning)"), "\(hint) \(note)")
        }
        if case .asked = scene.view.situation, let seconds = scene.view.secondsLeft {
            #expect(text.contains("\(seconds) s"), note)
        }
    }

    /// Whether cards stand side by side in a line, in any of the card sizes, apart or fanned out.
    private func shows(_ text: String, _ cards: [TableCell]) -> Bool {
        guard !cards.isEmpty else { return true }
        if ["", " "].contains(where: { text.contains(cards.map(\.text.text).joined(separator: $0)) }) { return true }
        // The widest first, which most screens have.
        return (5...15 * cards.count).lazy.reversed().contains { room in
            [CardSize.big, .small].contains { $0.lines(cards, room).map { text.contains($0[1].text.trimmed) } ?? false }
        }
    }
}

extension String {
    fileprivate var trimmed: String {
        var text = self
        while text.last == " " { text.removeLast() }
        return text
    }
}
