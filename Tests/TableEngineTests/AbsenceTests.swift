import Rules
import TableModel
import Testing

@testable import TableEngine

/// Lost connections: what becomes of bets, hands and seats, in every phase.
struct AbsenceTests {
    private func left(_ game: Game, _ player: UInt32) -> Bool {
        game.facts.contains { if case .left(PlayerID(player), _) = $0 { true } else { false } }
    }

    @Test func aBetOfADisconnectedPlayer_staysAndIsDealt() throws {
        var game = try Game.dealt(chips: [1: 100, 2: 100], cards: "TH 6D 9H 5S TC", bets: [1: 10])
        try game.cut(1)
        #expect(throws: Rejection.alreadyDisconnected) { try game.cut(1) }
        #expect(game.table.phase.name == "betting" && game.table.state.seats[0].bet == 10)
        try game.wait(20)
        #expect(game.turn == HandID(seat: 1, hand: 0), "nobody is there, and the hand is dealt all the same")
        #expect(game.table.state.seats[0].original == 10 && game.table.bankroll(of: PlayerID(1)) == 90)
    }

    @Test func aDisconnectedPlayersBet_isEndedByTheirOwnRequest_orTheClosing_alone() throws {
        let ann = PlayerID(1)
        for command in [Command.bet(player: ann, seat: nil, amount: 0), .sitOut(player: ann), .leave(player: ann), .close()] {
            var game = try Game.dealt(chips: [1: 100, 2: 100], cards: "TH", bets: [1: 10])
            try game.cut(1)
            try game.wait(5)
            if command != .close() { try game.comeBack(1) }
            #expect(game.table.state.seats[0].bet == 10)
            try game.perform(command)
            #expect(game.table.chipsAtStake == 0, "\(command)")
        }
    }

    @Test func aCutPlayer_isWaitedForForTheGrace_andNoLonger() throws {
        var game = try Game(chips: [1: 100, 2: 100], cards: "TH 6D 9H 5S TC")
        try game.cut(2)
        try game.bet([1: 10])
        #expect(game.table.phase.name == "betting")
        #expect(game.table.nextEvent == game.now.adding(seconds: 2))
        try game.wait(milliseconds: 1999)
        #expect(game.table.phase.name == "betting" && game.table.playerView(PlayerID(2))?.isAway == false)
        try game.wait(milliseconds: 1)
        #expect(game.table.playerView(PlayerID(2))?.isAway == true)
        #expect(game.turn == HandID(seat: 1, hand: 0), "the bets are complete without the one who is away")
    }

    @Test func whoComesBackWithinTheGrace_wasNeverAway() throws {
        var game = try Game.dealt(chips: [1: 100, 2: 100], cards: "TH TD 6D 9H 8D 5S TC", bets: [1: 10])
        try game.cut(2)
        game.now = game.now.adding(milliseconds: 1999)
        try game.comeBack(2)
        try game.wait(3)
        #expect(!game.facts.contains(.away(player: PlayerID(2))))
        try game.bet([2: 10])
        #expect(game.turn == HandID(seat: 1, hand: 0))
    }

    @Test func withoutAGrace_aCutPlayerIsAwayAtOnce() throws {
        var table = Table(rules: HouseRules(), pace: Pace(graceMilliseconds: 0))
        var sink = FactList()
        let (now, player) = (Moment(milliseconds: 5), PlayerID(1))
        try table.perform(.sit(player: player, profile: PlayerProfile(name: "a"), seat: nil, chips: 100), at: now, into: &sink)
        try table.perform(.disconnected(player: player), at: now, into: &sink)
        #expect(table.playerView(player)?.isAway == true)
    }

