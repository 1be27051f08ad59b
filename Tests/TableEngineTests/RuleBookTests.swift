import Fairness
import Rules
import TableModel
import Testing

@testable import TableEngine

/// Lines of the rule book that no other suite is about; `RuleBook.md` says which test holds which line.
struct RuleBookTests {
    @Test func aSettledHand_isPaidOnce_andLaterActionsChangeNothing() throws {
        var game = try Game.dealt(cards: "TH 6D 9H KS TD", pace: 3000)
        try game.act(.stand)
        let paid = game.net()
        for action in Action.allCases {
            #expect(throws: Rejection.staleTurn(1)) { try game.act(action) }
        }
        try game.wait(10)
        #expect(game.net() == paid)
        #expect(game.facts.count { if case .settled = $0 { true } else { false } } == 1)
    }

    @Test func aSurrenderedOddBet_givesBackTheLargerHalf_andTheHouseLosesWhatThePlayerWins() throws {
        var game = try Game.dealt([("surrender", .text("late"))], cards: "TH 9D 6H 8S", bets: [1: 7])
        try game.act(.surrender)
        #expect(game.net() == -3)
        #expect(game.table.houseNet == 3)
    }

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

    @Test func theCut_liesWhereThePenetrationSays_andIsShown() throws {
        for (decks, penetration, cut) in [(6, 0.75, 234), (8, 0.95, 395), (1, 0.3, 16), (2, 0.5, 52)] {
            let rules = try HouseRules([("decks", .integer(decks)), ("penetration", .number(penetration))])
            #expect(rules.cardsBeforeCut == cut)
            #expect(Table(rules: rules).state.core.shoe.cut == cut)
        }
    }

    @Test func aCutCardThatWouldComeFirst_meansAShuffleBeforeTheDeal_andIsNoCard() throws {
        // The cut card lies behind 234 cards: with 234 drawn it would be the next, with 233 it comes within the round.
        for (drawn, shoe) in [(234, 2), (233, 1)] {
            var game = try Game(cards: "TH")
            while game.table.state.core.shoe.drawn < drawn { game.table.state.core.shoe.draw() }
            try game.bet()
            #expect(game.table.state.core.shoe.number == shoe)
            let ids = (game.table.ids(1) + (0...1).map { game.table.dealerCard($0).id }).map { Int($0.rawValue) }.sorted()
            // One card is burned of the new shoe; the cards' places go on across the cut without a gap.
            let first = shoe == 2 ? 1 : drawn
            #expect(ids == Array(first..<first + 4))
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

    @Test func oneOwnersBoxes_arePlayedInSeatOrder_withAnothersBetween() throws {
        var game = try Game.dealt(
            [("seatsPerPlayer", .integer(2))], chips: [1: 100, 2: 100, 3: 0], cards: "TH TS TC 6D 6H 6S 6C 5S TD",
            owners: [1: 7, 2: 8, 3: 7], bets: [1: 10, 2: 10, 3: 10])
        for seat in 1...3 {
            #expect(game.turn == HandID(seat: seat, hand: 0))
            #expect(throws: Rejection.self) { try game.act(.hit, seat: seat == 2 ? 3 : 2) }
            try game.act(.stand, seat: seat)
        }
    }

    @Test func whatLiesOnOtherBoxes_isNotThereToPayWith() throws {
        var game = try Game.dealt(
            [("seatsPerPlayer", .integer(2))], chips: [1: 25, 2: 0], cards: "8H TS 6D 8D 6S KS", owners: [1: 7, 2: 7],
            bets: [1: 10, 2: 10])
        #expect(game.legal(1) == [.hit, .stand])
        #expect(throws: Rejection.insufficientChips(needed: 10, available: 5)) { try game.act(.split) }
    }

    @Test(arguments: ["AS KS", "KS AS"], ["TD AD", "AD TD"])
    func aNatural_pushesWithTheDealers_inWhateverOrderTheCardsCame(player: String, dealer: String) throws {
        let (mine, house) = (player.split(separator: " "), dealer.split(separator: " "))
        let game = try Game.dealt([("insurance", .flag(false))], cards: "\(mine[0]) \(house[0]) \(mine[1]) \(house[1])")
        #expect(game.outcomes() == [.push])
        #expect(game.net() == 0)
    }

    @Test func withEvenMoneyTakenByAll_theDealerTurnsTheHoleCard_andDrawsNothing() throws {
        var game = try Game.dealt(chips: [1: 100, 2: 100], cards: "AH KS AD KD AS 2C TC", bets: [1: 10, 2: 10])
        try game.act(.evenMoney, seat: 2)
        try game.act(.evenMoney, seat: 1)
        #expect(game.dealerCards == ["AD", "2C"])
        #expect(game.net(1) == 10 && game.net(2) == 10)
    }

    @Test func aSoft18_mayBeHit() throws {
        var game = try Game.dealt(cards: "AH 9D 7H 9S 3C")
        #expect(game.legal() == [.hit, .stand, .double])
        try game.act(.hit)
        #expect(game.hand() == ["AH", "7H", "3C"])
        #expect(game.net() == 10)
    }

    @Test func aSplit_costsJustTheBet_neverMoreNorLess() throws {
        var game = try Game.dealt([("doubleForLess", .flag(true))], cards: "8H 6D 8D 5S")
        for amount in [1, 9, 11, 0, -10] {
            #expect(throws: Rejection.amountNotAllowed(amount: amount, allowed: 10...10)) {
                try game.act(.split, amount: amount)
            }
        }
        try game.act(.split, amount: 10)
        #expect((0...1).map { game.table.state.hands[TableState.handIndex(0, $0)].stake } == [10, 10])
    }

    @Test func eachSplitHand_isSettledWithItsOwnStake_andTheBoxIsTheirSum() throws {
        // First hand doubled to 21 and won, second hand bust: +20 − 10.
        var game = try Game.dealt(cards: "8H 6D 8D KS 3C TC TD 6C KC")
        try game.act(.split)
        try game.act(.double)
        try game.act(.hit, hand: 1)
        #expect(game.hand(1, 0) == ["8H", "3C", "TC"])
        #expect(game.hand(1, 1) == ["8D", "TD", "6C"])
        #expect(game.outcomes() == [.win, .bust])
        #expect(game.net() == 20 - 10)
    }
}
