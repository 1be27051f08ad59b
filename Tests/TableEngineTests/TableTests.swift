import Fairness
import Rules
import TableModel
import Testing

@testable import TableEngine

/// Whole shoes, and states and numbers that play does not reach. The rest is in `Scenes`.
struct TableTests {
    @Test func withoutAGrace_aCutPlayerIsAwayAtOnce() throws {
        var table = Table(rules: HouseRules(), pace: Pace(graceMilliseconds: 0))
        var sink = FactList()
        let (now, player) = (Timestamp(milliseconds: 5), PlayerID(1))
        try table.perform(.sit(player: player, profile: PlayerProfile(name: "a"), seat: nil, chips: 100), at: now, into: &sink)
        try table.perform(.disconnected(player: player), at: now, into: &sink)
        #expect(table.playerView(player)?.isAway == true)
    }

    @Test func blackjackPayouts_areWholeChips_roundedUp() {
        let cases: [(HouseRules.BlackjackPays, Int, Int)] = [
            (.threeToTwo, 10, 15), (.threeToTwo, 5, 8), (.sixToFive, 10, 12), (.sixToFive, 11, 14), (.sevenToFive, 10, 14),
            (.sevenToFive, 7, 10), (.twoToOne, 7, 14), (.oneToOne, 7, 7), (.threeToTwo, 1, 2),
        ]
        for (rule, stake, winnings) in cases { #expect(rule.winnings(on: stake) == winnings) }
    }

    @Test func aSplitCard_keepsItsIdentity() throws {
        var game = try Game.dealt(cards: "8H 6D 8D KS 3C 2C TD TC")
        let before = game.table.ids(1)
        try game.act(.split)
        #expect(game.table.ids(1, 0)[0] == before[0])
        #expect(game.table.ids(1, 1)[0] == before[1])
    }

    // MARK: The shoe

    @Test(arguments: 1...8)
    func everyShuffle_holdsEachCard_asOftenAsThereAreDecks(decks: Int) throws {
        let rules = try HouseRules([("decks", .integer(decks))])
        let key = try #require(ShoeKey(Array(repeating: UInt8(decks), count: 32)))
        for source in [ShoeSource.seeded(3), .keyed(key)] {
            var shoe = Shoe(rules)
            shoe.shuffle(source, number: 1)
            #expect(counts(shoe.order[...]) == Array(repeating: decks, count: 52))
            // Run out with nothing discarded: as many packs again, and the cards in play stay what they are.
            let first = shoe.order
            while !shoe.isExhausted { shoe.draw() }
            shoe.reshuffle()
            #expect(Array(shoe.order[..<first.count]) == first)
            #expect(counts(shoe.order[first.count...]) == Array(repeating: decks, count: 52))
            shoe.shuffle(source, number: 2)
            #expect(shoe.order == first, "a shoe follows from its source alone")
        }
    }

    private func counts(_ cards: ArraySlice<Card>) -> [Int] {
        cards.reduce(into: Array(repeating: 0, count: 52)) { $0[Int($1.code)] += 1 }
    }

    @Test func whatLiesFaceUp_isSeen_andAnewWhereTheShoeRunsOut_orWhereItIsShuffled() throws {
        let rules = try HouseRules([("decks", .integer(1)), ("assist", .flag(true))])
        var table = Table(rules: rules)
        for seat in 1...4 {
            table.apply(.sat(player: PlayerID(seat), profile: PlayerProfile(name: "p"), seat: seat, chips: 100))
            table.apply(.betPlaced(seat: seat, amount: 10))
        }
        var shown = SeenCards()
        func shuffle(_ number: Int) {
            table.apply(.shoeSupplied(.seeded(UInt64(number))))
            table.apply(.shuffled(shoe: number, source: .seeded(UInt64(number))))
            table.apply(.burned(CardID(rawValue: 0)))
            table.apply(.roundStarted(round: number))
        }
        func deal(_ count: Int) {
            for _ in 0..<count {
                let (id, card) = (CardID(table.state.core.shoe.drawn), table.state.core.shoe.next)
                shown.add(card)
                table.apply(.dealt(id, card, seat: 1 + Int(id.rawValue) % 4, hand: 0))
            }
        }
        shuffle(1)
        let hole = table.state.core.shoe.order[2]
        table.apply(.dealtToDealer(CardID(rawValue: 1), table.state.core.shoe.next))
        shown.add(table.state.core.shoe.order[1])
        table.apply(.holeDealt(CardID(rawValue: 2)))
        deal(49)
        #expect(table.state.core.seen == shown, "all but the burned card and the hole card")
        table.apply(.reshuffled(cards: 1))
        #expect(table.state.core.seen == shown, "only the burned card came back")
        deal(1)
        table.apply(.reshuffled(cards: 52))
        shown = SeenCards()
        #expect(table.state.core.seen == shown, "fresh packs")
        deal(3)
        #expect(table.state.core.seen == shown)
        table.apply(.holeRevealed(CardID(rawValue: 2), hole))
        shown.add(hole)
        #expect(table.state.core.seen == shown && TableSnapshot(table)[.seen] == .seen(shown))
        table.apply(.roundEnded(until: Timestamp(milliseconds: 0)))
        shuffle(2)
        #expect(table.state.core.seen == SeenCards())
    }

    @Test func theCut_liesWhereThePenetrationSays_andIsShown() throws {
        for (decks, penetration, cut) in [(6, 0.75, 234), (8, 0.95, 395), (1, 0.3, 16), (2, 0.5, 52)] {
            let rules = try HouseRules([("decks", .integer(decks)), ("penetration", .number(penetration))])
            #expect(rules.cardsBeforeCut == cut)
            #expect(Table(rules: rules).state.core.shoe.cut == cut)
        }
    }

    @Test func neitherABetNorADecision_changesACardThatIsNotDrawn() throws {
        var orders: Set<[Card]> = []
        for (bet, action) in [(10, Action.hit), (10, .stand), (500, .double), (11, .split)] {
            var game = try Game.dealt(cards: "8H 6D 8D 5S 2C 3C 4C TC TD", bets: [1: bet])
            try game.act(action)
            while game.turn != nil { try game.act(.stand) }
            orders.insert(game.table.state.core.shoe.order)
        }
        #expect(orders.count == 1)
    }

    // MARK: Seats and bets

    @Test func aPlayerWhoOwnsAllThatAMessageCanSay_bets_noMore() throws {
        var game = try Game([("minimumBet", .integer(10))], cards: "TH")
        let limit = TableState.bettingLimit
        #expect(limit < 1 << 53 && limit > TableState.chipsLimit)
        for (player, chips) in [(UInt64(2), limit), (3, limit + 1), (4, Int.max)] {
            let id = PlayerID(rawValue: player)
            game.table.apply(.sat(player: id, profile: PlayerProfile(name: "x"), seat: Int(player), chips: chips))
            let bet = Command.bet(player: id, seat: nil, amount: 10)
            if chips == limit {
                try game.table.validate(bet, at: Timestamp(milliseconds: 0))
            } else {
                #expect(throws: Rejection.chipsOutOfRange(chips: chips, allowed: 0...limit)) {
                    try game.table.validate(bet, at: Timestamp(milliseconds: 0))
                }
            }
        }
    }