    @Test func anAbsentPlayersTurn_runsItsWholeClock_andThenStands() throws {
        var game = try Game.dealt(chips: [1: 100, 2: 100], cards: "TH TD 6D 9H 8D KS TC", bets: [1: 10, 2: 10])
        try game.cut(2)
        try game.wait(5)
        try game.act(.stand, seat: 1)
        #expect(game.turn == HandID(seat: 2, hand: 0))
        #expect(game.table.deadline == game.now.adding(seconds: 15))
        try game.wait(milliseconds: 14_999)
        #expect(game.turn == HandID(seat: 2, hand: 0))
        try game.wait(milliseconds: 1)
        #expect(game.facts.contains(.stood(seat: 2, hand: 0, .timedOut)))
        #expect(game.net(2) == 10)
        #expect(game.table.playerView(PlayerID(2))?.isSittingOut == false, "absence is no time-out in a row")
    }

    @Test func whoComesBackWhileTheirTurnRuns_mayAct() throws {
        var game = try Game.dealt(chips: [1: 100, 2: 100], cards: "TH 2D 6D 9H 8D KS TC", bets: [1: 10, 2: 10])
        try game.cut(2)
        try game.wait(5)
        try game.act(.stand, seat: 1)
        let deadline = game.table.deadline
        try game.wait(14)
        try game.comeBack(2)
        #expect(game.table.deadline == deadline)
        try game.act(.hit, seat: 2)
    }

    @Test func anAbsentPlayer_isAskedAboutInsurance_andTheClockDeclines() throws {
        var game = try Game.dealt(
            [("surrender", .text("early"))], chips: [1: 100, 2: 100], cards: "TH TD AD 9H 8D 5S TC", bets: [1: 10, 2: 10])
        try game.cut(2)
        try game.act(.decline, seat: 1)
        try game.wait(10)
        #expect(game.table.phase.name == "insurance" && game.table.question(seat: 2) != nil)
        try game.act(.decline, seat: 1)
        game.now = game.now.adding(seconds: 9)
        try game.comeBack(2)
        try game.act(.insurance, seat: 2, amount: 5)
        #expect(game.table.state.seats[1].insurance == 5)
    }

    @Test func reconnecting_withinTheClock_letsThePlayerAct_withoutMoreTime() throws {
        var game = try Game.dealt(cards: "TH 6D 9H 5S TC")
        let deadline = game.table.deadline
        try game.cut(1)
        game.now = game.now.adding(seconds: 5)
        try game.comeBack(1)
        #expect(game.table.deadline == deadline)
        try game.act(.stand)
    }

    @Test func reconnecting_atTheDeadline_findsTheHandFinished() throws {
        // T17
        var game = try Game.dealt(cards: "TH 6D 9H KS TC")
        try game.cut(1)
        game.now = game.now.adding(seconds: 15)
        try game.comeBack(1)
        #expect(game.facts.contains(.stood(seat: 1, hand: 0, .timedOut)))
        #expect(throws: Rejection.staleTurn(1)) { try game.act(.stand) }
        #expect(game.net() == 10)
    }

    @Test func aSeatOfSomebodyAway_isKept_whateverRoundsPass() throws {
        var game = try Game(chips: [1: 1000, 2: 100], cards: "TH")
        try game.cut(2)
        try game.wait(2)
        for _ in 1...10 {
            game.stack("TH 6D 9H 5S TC")
            try game.bet([1: 10])
            try game.act(.stand)
        }
        let absent = try #require(game.table.playerView(PlayerID(2)))
        #expect(absent.missedRounds == 0 && !absent.isSittingOut)
        try game.comeBack(2)
        game.stack("TH TD 6D 9H 8D 5S TC")
        try game.bet([1: 10, 2: 10])
        #expect(game.turn == HandID(seat: 1, hand: 0))
    }

    @Test func twoBoxesOfADisconnectedPlayer_areBothDealt_andEachRunsItsClock() throws {
        var game = try Game.dealt(
            [("seatsPerPlayer", .integer(2))], chips: [1: 100, 2: 100], cards: "TH TD 6D 9H 8D 5S TC", owners: [1: 7, 2: 7],
            bets: [1: 10])
        try game.cut(7)
        try game.wait(2)
        #expect(game.turn == HandID(seat: 1, hand: 0), "the other box is not waited for")
        try game.wait(15)
        #expect(game.table.phase == .waiting && game.table.handCount(seat: 2) == 0)
    }

