import Rules
import TableModel
import Testing

@testable import TableEngine

/// A wish that is fulfilled touches nothing, no clock either; a moment that has passed is refused.
struct TwiceTests {
    private let one = PlayerID(1)
    private let two = PlayerID(2)

    private func expectNothing(_ game: inout Game, _ command: Command) throws {
        let (table, facts) = (game.table, game.facts)
        try game.perform(command)
        #expect(game.table == table && game.facts == facts, "\(command)")
    }

    private func sit(_ player: PlayerID, seat: Int? = nil, chips: Int = 0) -> Command {
        .sit(player: player, profile: PlayerProfile(name: "p\(player.rawValue)"), seat: seat, chips: chips)
    }

    @Test func aWishThatIsFulfilled_touchesNothing_alsoOnceTimeIsPaidFor() throws {
        var game = try Game.dealt(chips: [1: 100, 2: 100, 3: 100], cards: "TH", bank: 30_000, bets: [1: 10])
        try game.wait(8)
        for command in [
            sit(two), sit(two, seat: 2), .sitOut(player: two, isOut: false), .bet(player: one, seat: nil, amount: 10),
        ] {
            try expectNothing(&game, command)
        }
        try game.perform(.sitOut(player: two))
        try game.wait(1)
        try expectNothing(&game, .sitOut(player: two))
        try expectNothing(&game, sit(two))
        // Where nobody has bet, a return would begin the time of idling anew.
        var idle = try Game(cards: "TH")
        try idle.wait(100)
        for command in [sit(one), .sitOut(player: one, isOut: false)] { try expectNothing(&idle, command) }
    }

    @Test func aBetThatLiesThere_isKept_byAPlayerWhoMayNotEnterNow() throws {
        var game = try Game([("midShoeEntry", .flag(false))], chips: [1: 100, 2: 100, 3: 100], cards: "TH")
        for seat in 1...2 { game.table.state.seats[seat].shoe = 0 }
        try game.cut(1)
        try game.wait(5)
        try game.perform(.bet(player: two, seat: nil, amount: 10))
        try game.comeBack(1)
        try #require(game.table.phase.name == "betting")
        #expect(throws: Rejection.waitForShuffle) { try game.perform(.bet(player: two, seat: nil, amount: 20)) }
        try expectNothing(&game, .bet(player: two, seat: nil, amount: 10))
    }

    @Test func withSeveralSeats_eachBetAndDecisionNamesOne() throws {
        let rules: [(String, RuleValue)] = [("seatsPerPlayer", .integer(2))]
        var game = try Game(rules, chips: [1: 100, 2: 100], cards: "TS TH AS 9S 8H 5S", owners: [1: 1, 2: 1])
        func act(_ action: Action, _ seat: Int?) -> Command {
            .act(player: one, action: action, seat: seat, hand: nil, amount: nil, turn: game.table.turn)
        }
        #expect(throws: Rejection.noSeatNamed) { try game.perform(.bet(player: one, seat: nil, amount: 10)) }
        try game.bet([1: 10, 2: 10])
        #expect(throws: Rejection.noSeatNamed) { try game.perform(act(.insurance, nil)) }
        try game.perform(act(.insurance, 1))
        #expect(throws: Rejection.alreadyAnswered(seat: 1)) { try game.perform(act(.insurance, 1)) }
        #expect(throws: Rejection.noSeatNamed) { try game.perform(act(.insurance, nil)) }
        try game.perform(act(.decline, 2))
        #expect(throws: Rejection.noSeatNamed) { try game.perform(act(.stand, nil)) }
        try game.perform(act(.stand, 1))
    }

    @Test func aFurtherSeatIsNamed() throws {
        var game = try Game([("seatsPerPlayer", .integer(2))], chips: [1: 100], cards: "TH")
        try expectNothing(&game, sit(one))
        try game.perform(sit(one, seat: 4))
        #expect(game.table.seats(of: one) == [1, 4])
        try expectNothing(&game, sit(one, seat: 4))
        #expect(throws: Rejection.tooManySeats(limit: 2)) { try game.perform(sit(one, seat: 5)) }
    }

    @Test func leaving_isOnce_andSittingTakesItBack() throws {
        var game = try Game.dealt(chips: [1: 100, 2: 100], cards: "TH TD 6D 9H 8D 5S TC", bets: [1: 10, 2: 10])
        for player in [one, two] { try game.perform(.leave(player: player == one ? two : one)) }
        try #require(game.table.playerViews.isEmpty)
        game = try Game.dealt(chips: [1: 100, 2: 100], cards: "TH TD 6D 9H 8D 5S TC", bets: [1: 10, 2: 10])
        try game.perform(.leave(player: two))
        try expectNothing(&game, .leave(player: two))
        try game.perform(sit(two))
        try expectNothing(&game, sit(two))
        // The hand that was not stood yet is asked.
        try game.act(.stand, seat: 1)
        #expect(game.turn == HandID(seat: 2, hand: 0))
        try game.perform(.leave(player: two))
        #expect(game.table.playerView(two) == nil && game.table.seats(of: one) == [1])
        var other = try Game.dealt(chips: [1: 100, 2: 100], cards: "TH TD 6D 9H 8D 5S TC", bets: [1: 10, 2: 10])
        try other.perform(.leave(player: one))
        try other.perform(sit(one))
        #expect(other.facts.contains(.stood(seat: 1, hand: 0, .absent)) && other.turn == HandID(seat: 2, hand: 0))
        try other.act(.stand, seat: 2)
        #expect(other.table.seats(of: one) == [1])
    }

    @Test func aClosingTable_takesNoLeaveBack_andNoChips() throws {
        var game = try Game.dealt(chips: [1: 100, 2: 100], cards: "TH TD 6D 9H 8D 5S TC", bets: [1: 10, 2: 10])
        try game.perform(.leave(player: two))
        try game.perform(.close())
        #expect(throws: Rejection.tableClosing) { try game.perform(sit(two)) }
        try expectNothing(&game, sit(one))
    }

    @Test func aPlayerIsBroke_withTooFewChips_andNothingBetOrInPlay() throws {
        let rules: [(String, RuleValue)] = [("minimumBet", .integer(10))]
        var game = try Game(rules, chips: [1: 10, 2: 100], cards: "TH TS 8D 6H 9S 9C")
        #expect(!game.table.isBroke(one))
        #expect(throws: Rejection.chipsOutOfRange(chips: 5, allowed: 0...0)) { try game.perform(sit(one, chips: 5)) }
        try game.bet([1: 10])
        #expect(!game.table.isBroke(one))
        try game.bet([2: 10])
        #expect(!game.table.isBroke(one))
        try game.act(.stand, seat: 1)
        try game.act(.stand, seat: 2)
        try #require(game.outcomes() == [.lose])
        #expect(game.table.isBroke(one) && !game.table.isBroke(two))
        try game.perform(sit(one, chips: 50))
        #expect(game.table.bankroll(of: one) == 50 && game.table.seats(of: one) == [1] && !game.table.isBroke(one))
    }
}
