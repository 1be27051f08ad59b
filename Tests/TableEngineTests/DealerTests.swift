import Testing

@testable import TableEngine

/// The dealer's hand, and settlement against it.
struct DealerTests {
    @Test func theDealer_drawsTo16_andStandsOnHard17() throws {
        var game = try Game.dealt(cards: "TH 6D 8H 5S 5D AC TD")
        try game.act(.stand)
        #expect(game.dealerCards == ["6D", "5S", "5D", "AC"])
        #expect(game.net() == 10)
    }

    @Test func soft17_isHit_orNot_asTheHouseSays() throws {
        for (rule, dealer, net) in [("stand", ["6D", "AS"], 10), ("hit", ["6D", "AS", "4C"], -10)] {
            var game = try Game.dealt([("soft17", .text(rule))], cards: "TH 6D 8H AS 4C TD")
            try game.act(.stand)
            #expect(game.dealerCards == dealer)
            #expect(game.net() == net)
        }
    }

    @Test func aSoft17ThatTurnsHard17_stands_whereTheDealerHitsSoft17() throws {
        // T7: soft 17 of five cards and a ten: hard 17.
        var game = try Game.dealt([("soft17", .text("hit"))], cards: "TH 2D 8H AS AC AD 2H TC 5D")
        try game.act(.stand)
        #expect(game.dealerCards == ["2D", "AS", "AC", "AD", "2H", "TC"])
        #expect(game.table.dealerValue.total == 17 && !game.table.dealerValue.isSoft)
    }

    @Test func withAllBoxesBustOrSurrendered_theDealerDrawsNothing() throws {
        // T8
        var game = try Game.dealt(
            [("surrender", .text("late"))], chips: [1: 100, 2: 100], cards: "TH TS 6D 6H 6S 2D TC", bets: [1: 10, 2: 10])
        try game.act(.hit, seat: 1)
        try game.act(.surrender, seat: 2)
        #expect(game.dealerCards == ["6D", "2D"])
        #expect(game.outcomes(1) == [.bust])
        #expect(game.outcomes(2) == [.surrender])
        #expect(game.net(2) == -5)
    }

    @Test func withAllBoxesNatural_theyArePaidAtOnce_andTheDealerDrawsNothing() throws {
        // T9
        let game = try Game.dealt(chips: [1: 100, 2: 100], cards: "AH TS 7D KH AS 2D TC", bets: [1: 10, 2: 10])
        #expect(game.table.phase == .waiting)
        #expect(game.dealerCards == ["7D", "2D"])
        #expect(game.net(1) == 15)
        #expect(game.net(2) == 15)
    }

    @Test func aNatural_beatsADealers21OfThreeCards() throws {
        var game = try Game.dealt(chips: [1: 100, 2: 100], cards: "AH TS TD KH 8S 6D 5C", bets: [1: 10, 2: 10])
        try game.act(.stand, seat: 2)
        #expect(game.dealerCards == ["TD", "6D", "5C"])
        #expect(game.net(1) == 15)
        #expect(game.net(2) == -10)
    }

    @Test func equalTotals_push_andHigherOnesWin() throws {
        for (cards, net) in [("TH 7D 8H TS", 10), ("TH 8D 8H TS", 0), ("TH 9D 8H TS", -10)] {
            var game = try Game.dealt(cards: cards)
            try game.act(.stand)
            #expect(game.net() == net)
        }
    }

    @Test func theDealerPeeks_beforeAnybodyActs() throws {
        let game = try Game.dealt(cards: "8H TD 8D AS")
        #expect(game.dealerCards == ["TD", "AS"])
        #expect(game.outcomes() == [.lose])
        #expect(game.net() == -10)
        // T4: no insurance was offered and nothing could be doubled.
        #expect(!game.facts.contains { if case .insuranceOffered = $0 { true } else { false } })
        #expect(!game.facts.contains { if case .turnStarted = $0 { true } else { false } })
    }

    @Test func withoutABlackjackUnderATen_thePeekIsSaid_andPlayGoesOn() throws {
        let game = try Game.dealt(cards: "8H TD 8D 9S")
        #expect(game.facts.contains(.peeked))
        #expect(game.turn == HandID(seat: 1, hand: 0))
    }

    @Test func withoutAHoleCard_aDealersBlackjackTakesDoublesToo_orTheOriginalBetOnly() throws {
        for (rule, net) in [("none", -20), ("original", -10)] {
            var game = try Game.dealt([("holeCard", .text(rule))], cards: "5H TD 6H 8C AS")
            #expect(game.dealerCards == ["TD"])
            try game.act(.double)
            #expect(game.dealerCards == ["TD", "AS"])
            #expect(game.net() == net)
        }
    }

    @Test func withoutAHoleCard_aDealersBlackjackTakesSplitsToo_orTheOriginalBetOnly() throws {
        // The first of the split hands is bust before the dealer's second card is drawn.
        for (rule, net) in [("none", -20), ("original", -10)] {
            var game = try Game.dealt([("holeCard", .text(rule))], cards: "8H TD 8D 6C KC TC AS")
            try game.act(.split)
            try game.act(.hit)
            try game.act(.stand, hand: 1)
            #expect(game.net() == net)
        }
    }

    @Test func withOriginalBetsOnly_aBustDoubleWaits_andComesBackOnADealersBlackjack() throws {
        for (last, net) in [("AS", -10), ("9S", -20)] {
            var game = try Game.dealt([("holeCard", .text("original"))], chips: [1: 100], cards: "TH TD 6H KC \(last)")
            try game.act(.double)
            #expect(game.net() == net)
            #expect(game.dealerCards == ["TD", last])
        }
    }

    @Test func doubleForLess_losesItsExtraOnly_whereABlackjackTakesAll() throws {
        // T12
        for (rule, net) in [("none", -14), ("original", -10)] {
            var game = try Game.dealt([("holeCard", .text(rule)), ("doubleForLess", .flag(true))], cards: "5H TD 6H 8C AS")
            try game.act(.double, amount: 4)
            #expect(game.net() == net)
        }
    }

    @Test func splitAcesWithTens_pushADealers21_andLoseToABlackjack() throws {
        // T5
        var push = try Game.dealt(cards: "AH 6D AD TS TC KC 5D")
        try push.act(.split)
        #expect(push.outcomes() == [.push, .push])
        var lost = try Game.dealt([("holeCard", .text("none"))], cards: "AH TD AD TC KC AS")
        try lost.act(.split)
        #expect(lost.outcomes() == [.lose, .lose])
        #expect(lost.net() == -20)
    }

    @Test func withoutAHoleCard_aNaturalWaitsForTheDealersSecondCard() throws {
        for (second, net) in [("AS", 0), ("9S", 15)] {
            let game = try Game.dealt([("holeCard", .text("none"))], cards: "AH TD KD \(second) 5C")
            #expect(game.dealerCards == ["TD", second])
            #expect(game.net() == net)
        }
    }

    @Test func withoutAHoleCard_andNothingOpen_theDealerDrawsNoSecondCard() throws {
        var game = try Game.dealt([("holeCard", .text("none"))], cards: "TH TD 6H KC AS")
        try game.act(.hit)
        #expect(game.dealerCards == ["TD"])
    }
}
