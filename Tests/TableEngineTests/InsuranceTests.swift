import Rules
import TableModel
import Testing

@testable import TableEngine

/// Insurance, even money and surrender.
struct InsuranceTests {
    @Test func anInsuredNatural_winsJustTheBet_whateverTheDealerHas() throws {
        // T1 and T2: +10 with insurance against a blackjack, +10 with even money in any case.
        var insured = try Game.dealt(cards: "AH AD KD TS")
        #expect(insured.legal() == [.insurance, .decline, .evenMoney])
        try insured.act(.insurance)
        #expect(insured.net() == 10)
        for hole in ["TS", "5S"] {
            var even = try Game.dealt(cards: "AH AD KD \(hole)")
            try even.act(.evenMoney)
            #expect(even.net() == 10)
            #expect(even.outcomes() == [.evenMoney])
        }
    }

    @Test func evenMoney_isNotOffered_whereBlackjacksPay6To5() throws {
        var game = try Game.dealt([("blackjackPays", .text("6:5"))], cards: "AH AD KD TS")
        #expect(game.legal() == [.insurance, .decline])
        #expect(throws: Rejection.notAllowed(.evenMoney, legal: [.insurance, .decline])) { try game.act(.evenMoney) }
    }

    @Test func insurance_isSettledBeforePlay_andPlayGoesOn() throws {
        // T3: insurance lost, the double won.
        var game = try Game.dealt(cards: "5H AD 6H 8S TC 9C")
        try game.act(.insurance)
        #expect(game.turn == HandID(seat: 1, hand: 0))
        #expect(game.table.houseNet == 5)
        #expect(game.table.settledInsurance(seat: 1)?.paid == 0)
        try game.act(.double)
        #expect(game.net() == 20 - 5)
    }

    @Test func insurance_pays2To1_andTheBetIsLost() throws {
        var game = try Game.dealt(cards: "TH AD 9H KS")
        try game.act(.insurance)
        #expect(game.table.settledInsurance(seat: 1)?.paid == 15)
        #expect(game.net() == 0)
    }

    @Test func insurance_mayBePartOfHalfTheBet_andNeverMore() throws {
        var game = try Game.dealt(cards: "TH AD 9H KS", bets: [1: 11])
        #expect(game.table.legalActions(seat: 1).first { $0.action == .insurance }?.cost == 1...5)
        #expect(throws: Rejection.amountNotAllowed(amount: 6, allowed: 1...5)) { try game.act(.insurance, amount: 6) }
        #expect(throws: Rejection.amountNotAllowed(amount: 0, allowed: 1...5)) { try game.act(.insurance, amount: 0) }
        try game.act(.insurance, amount: 2)
        #expect(game.net() == -11 + 4)
    }

    @Test func insurance_isRefused_whenTheBankrollIsShort() throws {
        var game = try Game.dealt(chips: [1: 14, 2: 100], cards: "TH TD AD 9H 9D 5S", bets: [1: 10, 2: 10])
        #expect(game.table.question(seat: 1) == nil)
        #expect(throws: Rejection.notAsked(seat: 1)) { try game.act(.insurance, seat: 1) }
        var natural = try Game.dealt(chips: [1: 14], cards: "AH AD KD 5S")
        #expect(natural.legal() == [.decline, .evenMoney])
        #expect(throws: Rejection.insufficientChips(needed: 5, available: 4)) { try natural.act(.insurance) }
    }

    @Test func insurance_isAskedOfAllAtOnce_inAnyOrder_andOnlyOnce() throws {
        var game = try Game.dealt(
            chips: [1: 100, 2: 100, 3: 100], cards: "TH TD TC AD 9H 9D 9C 5S", bets: [1: 10, 2: 10, 3: 10])
        try game.act(.decline, seat: 3)
        #expect(throws: Rejection.alreadyAnswered(seat: 3)) { try game.act(.insurance, seat: 3) }
        try game.act(.insurance, seat: 1)
        #expect(throws: Rejection.notAllowed(.hit, legal: [.insurance, .decline])) { try game.act(.hit, seat: 2) }
        #expect(game.table.phase.name == "insurance")
        try game.act(.decline, seat: 2)
        #expect(game.turn == HandID(seat: 1, hand: 0))
    }

    @Test func twoBoxesOfOnePlayer_areInsuredEachForItself() throws {
        // T14
        var game = try Game.dealt(
            [("seatsPerPlayer", .integer(2))], chips: [1: 100, 2: 0], cards: "TH TD AD 9H 9D KS", owners: [1: 1, 2: 1],
            bets: [1: 10, 2: 20])
        try game.act(.decline, seat: 1)
        try game.act(.insurance, seat: 2)
        #expect(game.table.state.seats[0].insurance == 0)
        #expect(game.table.state.seats[1].insurance == 10)
        #expect(game.net(1) == -10 - 20 + 20)
    }

    @Test func aBetOfOneChip_isRoundedInThePlayersFavour_andCannotBeInsured() throws {
        // T15
        let natural = try Game.dealt([("evenMoney", .flag(false))], cards: "AH AD KD 5S", bets: [1: 1])
        #expect(!natural.facts.contains { if case .insuranceOffered = $0 { true } else { false } })
        #expect(natural.net() == 2)
        var surrendered = try Game.dealt([("surrender", .text("late"))], cards: "TH 9D 6D 5S", bets: [1: 1])
        try surrendered.act(.surrender)
        #expect(surrendered.net() == 0)
    }

