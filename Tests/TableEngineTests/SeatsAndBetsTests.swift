import Rules
import TableModel
import Testing

@testable import TableEngine

/// Seats, bets and the shoe.
struct SeatsAndBetsTests {
    private func sit(_ game: inout Game, _ player: UInt32, seat: Int? = nil, chips: Int = 100) throws {
        try game.perform(.sit(player: PlayerID(player), profile: PlayerProfile(name: "x"), seat: seat, chips: chips))
    }

    @Test func aPlayerWhoOwnsAllThatAMessageCanSay_bets_noMore() throws {
        var game = try Game([("minimumBet", .integer(10))], cards: "TH")
        let limit = TableState.bettingLimit
        #expect(limit < 1 << 53 && limit > TableState.chipsLimit)
        for (player, chips) in [(UInt64(2), limit), (3, limit + 1), (4, Int.max)] {
            let id = PlayerID(rawValue: player)
            game.table.apply(.sat(player: id, profile: PlayerProfile(name: "x"), seat: Int(player), chips: chips))
            let bet = Command.bet(player: id, seat: nil, amount: 10)
            if chips == limit {
                try game.table.validate(bet, at: Moment(milliseconds: 0))
            } else {
                #expect(throws: Rejection.chipsOutOfRange(chips: chips, allowed: 0...limit)) {
                    try game.table.validate(bet, at: Moment(milliseconds: 0))
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

    @Test func sitting_isRefused_whereItCannotBe() throws {
        var game = try Game([("seats", .integer(2)), ("minimumBet", .integer(10))], cards: "TH")
        #expect(throws: Rejection.noSuchSeat(seat: 3, seats: 2)) { try sit(&game, 2, seat: 3) }
        #expect(throws: Rejection.noSuchSeat(seat: 0, seats: 2)) { try sit(&game, 2, seat: 0) }
        #expect(throws: Rejection.seatTaken(seat: 1)) { try sit(&game, 2, seat: 1) }
        #expect(throws: Rejection.tooManySeats(limit: 1)) { try sit(&game, 1, seat: 2) }
        #expect(throws: Rejection.chipsOutOfRange(chips: 9, allowed: 10...1_000_000_000_000)) {
            try sit(&game, 2, chips: 9)
        }
        #expect(throws: Rejection.chipsOutOfRange(chips: -1, allowed: 10...1_000_000_000_000)) {
            try sit(&game, 2, chips: -1)
        }
        try sit(&game, 2)
        #expect(throws: Rejection.tableFull(seats: 2)) { try sit(&game, 3) }
    }

    @Test func aBet_isRefused_whenItBreaksALimit() throws {
        var game = try Game(
            [("minimumBet", .integer(10)), ("maximumBet", .integer(100)), ("betStep", .integer(5))], chips: [1: 60, 2: 60],
            cards: "TH")
        for (amount, rejection) in [
            (-10, Rejection.betNegative(amount: -10)), (5, .betBelowMinimum(amount: 5, minimum: 10)),
            (105, .betAboveMaximum(amount: 105, maximum: 100)), (12, .betNotInSteps(amount: 12, step: 5)),
            (65, .insufficientChips(needed: 65, available: 60)),
        ] {
            #expect(throws: rejection) { try game.bet([1: amount]) }
        }
        #expect(throws: Rejection.seatNotYours(seat: 2)) {
            try game.perform(.bet(player: PlayerID(1), seat: 2, amount: 10))
        }
        #expect(throws: Rejection.notSeated) { try game.perform(.bet(player: PlayerID(9), seat: nil, amount: 10)) }
    }

    @Test func aBet_replacesTheEarlierOne_andZeroTakesItBack() throws {
        var game = try Game.dealt(chips: [1: 100, 2: 100], cards: "TH", bets: [1: 60])
        try game.bet([1: 90])
        #expect(game.table.bankroll(of: PlayerID(1)) == 10)
        try game.bet([1: 0])
        #expect(game.table.bankroll(of: PlayerID(1)) == 100)
        #expect(game.table.phase == .waiting)
    }

    @Test func aBet_isLocked_onceTheRoundHasBegun() throws {
        var game = try Game.dealt(cards: "TH 6D 9H 5S TC")
        #expect(throws: Rejection.bettingClosed) { try game.bet([1: 0]) }
    }

    @Test func aRound_isNotBegun_withoutTheShoeItNeeds() throws {
        var table = Table(rules: HouseRules())
        var facts = FactList()
        let now = Moment(milliseconds: 0)
        try table.perform(
            .sit(player: PlayerID(1), profile: PlayerProfile(name: "a"), seat: nil, chips: 100), at: now, into: &facts)
        try table.perform(.bet(player: PlayerID(1), seat: nil, amount: 10), at: now, into: &facts)
        #expect(table.needsShoeSource)
        #expect(table.phase.name == "betting")
        #expect(table.deadline == nil)
        try table.perform(.tick, at: now.adding(seconds: 100), into: &facts)
        #expect(table.round == 0)
        try table.perform(.supplyShoe(.seeded(3)), at: now.adding(seconds: 100), into: &facts)
        #expect(table.round == 1)
        #expect(facts.facts.contains(.shuffled(shoe: 1, source: .seeded(3))))
    }