    @Test func playersWhoseNumbersDifferAbove32Bits_areDifferentPlayers() throws {
        var game = try Game([("minimumBet", .integer(10))], cards: "TH")
        for (seat, number) in [(2, UInt64(7)), (3, 7 + 1 << 32), (4, UInt64.max)] {
            let player = PlayerID(rawValue: number)
            try game.perform(.sit(player: player, profile: PlayerProfile(name: "x"), seat: seat, chips: 100))
            #expect(game.table.player(seat: seat) == player)
        }
    }

    @Test func aRound_isNotBegun_withoutTheShoeItNeeds() throws {
        var table = Table(rules: HouseRules())
        var facts = FactList()
        let now = Timestamp(milliseconds: 0)
        try table.perform(
            .sit(player: PlayerID(1), profile: PlayerProfile(name: "a"), seat: nil, chips: 100), at: now, into: &facts)
        try table.perform(.bet(player: PlayerID(1), seat: nil, amount: 10), at: now, into: &facts)
        #expect(table.needsShoeSource)
        #expect(RoundPhase(table.phase) == .betting)
        #expect(table.deadline == nil)
        try table.perform(.tick, at: now.adding(seconds: 100), into: &facts)
        #expect(table.round == 0)
        try table.perform(.supplyShoe(.seeded(3)), at: now.adding(seconds: 100), into: &facts)
        #expect(table.round == 1)
        #expect(facts.facts.contains(.shuffled(shoe: 1, source: .seeded(3))))
    }

