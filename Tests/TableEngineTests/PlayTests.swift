import Rules
import TableModel
import Testing

@testable import TableEngine

/// Turns: order, hits, doubles, splits.
struct PlayTests {
    @Test func cards_areDealtInCasinoOrder_andBoxesPlayInSeatOrder() throws {
        var game = try Game.dealt(chips: [2: 100, 5: 100], cards: "2H 3H 6D 4H 5H KS TD", bets: [5: 10, 2: 10])
        #expect(game.hand(2) == ["2H", "4H"])
        #expect(game.hand(5) == ["3H", "5H"])
        #expect(game.dealerCards == ["6D", "??"])
        #expect(game.turn == HandID(seat: 2, hand: 0))
        try game.act(.stand, seat: 2)
        #expect(game.turn == HandID(seat: 5, hand: 0))
        try game.act(.stand, seat: 5)
        #expect(game.dealerCards == ["6D", "KS", "TD"])
    }

    @Test func theHoleCard_isNowhereToBeSeen_untilItIsTurned() throws {
        var game = try Game.dealt(cards: "TH 6D 9H KS TD")
        #expect(game.table.dealerCard(1).card == nil)
        #expect(game.table.dealerValue.total == 6)
        #expect(!game.facts.contains { fact in "\(fact)".contains("KS") })
        let id = game.table.dealerCard(1).id
        try game.act(.stand)
        #expect(game.table.dealerCard(1) == TableCard(id: id, card: Card("KS")))
    }