    @Test func aShoe_isSuppliedOnce() throws {
        var game = try Game(cards: "TH")
        #expect(throws: Rejection.shoeAlreadySupplied) { try game.perform(.supplyShoe(.seeded(3))) }
    }

    @Test func theFirstCards_areBurned_unseen_andCount() throws {
        var table = Table(rules: try HouseRules([("burn", .integer(3))]))
        var facts = FactList()
        let now = Moment(milliseconds: 0)
        try table.perform(.supplyShoe(.seeded(3)), at: now, into: &facts)
        try table.perform(
            .sit(player: PlayerID(1), profile: PlayerProfile(name: "a"), seat: nil, chips: 100), at: now, into: &facts)
        try table.perform(.bet(player: PlayerID(1), seat: nil, amount: 10), at: now, into: &facts)
        #expect(facts.facts.count { if case .burned = $0 { true } else { false } } == 3)
        #expect(table.ids(1)[0] == CardID(rawValue: 3))
    }

    @Test func theCutCard_finishesTheRound_andTheNextOneBeginsWithAShuffle() throws {
        // T13: the last card before the cut card is the dealer's third.
        for (drawn, shuffles) in [(229, true), (228, false)] {
            var game = try Game(cards: "TH")
            while game.table.state.core.shoe.drawn < drawn { game.table.state.core.shoe.draw() }
            game.stack("TH 6D 9H 5S TC")
            try game.bet()
            try game.act(.stand)
            #expect(game.table.state.core.shoe.drawn == drawn + 5)
            #expect(game.table.state.shufflesNext == shuffles)
            try game.bet()
            #expect(game.table.state.core.shoe.number == (shuffles ? 2 : 1))
        }
    }

    @Test func aContinuousShuffle_isAFreshShoeEveryRound() throws {
        var game = try Game([("continuousShuffle", .flag(true))], cards: "TH")
        for round in 2...4 {
            if game.table.needsShoeSource { try game.perform(.supplyShoe(.seeded(UInt64(round)))) }
            try game.bet()
            #expect(game.table.state.core.shoe.number == round)
            // Two time-outs in a row would have the player sit out.
            while game.table.phase != .waiting { if game.turn == nil { try game.wait(20) } else { try game.act(.stand) } }
        }
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

    @Test func aNewcomer_waitsForTheShuffle_whereTheHouseSaysSo() throws {
        var game = try Game.dealt([("midShoeEntry", .flag(false))], chips: [1: 1000], cards: "TH 6D 9H 5S TC")
        try game.act(.stand)
        try sit(&game, 2, seat: 2)
        try game.bet([1: 10])
        #expect(game.turn == HandID(seat: 1, hand: 0), "nobody waits for one who may not bet")
        try game.wait(15)
        while game.table.state.core.shoe.drawn < 234 { game.table.state.core.shoe.draw() }
        try game.bet([2: 10, 1: 10])
        #expect(game.table.state.core.shoe.number == 2)
        #expect(game.table.state.seats[1].original == 10)
    }

    @Test func aNewcomer_mayBet_onceNobodyOfThisShoeIsSeated_andTheRoundBeginsWithAShuffle() throws {
        var game = try Game.dealt([("midShoeEntry", .flag(false))], chips: [1: 1000], cards: "TH 6D 9H 5S TC")
        try game.act(.stand)
        try sit(&game, 2, seat: 2)
        try sit(&game, 3, seat: 3)
        #expect(throws: Rejection.waitForShuffle, "whoever bets first") { try game.bet([2: 10]) }
        try game.perform(.leave(player: PlayerID(1)))
        try game.bet([2: 10, 3: 10])
        #expect(game.table.state.core.shoe.number == 2)
    }

    @Test func aNewcomerWhoMayNotBet_missesNoRound() throws {
        var game = try Game.dealt([("midShoeEntry", .flag(false))], chips: [1: 1000], cards: "TH 6D 9H 5S TC")
        try game.act(.stand)
        try sit(&game, 2, seat: 2)
        for _ in 1...4 {
            game.stack("TH 6D 9H 5S TC")
            try game.bet()
            try game.act(.stand)
        }
        #expect(game.table.playerView(PlayerID(2))?.missedRounds == 0)
        #expect(game.table.playerView(PlayerID(2))?.isSittingOut == false)
    }

    @Test func aNewcomer_isRefused_onceSomebodyOfThisShoeHasBet() throws {
        var game = try Game.dealt(
            [("midShoeEntry", .flag(false)), ("seatsPerPlayer", .integer(1))], chips: [1: 1000, 2: 1000],
            cards: "TH TD 6D 9H 9D 5S TC", bets: [1: 10, 2: 10])
        try game.act(.stand, seat: 1)
        try game.act(.stand, seat: 2)
        try sit(&game, 3, seat: 3)
        try game.bet([1: 10])
        #expect(throws: Rejection.waitForShuffle) { try game.bet([3: 10]) }
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
}