    @Test func aSeatThatIsKeptNoLonger_isFreedAtOnce_orAfterTheRoundOfItsBet() throws {
        var game = try Game(chips: [1: 100, 2: 100, 3: 100], cards: "TH TD 6D 9H 8D 5S TC")
        #expect(throws: Rejection.notDisconnected) { try game.perform(.release(player: PlayerID(1))) }
        for player in 1...3 { try game.cut(UInt32(player)) }
        try game.perform(.release(player: PlayerID(3)))
        #expect(left(game, 3))
        try game.comeBack(1)
        try game.comeBack(2)
        try game.bet([1: 10])
        try game.cut(1)
        try game.perform(.release(player: PlayerID(1)))
        #expect(game.table.state.seats[0].bet == 10, "the bet is dealt first")
        try game.bet([2: 10])
        try game.wait(15)
        #expect(game.facts.contains(.stood(seat: 1, hand: 0, .timedOut)))
        #expect(!left(game, 1))
        try game.act(.stand, seat: 2)
        #expect(left(game, 1) && !left(game, 2))
    }

    @Test func whoComesBackBeforeTheRoundEnds_keepsTheSeat() throws {
        var game = try Game.dealt(cards: "TH 6D 9H 5S TC")
        try game.cut(1)
        try game.perform(.release(player: PlayerID(1)))
        try game.comeBack(1)
        try game.act(.stand)
        #expect(game.table.player(seat: 1) == PlayerID(1))
    }

    @Test func closing_withAbsentPlayers_finishesTheirHandsByTheClock() throws {
        var game = try Game.dealt(chips: [1: 100, 2: 100], cards: "TH TD 6D 9H 8D KS TC", bets: [1: 10, 2: 10])
        try game.cut(1)
        try game.cut(2)
        try game.perform(.close())
        try game.wait(15)
        try game.wait(15)
        #expect(left(game, 1) && left(game, 2) && game.table.phase == .closed)
    }
}

/// Being there and not playing.
struct IdlenessTests {
    private func round(_ game: inout Game, _ seats: [Int] = [1]) throws {
        game.stack(seats.count == 1 ? "TH 6D 9H 5S TC" : "TH TD 6D 9H 8D 5S TC")
        try game.bet(Dictionary(uniqueKeysWithValues: seats.map { ($0, 10) }))
        if case .betting(let closes) = game.table.phase {
            game.now = closes
            try game.perform(.tick)
        }
        while let turn = game.turn { try game.act(.stand, seat: turn.seat) }
    }

    @Test func threeRoundsMissed_makeAConnectedPlayerSitOut() throws {
        var game = try Game(chips: [1: 100, 2: 100], cards: "TH")
        for missed in 1...3 {
            #expect(game.table.playerView(PlayerID(2))?.isSittingOut == false)
            try round(&game)
            #expect(game.table.playerView(PlayerID(2))?.missedRounds == missed)
        }
        #expect(game.table.playerView(PlayerID(2))?.isSittingOut == true)
        #expect(throws: Rejection.sittingOut) { try game.bet([2: 10]) }
        try game.perform(.sitOut(player: PlayerID(2), isOut: false))
        try game.bet([2: 10])
    }

    /// Never timed out, but not for ever: the seat is somebody else's after ten rounds of the others.
    @Test func aPlayerWithoutChips_losesTheSeat_afterTenRounds_andMayTakeANewStakeBefore() throws {
        var game = try Game(
            [("minimumBet", .integer(10)), ("maximumBet", .integer(1000))], chips: [1: 1000, 2: 10], cards: "TH")
        game.stack("TH TD 6D 9H 8D 5S TC")
        try game.bet([1: 10, 2: 10])
        while let turn = game.turn { try game.act(.stand, seat: turn.seat) }
        #expect(game.table.isBroke(PlayerID(2)))
        var rich = game
        try rich.perform(.sit(player: PlayerID(2), profile: PlayerProfile(name: "p2"), seat: nil, chips: 500))
        for number in 1...10 {
            let player = game.table.playerView(PlayerID(2))
            #expect(player?.isSittingOut == false, "before round \(number)")
            try round(&game)
        }
        #expect(game.table.playerView(PlayerID(2)) == nil)
        #expect(rich.table.playerView(PlayerID(2))?.missedRounds == 0)
    }