    @Test func theFirstCards_areBurned_unseen_andCount() throws {
        var table = Table(rules: try HouseRules([("burn", .integer(3))]))
        var facts = FactList()
        let now = Timestamp(milliseconds: 0)
        try table.perform(.supplyShoe(.seeded(3)), at: now, into: &facts)
        try table.perform(
            .sit(player: PlayerID(1), profile: PlayerProfile(name: "a"), seat: nil, chips: 100), at: now, into: &facts)
        try table.perform(.bet(player: PlayerID(1), seat: nil, amount: 10), at: now, into: &facts)
        #expect(facts.facts.count { if case .burned = $0 { true } else { false } } == 3)
        #expect(table.ids(1)[0] == CardID(rawValue: 3))
    }

    @Test func aShoeThatRunsOut_goesOnWithTheDiscardsOfEarlierRounds() throws {
        var game = try Game([("decks", .integer(1)), ("penetration", .number(0.95))], cards: "TH")
        // 43 cards were played before; nine are left when the round begins, so the dealer's first card from the discards is the tenth.
        while game.table.state.core.shoe.drawn < 43 { game.table.state.core.shoe.draw() }
        let earlier = Set(game.table.state.core.shoe.order[..<43])
        game.stack("2H 6D 3H 5S 2C 2D 2S 3C 3D")
        try game.bet()
        for _ in 0..<5 { try game.act(.hit) }
        #expect(game.table.state.core.shoe.remaining == 0)
        try game.act(.hit)
        #expect(game.facts.contains(.reshuffled(cards: 43)))
        let last = try #require(game.table.ids(1).last)
        #expect(last == CardID(rawValue: 52))
        #expect(earlier.contains(game.table.state.core.shoe[last]))
        #expect(Set(game.table.state.core.shoe.order[52...]) == earlier)
    }

    @Test func sevenSeatsOfFourHands_inAOneDeckGame_areAllPlayedOut() throws {
        // T18: every card is an eight until no further split is possible.
        var game = try Game(
            [("decks", .integer(1)), ("penetration", .number(0.95))],
            chips: Dictionary(uniqueKeysWithValues: (1...7).map { ($0, 1000) }), cards: "8H")
        for i in game.table.state.core.shoe.order.indices { game.table.state.core.shoe.order[i] = Card(.eight, .hearts) }
        try game.bet(Dictionary(uniqueKeysWithValues: (1...7).map { ($0, 10) }))
        var hits = 0
        while let turn = game.turn {
            if game.legal(turn.seat).contains(.split) {
                try game.act(.split, seat: turn.seat)
            } else {
                try game.act(hits % 2 == 0 ? .hit : .stand, seat: turn.seat)
                hits += 1
            }
        }
        #expect(game.table.phase == .waiting)
        #expect((1...7).map { game.table.handCount(seat: $0) }.reduce(0, +) >= 25)
        #expect(game.facts.contains { if case .reshuffled = $0 { true } else { false } })
    }

    // MARK: Time

    private static let rounds = String(repeating: "TH TD 6D 9H 9D 5S TC ", count: 12)

    private func spent(_ game: Game, _ player: UInt32) -> Int {
        game.table.state.slot(of: PlayerID(player)).map { game.table.state.players[$0].spent } ?? -1
    }

    private func clock(_ game: Game) -> Int {
        game.table.deadline.map { Int($0.milliseconds - game.now.milliseconds) } ?? -1
    }

    /// Replays the facts to an equal table, and restores it from what is saved.
    private func expectReplay(_ game: Game) throws {
        #expect(try Table(game.table.saved) == game.table)
    }

    /// A player with time left is waited for, whatever another has.
    @Test func aBettingEndsEarly_onlyForPlayersWithoutTime() throws {
        var game = try Game(chips: [1: 1000, 2: 1000, 3: 1000], cards: Self.rounds, bank: 10_000)
        game.table.apply(.charged(player: PlayerID(2), milliseconds: 10_000, from: game.now))
        try game.bet([1: 10])
        #expect(clock(game) == 15_000)
        try game.wait(6)
        try game.bet([3: 10])
        try game.perform(.tick)
        #expect(game.table.round == 1 && game.table.handCount(seat: 2) == 0)
    }

