import TableModel
import Testing

@testable import TableEngine

/// Leaving, sitting out, closing and running out of time, in every phase.
struct LeavingTests {
    private func left(_ game: Game, _ seat: UInt32) -> Int? {
        for case .left(let player, let chips) in game.facts where player == PlayerID(seat) { return chips }
        return nil
    }

    @Test func leaving_beforeTheBetsClose_returnsTheBetAtOnce() throws {
        var game = try Game.dealt(chips: [1: 100, 2: 100], cards: "TH TD", bets: [1: 10])
        try game.perform(.leave(player: PlayerID(1)))
        #expect(left(game, 1) == 100)
        #expect(game.table.phase == .waiting)
        #expect(game.table.player(seat: 1) == nil)
    }

    @Test func leaving_isWhatTheOthersWaitedFor() throws {
        var game = try Game.dealt(chips: [1: 100, 2: 100], cards: "TH 6D 9H 5S TD", bets: [1: 10])
        try game.perform(.leave(player: PlayerID(2)))
        #expect(game.turn == HandID(seat: 1, hand: 0))
    }

    @Test func leaving_midRound_standsAndFreesTheSeatAfterSettlement() throws {
        var game = try Game.dealt(chips: [1: 100, 2: 100], cards: "TH TD 6D 9H 8D 5S TC", bets: [1: 10, 2: 10])
        try game.perform(.leave(player: PlayerID(1)))
        #expect(game.facts.contains(.stood(seat: 1, hand: 0, .absent)))
        #expect(game.turn == HandID(seat: 2, hand: 0))
        #expect(game.table.player(seat: 1) == PlayerID(1))
        try game.act(.stand, seat: 2)
        #expect(left(game, 1) == 90)
        #expect(game.table.player(seat: 1) == nil)
        #expect(game.table.owner(seat: 1) == PlayerID(1))
    }

    @Test func leaving_whileSomebodyElseActs_standsWhenTheTurnComes() throws {
        var game = try Game.dealt(chips: [1: 100, 2: 100], cards: "TH TD 6D 9H 8D 5S TC", bets: [1: 10, 2: 10])
        try game.perform(.leave(player: PlayerID(2)))
        #expect(game.turn == HandID(seat: 1, hand: 0))
        try game.act(.stand, seat: 1)
        #expect(game.facts.contains(.stood(seat: 2, hand: 0, .absent)))
        #expect(left(game, 2) != nil)
    }

    @Test func leaving_betweenTwoSplitHands_standsOnBoth() throws {
        // T10
        var game = try Game.dealt(cards: "8H 6D 8D KS 3C 2C TC")
        try game.act(.split)
        try game.act(.stand)
        #expect(game.turn == HandID(seat: 1, hand: 1))
        try game.perform(.leave(player: PlayerID(1)))
        #expect(game.outcomes() == [.win, .win])
        #expect(left(game, 1) == 1020)
    }

    @Test func leaving_whileAskedForInsurance_declinesAndStands() throws {
        var game = try Game.dealt(chips: [1: 100, 2: 100], cards: "TH TD AD 9H 8D 5S TC", bets: [1: 10, 2: 10])
        try game.perform(.leave(player: PlayerID(1)))
        #expect(game.facts.contains(.declined(seat: 1, timedOut: false)))
        #expect(game.table.phase.name == "insurance")
        try game.act(.decline, seat: 2)
        #expect(game.facts.contains(.stood(seat: 1, hand: 0, .absent)))
        #expect(game.turn == HandID(seat: 2, hand: 0))
    }

    @Test func leaving_whileResultsLieOnTheTable_isAtOnce() throws {
        var game = try Game.dealt(cards: "TH 6D 9H 5S TC", pace: 3000)
        try game.act(.stand)
        #expect(game.table.phase.name == "settled")
        try game.perform(.leave(player: PlayerID(1)))
        #expect(left(game, 1) != nil)
    }

    @Test func aTurnThatRunsOut_isAStand() throws {
        var game = try Game.dealt(cards: "8H 6D 8D KS TC")
        #expect(game.table.deadline == game.now.adding(seconds: 15))
        try game.wait(15)
        #expect(game.facts.contains(.stood(seat: 1, hand: 0, .timedOut)))
        #expect(game.outcomes() == [.win])
    }

    @Test func anActionAtTheDeadline_meetsTheTableAfterTheTimeOut() throws {
        // T16: the timer and the action come at the same moment.
        var game = try Game.dealt(chips: [1: 100, 2: 100], cards: "TH TD 6D 9H 8D 5S TC", bets: [1: 10, 2: 10])
        game.now = game.now.adding(seconds: 15)
        #expect(throws: Rejection.notYourTurn(acting: HandID(seat: 2, hand: 0))) { try game.act(.hit, seat: 1) }
        #expect(game.facts.contains(.stood(seat: 1, hand: 0, .timedOut)))
        #expect(game.table.deadline == game.now.adding(seconds: 15))
        game.now = game.now.adding(milliseconds: 14_999)
        try game.act(.stand, seat: 2)
    }

    @Test func aRefusedAction_leavesTheClockRunning() throws {
        var game = try Game.dealt(chips: [1: 10], cards: "8H 6D 8D KS TC")
        let deadline = game.table.deadline
        game.now = game.now.adding(seconds: 10)
        #expect(throws: Rejection.insufficientChips(needed: 10, available: 0)) { try game.act(.split) }
        #expect(game.table.deadline == deadline)
    }