    @Test func twoTimeOutsInARow_makeAPlayerSitOut() throws {
        var game = try Game(chips: [1: 100], cards: "TH")
        for round in 1...2 {
            game.stack("TH 6D 9H 5S TC")
            try game.bet()
            try game.wait(15)
            #expect(game.table.playerView(PlayerID(1))?.isSittingOut == (round == 2))
        }
        try game.perform(.sitOut(player: PlayerID(1), isOut: false))
        game.stack("TH 6D 9H 5S TC")
        try game.bet()
        try game.wait(15)
        #expect(game.table.playerView(PlayerID(1))?.isSittingOut == false, "sitting in begins a new row")
    }

    @Test(arguments: [Action.hit, .stand, .double, .split, .surrender])
    func anyDecision_endsARowOfTimeOuts(_ action: Action) throws {
        var game = try Game([("surrender", .text("late"))], cards: "TH")
        for round in 1...3 {
            game.stack("8H 6D 8D KS 2C 2D 2S 2H TC")
            try game.bet()
            if round == 2 { try game.act(action) }
            while game.turn != nil { if round == 2 { try game.act(.stand) } else { try game.wait(15) } }
        }
        #expect(game.table.playerView(PlayerID(1))?.isSittingOut == false)
    }

    @Test func aQuestionNotAnswered_isATimeOutToo_andAnAnswerIsNone() throws {
        var game = try Game.dealt(cards: "TH AD 9H 5S TC")
        try game.wait(10)
        try game.wait(15)
        #expect(game.table.playerView(PlayerID(1))?.isSittingOut == true)
        game = try Game(cards: "TH AD 9H 5S TC")
        try game.bet()
        try game.act(.decline)
        try game.wait(15)
        #expect(game.table.playerView(PlayerID(1))?.isSittingOut == false)
    }

    @Test func whoSitsOutForTenMinutes_losesTheSeat() throws {
        var game = try Game(chips: [1: 100, 2: 100], cards: "TH")
        try game.perform(.sitOut(player: PlayerID(2)))
        #expect(game.table.deadline == nil && game.table.nextEvent == game.now.adding(seconds: 600))
        try game.wait(milliseconds: 599_999)
        #expect(game.table.player(seat: 2) == PlayerID(2))
        try game.wait(milliseconds: 1)
        #expect(game.table.player(seat: 2) == nil)
        #expect(game.facts.contains(.left(player: PlayerID(2), chips: 100)))
    }

    @Test func sittingInWithoutPlaying_givesTheSeatNoMoreTime_andAHandDoes() throws {
        var game = try Game(chips: [1: 100, 2: 100], cards: "TH")
        try game.perform(.sitOut(player: PlayerID(2)))
        game.now = game.now.adding(seconds: 300)
        try game.perform(.sitOut(player: PlayerID(2), isOut: false))
        try game.perform(.sitOut(player: PlayerID(2)))
        #expect(game.facts.contains(.satOut(player: PlayerID(2), until: Moment(milliseconds: 600_000))))
        try game.perform(.sitOut(player: PlayerID(2), isOut: false))
        try round(&game, [1, 2])
        try game.perform(.sitOut(player: PlayerID(2)))
        game.now = Moment(milliseconds: 700_000)
        try game.perform(.tick)
        #expect(game.table.player(seat: 2) == PlayerID(2))
    }