    @Test func aQuestionToAll_endsWhenOnlyAPlayerWithoutTimeIsAsked() throws {
        var game = try Game(chips: [1: 1000, 2: 1000], cards: "TH TD AD 9H 9D 5S TC", bank: 10_000)
        game.table.apply(.charged(player: PlayerID(2), milliseconds: 10_000, from: game.now))
        try game.bet([1: 10, 2: 10])
        // The round has given 5 s back.
        game.table.apply(.charged(player: PlayerID(2), milliseconds: 5000, from: game.now))
        #expect(clock(game) == 10_000)
        try game.wait(2)
        try game.act(.decline)
        #expect(clock(game) == 3000)
        try game.wait(3)
        #expect(game.turn?.seat == 1)
    }

    private func newcomers() throws -> Game {
        var game = try Game.dealt([("midShoeEntry", .flag(false))], chips: [1: 1000], cards: "TH 6D 9H 5S TC", bank: 30_000)
        try game.act(.stand)
        for number in 2...3 {
            let profile = PlayerProfile(name: "p\(number)")
            try game.perform(.sit(player: PlayerID(UInt32(number)), profile: profile, seat: number, chips: 1000))
        }
        return game
    }

    @Test func anotherPace_leavesRunningClocks_andNobodyOwesMoreThanABankHolds() throws {
        var game = try Game.dealt(chips: [1: 1000, 2: 1000], cards: Self.rounds, bets: [1: 10, 2: 10])
        var pace = game.table.pace
        pace.bankMilliseconds = 7000
        game.table.change(to: pace, at: game.now)
        #expect(clock(game) == 15_000)
        try expectReplay(game)
        try game.wait(14)
        try game.act(.stand)
        #expect(spent(game, 1) == 7000 && clock(game) == 12_000)
        try game.wait(9)
        try game.act(.stand, seat: 2)
        #expect(spent(game, 2) == 4000)
        for (bank, left) in [(9000, 4000), (1000, 1000), (0, 0), (9000, 0)] {
            pace.bankMilliseconds = bank
            game.table.change(to: pace, at: game.now)
            #expect(spent(game, 2) == left && game.table.pace == pace)
            try expectReplay(game)
        }
    }

    @Test func anotherPace_makesNobodyWhoWaitsForTheShuffleLate() throws {
        var game = try newcomers()
        game.now = game.now.adding(milliseconds: 10_000)
        for sitOut in [5_000_000, 60_000, 600_000] {
            let pace = Pace(settledMilliseconds: 0, sitOutMilliseconds: sitOut, bankMilliseconds: 30_000)
            game.table.change(to: pace, at: game.now)
            let rest = game.table.nextEvent.map { $0.milliseconds - game.now.milliseconds }
            #expect(rest == 20_000, "\(sitOut)")
        }
    }

    // MARK: Requests

    @Test func aBetThatLiesThere_isKept_byAPlayerWhoMayNotEnterNow() throws {
        let two = PlayerID(2)
        var game = try Game([("midShoeEntry", .flag(false))], chips: [1: 100, 2: 100, 3: 100], cards: "TH")
        for seat in 1...2 { game.table.state.seats[seat].shoe = 0 }
        try game.cut(1)
        try game.wait(5)
        try game.perform(.bet(player: two, seat: nil, amount: 10))
        try game.comeBack(1)
        try #require(RoundPhase(game.table.phase) == .betting)
        #expect(throws: Rejection.waitForShuffle) { try game.perform(.bet(player: two, seat: nil, amount: 20)) }
        let before = game.table
        try game.perform(.bet(player: two, seat: nil, amount: 10))
        #expect(game.table == before)
    }

    @Test func aRefusal_isASentence() {
        let hand = HandID(seat: 2, hand: 1)
        let all: [Rejection] = [
            .notSeated, .tooManySeats(limit: 1), .chipsOutOfRange(chips: -1, allowed: 0...5), .waitForShuffle,
            .betNotInSteps(amount: 7, step: 5), .insufficientChips(needed: 9, available: 1), .staleRound(3, current: 4),
            .notYourTurn(acting: hand), .wrongHand(named: hand, acting: hand), .amountNotAllowed(amount: 3, allowed: 5...5),
        ]
        for rejection in all { #expect(rejection.message.hasSuffix(".") && !rejection.message.contains("\n")) }
        let refused = Rejection.notAllowed(.split, legal: [.hit, .stand])
        #expect(refused.message == "split is not legal now; legal: hit, stand." && refused.legal == [.hit, .stand])
    }
}
