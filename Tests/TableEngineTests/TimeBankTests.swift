import Rules
import TableModel
import Testing

@testable import TableEngine

/// How long a player may make others wait: the first 5 s are free, then a bank pays, to which each round gives 5 s back.
struct TimeBankTests {
    private static let rounds = String(repeating: "TH TD 6D 9H 9D 5S TC ", count: 12)

    /// Two players and a bank of 30 s; decisions take 15 s at most, bettings 20 s.
    private func game(_ rules: [(String, RuleValue)] = [], bank: Int = 30_000) throws -> Game {
        try Game(rules, chips: [1: 1000, 2: 1000], cards: Self.rounds, bank: bank)
    }

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

    @Test func fiveSecondsAreFree_thenTheBankPays_andTheClockHasWhatIsLeft() throws {
        var game = try game()
        try game.bet([1: 10, 2: 10])
        #expect(clock(game) == 15_000)
        try game.wait(5)
        try game.act(.stand)
        #expect(spent(game, 1) == 0)
        try game.wait(14)
        try game.act(.stand, seat: 2)
        #expect(spent(game, 2) == 9000 && spent(game, 1) == 0)
        try expectReplay(game)
        for (round, left) in [(2, 15_000), (3, 15_000), (4, 15_000), (5, 15_000), (6, 11_004), (7, 10_001), (8, 10_001)] {
            try game.bet([1: 10, 2: 10])
            try game.act(.stand)
            #expect(clock(game) == left, "round \(round)")
            game.now = game.now.adding(milliseconds: left - 1)
            try game.act(.stand, seat: 2)
        }
        try expectReplay(game)
    }

    @Test func withoutABank_aDecisionHasFiveSeconds_andATimeOutIsCharged() throws {
        var game = try game(bank: 7000)
        try game.bet([1: 10, 2: 10])
        #expect(clock(game) == 12_000)
        try game.wait(12)
        #expect(spent(game, 1) == 7000 && game.turn?.seat == 2)
        try game.act(.stand, seat: 2)
        try game.bet([2: 10])
        try game.bet([1: 10])
        #expect(clock(game) == 10_000, "7 s, and 5 s of them back")
        game = try self.game(bank: 0)
        try game.bet([1: 10, 2: 10])
        #expect(clock(game) == 5000)
    }

    @Test func aBettingWaits_untilTheLastBankIsUsedUp() throws {
        var game = try game(bank: 10_000)
        for waited in [15_000, 10_001, 10_001] {
            try game.bet([1: 10])
            #expect(clock(game) == waited)
            game.now = game.now.adding(milliseconds: waited - 1)
            try game.bet([2: 10])
            for seat in 1...2 { try game.act(.stand, seat: seat) }
        }
        try game.bet([1: 10])
        try game.wait(milliseconds: 10_001)
        #expect(game.turn?.seat == 1 && game.table.handCount(seat: 2) == 0, "dealt without the one who is late")
        #expect(spent(game, 2) == 5000 && spent(game, 1) == 0, "10 s, and 5 s of them back with the round")
        try expectReplay(game)
    }

    /// A player with time left is waited for, whatever another has.
    @Test func aBettingEndsEarly_onlyForPlayersWithoutTime() throws {
        var game = try Game(chips: [1: 1000, 2: 1000, 3: 1000], cards: Self.rounds, bank: 10_000)
        game.table.state.players[1].spent = 10_000
        try game.bet([1: 10])
        #expect(clock(game) == 15_000)
        try game.wait(6)
        try game.bet([3: 10])
        try game.perform(.tick)
        #expect(game.table.round == 1 && game.table.handCount(seat: 2) == 0)
    }

    @Test func aQuestionToAll_endsWhenOnlyAPlayerWithoutTimeIsAsked() throws {
        var game = try Game(chips: [1: 1000, 2: 1000], cards: "TH TD AD 9H 9D 5S TC", bank: 10_000)
        game.table.state.players[1].spent = 10_000
        try game.bet([1: 10, 2: 10])
        #expect(clock(game) == 10_000)
        try game.wait(2)
        try game.act(.decline)
        #expect(clock(game) == 3000)
        try game.wait(3)
        #expect(game.turn?.seat == 1)
    }