    @Test func whoIsAway_losesNoSeatBySittingOut_beforeComingBack() throws {
        var game = try Game(chips: [1: 100, 2: 100], cards: "TH")
        try game.perform(.sitOut(player: PlayerID(2)))
        try game.cut(2)
        try game.wait(700)
        #expect(game.table.player(seat: 2) == PlayerID(2))
        try game.comeBack(2)
        #expect(game.table.player(seat: 2) == nil)
    }

    @Test func aHandInPlay_isPlayedOut_beforeTheSeatIsLost() throws {
        var game = try Game.dealt(
            [("decisionSeconds", .integer(300))], chips: [1: 100, 2: 100, 3: 100], cards: "TH TD TC 6D 9H 8D 7D 5S TC",
            bets: [1: 10, 2: 10, 3: 10])
        try game.perform(.sitOut(player: PlayerID(3)))
        try game.wait(299)
        try game.act(.stand, seat: 1)
        try game.wait(299)
        try game.act(.stand, seat: 2)
        try game.wait(100)
        try game.act(.hit, seat: 3)
        #expect(game.table.player(seat: 3) == PlayerID(3))
        while game.turn != nil { try game.act(.stand, seat: 3) }
        try game.perform(.tick)
        #expect(game.table.player(seat: 3) == nil)
    }

    @Test func strangersWhoNeverBet_keepNoTableForEver() throws {
        var game = try Game(chips: Dictionary(uniqueKeysWithValues: (1...7).map { ($0, 100) }), cards: "TH")
        try game.wait(600)
        #expect(game.table.playerViews.allSatisfy { $0.isSittingOut })
        try game.wait(600)
        #expect(game.table.playerViews.isEmpty && game.table.nextEvent == nil)
    }

    @Test func aPlayerOutOfChips_isNeverTimedOut_andKeepsNobodyFromBetting() throws {
        var game = try Game.dealt([("midShoeEntry", .flag(false))], chips: [1: 10], cards: "TH 6D 9H 5S TC")
        try game.act(.stand)
        #expect(game.table.bankroll(of: PlayerID(1)) == 0)
        try game.wait(3600)
        try game.perform(.sit(player: PlayerID(2), profile: PlayerProfile(name: "b"), seat: nil, chips: 100))
        for _ in 1...4 { try round(&game, [2]) }
        #expect(game.table.playerView(PlayerID(1))?.isSittingOut == false)
        try game.perform(.sit(player: PlayerID(1), profile: PlayerProfile(name: "a"), seat: nil, chips: 100))
        for _ in 1...2 { try game.wait(600) }
        #expect(game.table.playerView(PlayerID(1)) == nil, "with chips, as everybody")
    }

    @Test func aTableWithoutABet_isPatientAnew_withWhoeverComes() throws {
        var game = try Game(chips: [1: 100], cards: "TH")
        try game.wait(599)
        try game.perform(.sit(player: PlayerID(2), profile: PlayerProfile(name: "b"), seat: nil, chips: 100))
        try game.wait(599)
        #expect(game.table.playerViews.allSatisfy { !$0.isSittingOut })
        try round(&game)
        try game.wait(599)
        #expect(game.table.playerViews.allSatisfy { !$0.isSittingOut })
    }

    @Test func withLimitsOfAMonth_aTableWaitsForItsPlayers() throws {
        let month = HouseRules.secondsRange.upperBound
        let changes = ["bettingSeconds", "decisionSeconds", "insuranceSeconds"].map { ($0, RuleValue.integer(month)) }
        var game = try Game(changes, cards: "9H AD 7D 9C", pace: 0, bank: month * 1000)
        func expectNoEnd() throws {
            try game.wait(86_400)
            #expect(game.table.playerViews.map(\.isSittingOut) == [false])
        }
        try game.bet([1: 10])
        try expectNoEnd()
        try game.act(.decline)
        try expectNoEnd()
        #expect(game.turn?.seat == 1)
        try game.act(.stand)
        #expect(game.table.state.core.stage == .waiting && game.table.deadline == nil)
    }
}