    @Test func withoutAHoleCard_insuranceIsSettledAtTheEnd() throws {
        for (second, net) in [("KS", 0), ("8S", -5)] {
            var game = try Game.dealt([("holeCard", .text("none"))], cards: "TH AD 9H \(second)")
            try game.act(.insurance)
            #expect(game.table.settledInsurance(seat: 1)?.paid == nil)
            try game.act(.stand)
            #expect(game.net() == net)
        }
        // With the hand bust the dealer still draws the card that insurance is about.
        var bust = try Game.dealt([("holeCard", .text("none"))], cards: "TH AD 6H KC KS")
        try bust.act(.insurance)
        try bust.act(.hit)
        #expect(bust.dealerCards == ["AD", "KS"])
        #expect(bust.net() == 0)
    }

    @Test func lateSurrender_isTheFirstDecisionOnly() throws {
        var game = try Game.dealt([("surrender", .text("late"))], cards: "TH TD 2H 7S 3C TC")
        #expect(game.legal().contains(.surrender))
        try game.act(.hit)
        #expect(throws: Rejection.notAllowed(.surrender, legal: [.hit, .stand])) { try game.act(.surrender) }
        var split = try Game.dealt([("surrender", .text("late"))], cards: "8H TD 8D 7S 3C TC")
        try split.act(.split)
        #expect(!split.legal().contains(.surrender))
    }

    @Test func lateSurrender_comesTooLate_whenTheDealerHasABlackjack() throws {
        let game = try Game.dealt([("surrender", .text("late"))], cards: "TH TD 6H AS")
        #expect(game.net() == -10)
        var european = try Game.dealt([("surrender", .text("late")), ("holeCard", .text("none"))], cards: "TH TD 6H AS")
        try european.act(.surrender)
        #expect(european.outcomes() == [.lose])
        #expect(european.net() == -10)
    }

    @Test func earlySurrender_costsHalf_evenIfTheDealerHasABlackjack() throws {
        for (up, hole) in [("TD", "AS"), ("AD", "TS")] {
            var game = try Game.dealt([("surrender", .text("early"))], cards: "TH \(up) 6H \(hole)", bets: [1: 11])
            #expect(game.table.phase.name == "early_surrender")
            #expect(game.legal() == [.surrender, .decline])
            try game.act(.surrender)
            #expect(game.net() == -5)
            #expect(game.outcomes() == [.surrender])
        }
    }

    @Test func earlySurrender_declined_isNotOfferedAgain() throws {
        var game = try Game.dealt([("surrender", .text("early"))], cards: "TH TD 6H 8S")
        try game.act(.decline)
        #expect(game.legal() == [.hit, .stand, .double])
    }

    @Test func earlySurrender_againstALowCard_isTheFirstDecisionOfTheTurn() throws {
        var game = try Game.dealt([("surrender", .text("early"))], cards: "TH 9D 6H 8S")
        #expect(game.turn != nil)
        try game.act(.surrender)
        #expect(game.net() == -5)
    }

    @Test func earlySurrenderNotAgainstAnAce_isNotOfferedAgainstAnAce() throws {
        let game = try Game.dealt([("surrender", .text("early-not-ace")), ("insurance", .flag(false))], cards: "TH AD 6H 8S")
        #expect(game.legal() == [.hit, .stand, .double])
        var ten = try Game.dealt([("surrender", .text("early-not-ace"))], cards: "TH TD 6H AS")
        try ten.act(.surrender)
        #expect(ten.net() == -5)
    }

    @Test func earlySurrender_leavesTheOthersPlaying_andTheirInsurance() throws {
        var game = try Game.dealt(
            [("surrender", .text("early"))], chips: [1: 100, 2: 100], cards: "TH TC AD 6H 9C TS", bets: [1: 10, 2: 10])
        try game.act(.surrender, seat: 1)
        try game.act(.decline, seat: 2)
        #expect(game.table.phase.name == "insurance")
        #expect(game.table.question(seat: 1) == nil)
        try game.act(.insurance, seat: 2)
        #expect(game.net(1) == -5)
        #expect(game.net(2) == 0)
    }

    @Test func aNatural_isNotAskedForSurrender_andIsNotPaidBeforeThePeek() throws {
        var game = try Game.dealt(
            [("surrender", .text("early"))], chips: [1: 100, 2: 100], cards: "AH TC TD KH 6C AS", bets: [1: 10, 2: 10])
        #expect(game.table.question(seat: 1) == nil)
        try game.act(.surrender, seat: 2)
        #expect(game.outcomes(1) == [.push])
    }

    @Test func blackjackPayouts_areWholeChips_roundedUp() {
        let cases: [(HouseRules.BlackjackPays, Int, Int)] = [
            (.threeToTwo, 10, 15), (.threeToTwo, 5, 8), (.sixToFive, 10, 12), (.sixToFive, 11, 14), (.sevenToFive, 10, 14),
            (.sevenToFive, 7, 10), (.twoToOne, 7, 14), (.oneToOne, 7, 7), (.threeToTwo, 1, 2),
        ]
        for (rule, stake, winnings) in cases { #expect(rule.winnings(on: stake) == winnings) }
    }
}