    @Test func eachDecision_hasItsWholeTime() throws {
        var game = try Game.dealt(cards: "2H 6D 3D KS 4C TC")
        game.now = game.now.adding(seconds: 10)
        try game.act(.hit)
        #expect(game.table.deadline == game.now.adding(seconds: 15))
    }

    @Test func insuranceThatRunsOut_isDeclined() throws {
        var game = try Game.dealt(chips: [1: 100, 2: 100], cards: "TH TD AD 9H 8D 5S TC", bets: [1: 10, 2: 10])
        try game.act(.insurance, seat: 2)
        try game.wait(10)
        #expect(game.facts.contains(.declined(seat: 1, timedOut: true)))
        #expect(game.turn == HandID(seat: 1, hand: 0))
    }

    @Test func bettingThatRunsOut_beginsTheRound_withWhoeverHasBet() throws {
        var game = try Game.dealt(chips: [1: 100, 2: 100], cards: "TH 6D 9H 5S TC", bets: [1: 10])
        #expect(game.table.phase.name == "betting")
        try game.wait(20)
        #expect(game.turn == HandID(seat: 1, hand: 0))
        #expect(game.table.handCount(seat: 2) == 0)
    }

    @Test func sittingOut_returnsTheBet_andIsNotWaitedFor() throws {
        var game = try Game.dealt(chips: [1: 100, 2: 100], cards: "TH 6D 9H 5S TC", bets: [2: 10])
        try game.perform(.sitOut(player: PlayerID(2)))
        #expect(game.table.phase == .waiting)
        try game.bet([1: 10])
        #expect(game.turn == HandID(seat: 1, hand: 0))
    }

    @Test func joiningMidRound_waitsForTheNext() throws {
        var game = try Game.dealt(chips: [1: 100], cards: "TH 6D 9H 5S TC")
        try game.perform(.sit(player: PlayerID(2), profile: PlayerProfile(name: "late"), seat: nil, chips: 50))
        #expect(game.table.player(seat: 2) == PlayerID(2))
        #expect(throws: Rejection.bettingClosed) { try game.bet([2: 10]) }
        try game.act(.stand)
        #expect(game.table.handCount(seat: 2) == 0)
        try game.bet([2: 10])
    }

    @Test func closing_finishesTheRound_andThenEverybodyLeaves() throws {
        var game = try Game.dealt(chips: [1: 100, 2: 100], cards: "TH TD 6D 9H 8D KS TC", pace: 3000, bets: [1: 10, 2: 10])
        try game.perform(.close())
        #expect(throws: Rejection.tableClosing) { try game.perform(.close()) }
        #expect(throws: Rejection.tableClosing) {
            try game.perform(.sit(player: PlayerID(3), profile: PlayerProfile(name: "x"), seat: nil, chips: 50))
        }
        try game.act(.stand, seat: 1)
        try game.act(.stand, seat: 2)
        #expect(game.table.phase.name == "settled")
        try game.wait(3)
        #expect(left(game, 1) == 110)
        #expect(left(game, 2) == 110)
        #expect(game.table.phase == .closed)
        try game.perform(.tick)
        #expect(throws: Rejection.tableClosed) { try game.bet([1: 10]) }
    }

    @Test func voiding_returnsEveryBetOfTheRound_splitDoubledAndInsuredAlike() throws {
        var game = try Game.dealt(chips: [1: 100, 2: 100], cards: "8H TD AS 8C 9D 5S 3C TH TC 9C", bets: [1: 10, 2: 20])
        try game.act(.insurance, seat: 1, amount: 5)
        try game.perform(.void)
        #expect(game.table.playerView(PlayerID(1))?.bankroll == 100)
        #expect(game.table.playerView(PlayerID(2))?.bankroll == 100)
        #expect(game.table.houseNet == 0 && game.table.chipsAtStake == 0)
        game = try Game(
            [("insurance", .flag(false)), ("evenMoney", .flag(false))], chips: [1: 100], cards: "8H 6S 8C 5S 3C TH TC 9C")
        try game.bet([1: 10])
        try game.act(.split)
        try game.act(.double)
        #expect(game.table.playerView(PlayerID(1))?.bankroll == 70)
        try game.perform(.void)
        #expect(game.table.playerView(PlayerID(1))?.bankroll == 100 && game.table.houseNet == 0)
        try game.perform(.void)
    }

    @Test func voiding_aTableThatCloses_sendsEverybodyHomeAtOnce() throws {
        var game = try Game.dealt(chips: [1: 100, 2: 100], cards: "TH TD 6D 9H 8D KS TC", pace: 3000, bets: [1: 10, 2: 10])
        try game.perform(.close())
        try game.perform(.void)
        #expect(left(game, 1) == 100 && left(game, 2) == 100 && game.table.phase == .closed)
    }

    @Test func closing_whileBetsAreOpen_returnsThem() throws {
        var game = try Game.dealt(chips: [1: 100, 2: 100], cards: "TH TD 6D 9H 8D 5S TC", bets: [1: 10])
        try game.perform(.close())
        #expect(left(game, 1) == 100)
        #expect(game.table.phase == .closed)
    }
}