    @Test func nothingIsCharged_whileDisconnected() throws {
        var game = try game()
        try game.bet([1: 10, 2: 10])
        try game.wait(7)
        try game.cut(1)
        #expect(spent(game, 1) == 2000)
        try game.wait(4)
        try game.comeBack(1)
        try game.wait(1)
        try game.act(.stand)
        #expect(spent(game, 1) == 3000)
        try game.cut(2)
        try game.wait(15)
        #expect(game.facts.contains(.stood(seat: 2, hand: 0, .timedOut)) && spent(game, 2) == 0)
    }

    @Test func gettingUpAndSittingOut_fillNoBank() throws {
        var game = try game()
        try game.bet([1: 10])
        try game.wait(18)
        try game.perform(.sitOut(player: PlayerID(2)))
        #expect(spent(game, 2) == 13_000 - 5000, "the round began without them")
        try game.act(.stand)
        try game.perform(.leave(player: PlayerID(2)))
        try expectReplay(game)
        try game.perform(.sit(player: PlayerID(2), profile: PlayerProfile(name: "p2"), seat: 5, chips: 100))
        #expect(spent(game, 2) == 8000 && game.table.state.debts.isEmpty)
        try game.perform(.leave(player: PlayerID(2)))
        for _ in 1...2 {
            try game.bet([1: 10])
            try game.act(.stand)
        }
        #expect(game.table.state.debts.isEmpty, "two rounds give it back")
    }

    /// Taking the bet back, or coming back to the table, begins a new wait.
    @Test func aBetTakenBack_isChargedFromThen() throws {
        var game = try Game.dealt(chips: [1: 1000, 2: 1000, 3: 1000], cards: Self.rounds, bank: 30_000, bets: [1: 10, 2: 10])
        try game.wait(10)
        try game.bet([1: 20])
        try game.bet([1: 0])
        try game.wait(4)
        try game.bet([1: 10])
        #expect(spent(game, 1) == 4000 && spent(game, 2) == 0)
        game = try self.game()
        try game.bet([1: 10])
        try game.wait(10)
        try game.perform(.sit(player: PlayerID(3), profile: PlayerProfile(name: "p3"), seat: 3, chips: 100))
        try game.wait(9)
        try game.perform(.bet(player: PlayerID(3), seat: nil, amount: 10))
        #expect(spent(game, 3) == 9000)
    }

    // MARK: Newcomers of a shoe

    private func newcomers() throws -> Game {
        var game = try Game.dealt([("midShoeEntry", .flag(false))], chips: [1: 1000], cards: "TH 6D 9H 5S TC", bank: 30_000)
        try game.act(.stand)
        for number in 2...3 {
            let profile = PlayerProfile(name: "p\(number)")
            try game.perform(.sit(player: PlayerID(UInt32(number)), profile: profile, seat: number, chips: 1000))
        }
        return game
    }

    // MARK: Another pace

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

    @Test func whoSitsOut_isANewcomer_andKeepsNobodyWaiting() throws {
        var game = try newcomers()
        #expect(throws: Rejection.waitForShuffle) { try game.bet([2: 10]) }
        try game.perform(.sitOut(player: PlayerID(1)))
        try game.perform(.sitOut(player: PlayerID(1), isOut: false))
        try game.bet([2: 10])
        #expect(game.table.state.shufflesNext)
    }

    @Test func whoPlaysTheShoeAndDoesNotBet_sitsOutAfterTheBettingTime_whileNewcomersWait() throws {
        var game = try newcomers()
        game.now = game.now.adding(milliseconds: 19_000)
        // Coming back does not begin the time again.
        try game.cut(1)
        try game.comeBack(1)
        try game.wait(milliseconds: 999)
        #expect(game.table.nextEvent == game.now.adding(milliseconds: 1))
        try game.wait(1)
        #expect(game.table.playerView(PlayerID(1))?.isSittingOut == true)
        #expect(game.table.playerView(PlayerID(2))?.isSittingOut == false)
        try game.bet([2: 10, 3: 10])
        #expect(game.table.state.core.shoe.number == 2)
    }

    @Test func anAbsentPlayerOfTheShoe_keepsNobodyWaiting() throws {
        var game = try newcomers()
        try game.cut(1)
        try game.wait(2)
        try game.bet([2: 10, 3: 10])
        #expect(game.table.state.core.shoe.number == 2)
    }
}