    @Test func anotherPlayersTurn_isRefused_andChangesNothing() throws {
        var game = try Game.dealt(chips: [1: 100, 2: 100], cards: "2H 3H 6D 4H 5H KS TD", bets: [1: 10, 2: 10])
        #expect(throws: Rejection.notYourTurn(acting: HandID(seat: 1, hand: 0))) { try game.act(.hit, seat: 2) }
        #expect(throws: Rejection.notSeated) {
            try game.perform(.act(player: PlayerID(9), action: .hit, seat: nil, hand: nil, amount: nil))
        }
        #expect(throws: Rejection.wrongHand(named: HandID(seat: 1, hand: 1), acting: HandID(seat: 1, hand: 0))) {
            try game.act(.hit, hand: 1)
        }
        #expect(throws: Rejection.amountNotExpected(.hit)) { try game.act(.hit, amount: 3) }
    }

    @Test func aHandOf21_endsWithoutAQuestion_hardOrSoft() throws {
        var game = try Game.dealt(cards: "5H 6D 6H KS TD TC")
        try game.act(.hit)
        #expect(game.outcomes() == [.win])
        var soft = try Game.dealt(cards: "AH 6D 5H KS 5D TC")
        try soft.act(.hit)
        #expect(soft.outcomes() == [.win])
    }

    @Test func aBust_losesAtOnce_evenIfTheDealerBustsLater() throws {
        var game = try Game.dealt(chips: [1: 100, 2: 100], cards: "TH 9H 6D 6H 9D KS KD TD", bets: [1: 10, 2: 10])
        try game.act(.hit, seat: 1)
        #expect(game.outcomes(1) == [.bust])
        #expect(game.net(1) == -10)
        try game.act(.stand, seat: 2)
        #expect(game.net(1) == -10)
        #expect(game.net(2) == 10)
    }

    @Test func aDoubledHand_getsOneCard_andStands() throws {
        var game = try Game.dealt(cards: "5H 6D 6H KS 2D TC")
        try game.act(.double)
        #expect(game.hand() == ["5H", "6H", "2D"])
        #expect(game.net() == 20)
    }

    @Test func double_isRefused_afterAHit() throws {
        var game = try Game.dealt(cards: "2H 6D 3H KS 4D TC")
        try game.act(.hit)
        #expect(throws: Rejection.notAllowed(.double, legal: [.hit, .stand])) { try game.act(.double) }
    }

    @Test func split_isRefused_whenTheBankrollIsShort() throws {
        var game = try Game.dealt(chips: [1: 15], cards: "8H 6D 8D KS TC")
        #expect(game.legal() == [.hit, .stand])
        #expect(throws: Rejection.insufficientChips(needed: 10, available: 5)) { try game.act(.split) }
        #expect(throws: Rejection.insufficientChips(needed: 10, available: 5)) { try game.act(.double) }
    }

    @Test func aSplitHand_isFinished_beforeTheSecondGetsItsCard() throws {
        var game = try Game.dealt(cards: "8H 6D 8D KS 3C 2C TD TC")
        try game.act(.split)
        #expect(game.hand(1, 0) == ["8H", "3C"])
        #expect(game.hand(1, 1) == ["8D"])
        #expect(game.turn == HandID(seat: 1, hand: 0))
        try game.act(.double)
        #expect(game.hand(1, 0) == ["8H", "3C", "2C"])
        #expect(game.hand(1, 1) == ["8D", "TD"])
        #expect(game.turn == HandID(seat: 1, hand: 1))
        try game.act(.stand)
        #expect(game.outcomes() == [.win, .win])
        #expect(game.net() == 30)
    }

    @Test func aSplitCard_keepsItsIdentity() throws {
        var game = try Game.dealt(cards: "8H 6D 8D KS 3C 2C TD TC")
        let before = game.table.ids(1)
        try game.act(.split)
        #expect(game.table.ids(1, 0)[0] == before[0])
        #expect(game.table.ids(1, 1)[0] == before[1])
    }

    @Test func twentyOneAfterASplit_isNoBlackjack() throws {
        var game = try Game.dealt(cards: "TH 6D KD KS AC AD 5D")
        try game.act(.split)
        #expect(game.outcomes() == [.push, .push])
        #expect(game.dealerCards == ["6D", "KS", "5D"])
        var won = try Game.dealt(cards: "TH 6D KD KS AC AD TD")
        try won.act(.split)
        #expect(won.net() == 20)
    }

    @Test func splitByRank_isNoPair_whereOnlyTheValuesAreEqual() throws {
        let byValue = try Game.dealt(cards: "TH 6D KD KS AC AD 5D")
        #expect(byValue.legal().contains(.split))
        var byRank = try Game.dealt([("splitBy", .text("rank"))], cards: "TH 6D KD KS AC AD 5D")
        #expect(!byRank.legal().contains(.split))
        #expect(throws: Rejection.notAllowed(.split, legal: [.hit, .stand, .double])) { try byRank.act(.split) }
    }

    @Test func aPairOnAnyHand_isResplit_upToTheMostHands() throws {
        // T6: the last of four hands comes to 8,8 and plays as 16.
        var game = try Game.dealt(cards: "8H 6D 8D KS 8C 8S 2C 3C 8H TD")
        try game.act(.split)
        #expect(game.hand(1, 0) == ["8H", "8C"])
        try game.act(.split)
        #expect(game.hand(1, 0) == ["8H", "8S"])
        try game.act(.split)
        #expect(game.table.handCount(seat: 1) == 4)
        #expect(game.hand(1, 0) == ["8H", "2C"])
        try game.act(.stand)
        #expect(game.hand(1, 1) == ["8D", "3C"])
        try game.act(.stand)
        #expect(game.hand(1, 2) == ["8C", "8H"])
        #expect(game.legal() == [.hit, .stand, .double])
        #expect(game.table.decision?.value.total == 16 && game.table.decision?.value.isSoft == false)
    }

    @Test func splitAces_getOneCardEach() throws {
        var game = try Game.dealt(cards: "AH 6D AD KS 5C 9C TD")
        try game.act(.split)
        #expect(game.turn == nil)
        #expect(game.hand(1, 0) == ["AH", "5C"])
        #expect(game.hand(1, 1) == ["AD", "9C"])
        #expect(game.net() == 20)
    }

    @Test func splitAces_areHit_whereTheHouseAllowsIt() throws {
        var game = try Game.dealt([("hitSplitAces", .flag(true))], cards: "AH 6D AD KS 5C 4C 9C TD")
        try game.act(.split)
        #expect(game.legal() == [.hit, .stand, .double])
        try game.act(.hit)
        #expect(game.hand(1, 0) == ["AH", "5C", "4C"])
    }

    @Test func resplitAces_offersJustTheSplit() throws {
        var game = try Game.dealt([("resplitAces", .flag(true))], cards: "AH 6D AD KS AC 4C 9C 5C TD")
        try game.act(.split)
        #expect(game.legal() == [.stand, .split])
        #expect(throws: Rejection.notAllowed(.hit, legal: [.stand, .split])) { try game.act(.hit) }
        try game.act(.split)
        #expect(game.table.handCount(seat: 1) == 3)
        #expect(game.turn == nil)
        var off = try Game.dealt(cards: "AH 6D AD KS AC 4C TD")
        try off.act(.split)
        #expect(off.turn == nil)
    }

    @Test func theRestrictedDoubles_speakOfHardTotals() throws {
        for (rule, cards, allowed) in [
            ("9-11", "AH 6D 8H KS", false), ("9-11", "4H 6D 5H KS", true), ("10-11", "4H 6D 5H KS", false),
            ("10-11", "4H 6D 6H KS", true), ("11", "4H 6D 6H KS", false), ("11", "5H 6D 6H KS", true),
            ("none", "5H 6D 6H KS", false), ("any", "AH 6D 8H KS", true),
        ] {
            let game = try Game.dealt([("double", .text(rule))], cards: cards)
            #expect(game.legal().contains(.double) == allowed, "\(rule) \(cards)")
        }
    }

    @Test func doubleForLess_takesAnyAmountUpToTheBet_andNeverMore() throws {
        var game = try Game.dealt([("doubleForLess", .flag(true))], chips: [1: 14], cards: "5H 6D 6H KS 2D TC")
        #expect(game.table.legalActions(seat: 1).first { $0.action == .double }?.cost == 1...4)
        #expect(throws: Rejection.amountNotAllowed(amount: 5, allowed: 1...4)) { try game.act(.double, amount: 5) }
        #expect(throws: Rejection.amountNotAllowed(amount: 0, allowed: 1...4)) { try game.act(.double, amount: 0) }
        try game.act(.double, amount: 3)
        #expect(game.net() == 13)
        var full = try Game.dealt(cards: "5H 6D 6H KS 2D TC")
        #expect(throws: Rejection.amountNotAllowed(amount: 3, allowed: 10...10)) { try full.act(.double, amount: 3) }
    }

    @Test func doubleAfterSplit_isTheHousesChoice() throws {
        for allowed in [true, false] {
            var game = try Game.dealt([("doubleAfterSplit", .flag(allowed))], cards: "8H 6D 8D KS 3C")
            try game.act(.split)
            #expect(game.legal().contains(.double) == allowed)
        }
    }

    @Test func aBalanceForOneSplit_allowsNeitherTheResplitNorTheDouble() throws {
        // T11
        var game = try Game.dealt(chips: [1: 25], cards: "8H 6D 8D KS 8C 2C TC")
        try game.act(.split)
        #expect(game.legal() == [.hit, .stand])
        #expect(throws: Rejection.insufficientChips(needed: 10, available: 5)) { try game.act(.split) }
        #expect(throws: Rejection.insufficientChips(needed: 10, available: 5)) { try game.act(.double) }
    }

    @Test func aCharlie_winsAtOnce_whateverTheDealerHas() throws {
        var game = try Game.dealt([("charlie", .integer(5))], cards: "2H 6D 2D KS 2C 3C 4C 5C")
        try game.act(.hit)
        try game.act(.hit)
        try game.act(.hit)
        #expect(game.outcomes() == [.charlie])
        #expect(game.net() == 10)
        #expect(game.dealerCards == ["6D", "KS"])
    }
}
