import ClientCore
import Rules
import TableModel
import TestKit
import Testing
import Wire

@testable import TableEngine
@testable import TerminalUI

/// An evening from the seat of a player: lost answers, short clocks, the bet that is offered, the chart, and the end.
struct HostedEveningTests {
    private static func standings() -> Standings {
        var standings = Standings()
        var ann = LeaderboardEntry(name: "ann", isBot: false)
        ann.add(rounds: 3, net: 25, biggestWin: 20)
        standings.rank(ann)
        (standings.own, standings.place) = (ann, 1)
        return standings
    }

    private static func end(_ scene: inout Scene) -> [PlayerSession.Effect] {
        scene.update(.goodbye(code: GoodbyeCode.shuttingDown.rawValue, message: "The server stops.")) {
            $0.standings = standings()
        }
    }

    private func ending(_ effects: [PlayerSession.Effect]) -> TableSession.Ending? {
        effects.lazy.compactMap { if case .end(let ending) = $0 { ending } else { nil } }.first
    }

    private func log(_ scene: Scene) -> [String] { scene.view.messages.map(\.text.text) }

    // MARK: End

    @Test(arguments: [(40, 12), (80, 24), (120, 40)])
    func theEndOfTheEvening_showsTheStandings_untilAKey(columns: Int, rows: Int) throws {
        var scene = try Scene(chips: [1: 1000], cards: "TS TD TH 7C")
        #expect(ending(Self.end(&scene)) == nil)
        scene.update(.link) { $0.link = .lost(.connection("closed")) }
        // As the screen has it when the connection ends.
        if columns == 80 { scene.board.show(TableSnapshot(), me: "") }
        let text = scene.frame(columns, rows).text
        for words in ["★ main · 3 rounds · 1970-01-", "1 ann  +25", "any key"] {
            #expect(text.contains(words), "\(text)")
        }
        let last = ending(scene.enter(.character("x")))
        #expect(last?.status == 0 && last?.reason == nil && last?.summaries.first?.text.contains("3 rounds") == true)
    }

    @Test func theEndOfTheEvening_leavesByItself() throws {
        var scene = try Scene(chips: [1: 1000], cards: "TS TD TH 7C")
        _ = Self.end(&scene)
        #expect(ending(scene.handle(.tick, after: 29_999)) == nil)
        #expect(ending(scene.handle(.tick, after: 1))?.status == 0)
    }

    @Test(arguments: [PlayerSession.Controls.lines, .pipe])
    func withoutAScreen_theStandingsArePrinted_andTheProgramEnds(_ controls: PlayerSession.Controls) throws {
        var scene = try Scene(chips: [1: 1000], cards: "TS TD TH 7C", controls: controls)
        let last = ending(Self.end(&scene))
        #expect(last?.status == 0 && last?.summaries.contains("1 ann  +25") == true)
    }

    /// Plain text has no legend of marks, nor has ASCII one for bots.
    @Test func botsAlone_areRankedByTheirWord() throws {
        var scene = try Scene(chips: [1: 1000], cards: "TS TD TH 7C", controls: .lines)
        var (standings, lou) = (Standings(), LeaderboardEntry(name: "house-2", isBot: true))
        lou.add(rounds: 25, net: 0, biggestWin: 0)
        standings.rank(lou)
        let effects = scene.update(.goodbye(code: GoodbyeCode.shuttingDown.rawValue, message: "The server stops.")) {
            [standings] in $0.standings = standings
        }
        #expect(ending(effects)?.summaries.contains("  1. Lou (bot): 25 rounds, 0 chips") == true)
    }

    // MARK: Lost answers

    /// Ann's hit is sent, and the connection is lost before the answer.
    private func inDoubt(_ line: String, _ scene: inout Scene) throws -> PlayerSession.Request {
        let effects = scene.handle(.line(line))
        let requests = effects.compactMap { effect -> PlayerSession.Request? in
            if case .send(_, let request) = effect { request } else { nil }
        }
        scene.update(.link) { $0.link = .lost(.silence) }
        scene.update(.link) { $0.link = .loggedIn }
        return try #require(requests.first)
    }

    private func printed(_ effects: [PlayerSession.Effect]) -> [String] {
        effects.compactMap { if case .print(let text) = $0 { text.text } else { nil } }
    }

    @Test func aKeyWithoutAnAnswer_isAccountedForAfterAReconnect() throws {
        let stale = Refusal(.look, code: ErrorCode.stale.rawValue, message: "That turn is over.")
        for (line, result, words) in [
            ("bet 20", .success(.applied("bet", at: 3)), "Your bet of 20 reached the table."),
            (
                "bet 20", .failure(Refusal(.look, code: "not_connected", message: "There is no connection.")),
                "Your bet of 20 did not reach the table: try again."
            ),
            ("bet 20", .failure(stale), "Your bet of 20 came too late."),
        ] as [(String, Result<Reply, Refusal>, String)] {
            var scene = try Scene(chips: [1: 1000], cards: "TS TD 2H 7C 3S", controls: .lines)
            let request = try inDoubt(line, &scene)
            #expect(printed(scene.handle(.answered(request, result))) == [words])
        }
        var scene = try Scene(chips: [1: 1000], cards: "TS TD 2H 7C 3S", controls: .lines)
        try scene.bet(1, 10)
        var late = scene
        var request = try inDoubt("hit", &late)
        #expect(printed(late.handle(.answered(request, .failure(stale)))) == ["Your hit came too late."])
        request = try inDoubt("hit", &scene)
        try scene.act(1, .hit)
        #expect(printed(scene.handle(.answered(request, .failure(stale)))) == ["Your hit had reached the table."])
    }

    // MARK: Play

    @Test func aClockThatIsShorter_isExplained_once() throws {
        var scene = try Scene(
            [("decisionSeconds", .integer(15))], chips: [1: 1000, 2: 1000], cards: "2H 2S 3D 2C 4D 4S", bank: 5000)
        #expect(!log(scene).contains { $0.contains("time bank") })
        for _ in 0..<2 {
            try scene.bet(1, 10)
            try scene.bet(2, 10)
            try scene.wait(9000)
            for seat in [1, 2] where scene.snapshot.choice(seat) != nil { try scene.act(seat, .stand) }
            try scene.wait()
        }
        let words = log(scene).filter { $0.contains("time bank") }
        #expect(words.count == 1 && words[0].hasPrefix("You have "), "\(log(scene))")
    }

    @Test func afterABigLoss_theRestIsOffered() throws {
        var scene = try Scene(chips: [1: 1000], cards: "TS TD TH 7C", pace: 0)
        try scene.bet(1, 400)
        #expect(scene.view.lastBet == 400)
        for (chips, bet) in [(2000, 400), (405, 400), (399, 395), (25, 25), (10, 10)] {
            var later = try Scene(chips: [1: chips], cards: "TS TD TH 7C")
            later.edit { [autoBet = scene.view.autoBet] in $0.autoBet = autoBet }
            #expect(later.view.betAmount == bet, "\(chips)")
            // Auto-bet makes the last bet or none: nobody asked for all that is left.
            let sent = later.enter(.character("R"))
            #expect(sent.contains(.send(.bet(amount: 400, seat: 1, round: 0), nil)) == (bet == 400), "\(sent)")
            #expect(later.view.autoBet.isOn == (bet == 400))
        }
    }

    @Test func afterAReconnect_theLastBetIsTheOneBet_notTheDoubledOne() throws {
        var scene = try Scene(chips: [1: 1000, 2: 1000], cards: "5H 8S KD 6D TC 5C 3S")
        for seat in [1, 2] { try scene.bet(seat, 10) }
        try scene.act(1, .double)
        scene.update(.table(TableChange(table: "main", revision: 9, old: nil, new: scene.snapshot)))
        #expect(scene.snapshot.bet(HandIdentifier(seat: 1, number: 1)) == 20 && scene.view.lastBet == 10)
    }

    @Test func aSplitRound_isTwoHandsInOneRound() throws {
        var scene = try Scene(chips: [1: 1000], cards: "8H TD 8S 7C TS TH")
        try scene.bet(1, 10)
        try scene.act(1, .split)
        try scene.stand(1, 1)
        let words = "You played 2 hands in 1 round since you joined: 2 won, 0 lost. Biggest win 10, net +20."
        #expect(scene.view.tally.summary?.text == words)
    }

    @Test func whoLeavesTheHandAndComesBack_stays() throws {
        var scene = try Scene(chips: [1: 1000, 2: 1000], cards: "TS TD TH 7C 9S 8S")
        for seat in [1, 2] { try scene.bet(seat, 10) }
        try scene.step("bob leaves", .leave(player: PlayerID(2)))
        try scene.step("bob sits", .sit(player: PlayerID(2), profile: PlayerProfile(name: "bob"), seat: nil, chips: 0))
        #expect(log(scene).last == "bob stays at the table.", "\(log(scene))")
    }

    @Test func aBetThatIsTyped_stays_whenAnothersBetStartsTheClock() throws {
        var scene = try Scene(chips: [1: 1000, 2: 1000], cards: "TS TD TH 7C 9S 8S")
        for key in "75".unicodeScalars { _ = scene.press(.character(key)) }
        try scene.bet(2, 10)
        #expect(scene.view.betAmount == 75)
    }

    @Test func repeatedBets_leaveTimeToReadTheResult_whereTheTableDoesNotPause() throws {
        var scene = try Scene(chips: [1: 1000], cards: "TS TD TH 7C", pace: 0)
        try scene.bet(1, 10)
        scene.enter(.character("R"))
        try scene.act(1, .stand)
        #expect(scene.snapshot.round?.phase == .waiting && scene.view.nextTick == scene.view.now + 3000)
        func isBetting(_ effects: [PlayerSession.Effect]) -> Bool {
            effects.contains { if case .send(.bet(10, _, _), nil) = $0 { true } else { false } }
        }
        #expect(!isBetting(scene.handle(.tick, after: 2999)))
        #expect(isBetting(scene.handle(.tick, after: 1)))
    }

    // MARK: Chart

    @Test func theChart_isAPanel_withARowForHandsThatPlayAlike() throws {
        var scene = try Scene(chips: [1: 1000], cards: "TS TD TH 7C")
        #expect(scene.press(.character("c")) == .perform(.chart))
        #expect(scene.view.panel == .chart && scene.frame(80, 24).text.contains("Asking the server"))
        let digest = try #require(scene.view.state.snapshot?.tableRules?.digest)
        let rows = [("hard", 5, StrategyChart.Play.hit), ("hard", 6, .hit), ("hard", 11, .doubleElseHit), ("pair", 8, .split)].map
        {
            kind, value, play in
            var row = ValueChart.Row(kind == "hard" ? .hard(value) : .pair(value), stand: [], hit: [])
            row.play = Array(repeating: play, count: 10)
            return row
        }
        scene.update(.chart(ValueChart(digest: digest, edge: 0, insurance: [], rows: rows)))
        for (columns, rows) in [(40, 12), (80, 24)] {
            let text = scene.frame(columns, rows).text
            for line in ["hard    2  3  4  5  6  7  8  9 10  A", "5–6     H  H", "11      D  D", "pair    2", "8       P  P"] {
                #expect(text.contains(line), "\(text)")
            }
            #expect(text.contains("H hit, S stand, D double, P split\n") || text.contains("D double, P split  "), "\(text)")
        }
    }

    /// Also where no two neighbours play alike.
    @Test func theChart_isWhole_at80Times24() throws {
        var scene = try Scene(chips: [1: 1000], cards: "TS TD 6H 7C")
        _ = scene.press(.character("c"))
        let digest = try #require(scene.view.state.snapshot?.tableRules?.digest)
        let hands =
            (9...17).map(StrategyChart.Row.hard) + (13...19).map(StrategyChart.Row.soft) + StrategyChart.Row.all.suffix(10)
        let rows = hands.enumerated().map { index, hand in
            var row = ValueChart.Row(hand, stand: [], hit: [])
            row.play = Array(repeating: index % 2 == 0 ? .surrenderElseHit : .stand, count: 10)
            return row
        }
        scene.update(.chart(ValueChart(digest: digest, edge: 0, insurance: [], rows: rows)))
        let text = scene.frame(80, 24).text
        for line in [
            "D double, P split, R surrender (u); small: if you can't", "9      Rh Rh", "soft    2", "19     ", "A       S  S",
        ] {
            #expect(text.contains(line), "\(text)")
        }
    }

    /// Beside or above the log, until cards are dealt again: a round that ends does not wipe it away.
    @Test func withTheCoach_aMistakeIsSaidAtOnce_untilTheNextDeal() throws {
        func said(_ cost: Int, isOn: Bool) throws -> Bool {
            var scene = try Scene.playing()
            if isOn { scene.edit { $0.coach.toggle() } }
            let play = Coach.Play(hand: .pair(8), upCard: .ace, action: .stand, best: .hit)
            scene.edit { $0.tell(Coach.Verdict(play: play, cost: cost)) }
            let words = "Standing on a pair of 8s against an ace costs 0.01 chips on average: hitting was better."
            guard scene.view.verdict?.text == words else { return false }
            try scene.stand(2)
            try scene.wait()
            for (columns, rows) in [(40, 12), (80, 24), (120, 40), (200, 60)] {
                let text = scene.frame(columns, rows).text
                #expect(text.contains("Standing on a pair of 8s") && text.contains("better."), "\(text)")
            }
            try scene.bet(1, 10)
            #expect(scene.view.verdict != nil)
            try scene.bet(2, 10)
            return scene.view.verdict == nil
        }
        #expect(try said(56, isOn: true) && !said(0, isOn: true) && !said(56, isOn: false))
    }

    // MARK: Host

    @Test(arguments: [(nil, []), ("", ["The server has stopped. It is started again; if not: 'leave', then 'bjclient host'."])])
    func aServerThatIsGone_isTheHostsToStart(_ invitation: String?, _ words: [String]) {
        var options = TableSession.Options(host: "127.0.0.1", port: 2121, name: .given("ann"))
        options.invitation = invitation
        var player = PlayerSession(options, .lines)
        player.state.hello = Hello(server: "test", time: 0, idleSeconds: 60)
        var said: [String] = []
        for link in [LinkState.lost(.silence), .connecting(attempt: 2), .lost(.connection("refused"))] {
            var state = player.state
            state.link = link
            said += printed(player.handle(.update(ClientUpdate(state: state, event: .link)), at: 0))
        }
        #expect(said == words)
    }

    @Test(arguments: [nil, "bjclient 10.0.0.1:2121 --table friends"])
    func aHostWhoseCodeAnotherOneHasReplaced_joinsWithoutIt(_ invitation: String?) {
        var options = TableSession.Options(host: "127.0.0.1", port: 2121, name: .given("ann"))
        options.invitation = invitation
        var player = PlayerSession(options, .lines)
        player.state.hello = Hello(server: "test", time: 0, idleSeconds: 60)
        let refusal = Refusal(id: .number(1), type: "login", .init(.wrongOwner, "This owner code is wrong, used or expired."))
        let effects = player.handle(.update(ClientUpdate(state: player.state, event: .refused(refusal))), at: 0)
        #expect(effects.contains(.logIn("ann")) == (invitation != nil) && (player.stage == .ended) == (invitation == nil))
    }

    @Test func leavingWithoutAConnection_keepsTheHand() throws {
        var scene = try Scene.playing()
        scene.update(.link) { $0.link = .lost(.silence) }
        let last = "qqqy".unicodeScalars.compactMap { ending(scene.enter(.character($0))) }.first
        #expect(last?.status == 0 && last?.summaries.contains { $0.text.hasPrefix("You left") } == false)
    }

    @Test func whoIsSentAway_isNamed_andHowItIsUndone() throws {
        var scene = try Scene(chips: [1: 1000], cards: "TS TD TH 7C", controls: .lines)
        let kick = PlayerSession.Event.answered(.command(.kick("carl"), number: 1, nil), .success(.kick(minutes: 10)))
        #expect(printed(scene.handle(kick)) == ["carl can't return for 10 minutes: 'again carl' lets them back."])
        let again = PlayerSession.Event.answered(.command(.again("carl"), number: 2, nil), .success(.kick(minutes: 0)))
        #expect(printed(scene.handle(again)) == ["carl can return now."])
    }

    @Test func aPausedTable_saysSoInItsMiddle_withWhoAndWhy_andNoClockRuns() throws {
        var scene = try Scene.playing()
        scene.evening = [.pause(TablePause(by: "ann", reason: "Pizza.", until: 1))]
        try scene.step("ann pauses")
        let wait = "The next round waits until the pause ends."
        let paused = "ann has paused the table: Pizza. No clock runs:"
        #expect(scene.told.map(\.text.text) == ["\(paused) who is asked may answer. \(wait)"])
        #expect(scene.press(.enter) == nil)
        #expect(scene.view.deadline == nil)
        for (columns, rows) in [(40, 12), (80, 24), (120, 40), (200, 60)] {
            let text = scene.frame(columns, rows).text
            #expect(text.contains("· paused") && (columns == 40 || text.contains("PAUSED by ann")), "\(text)")
        }
        // The round is over, and bets stay closed.
        try scene.stand(2)
        for key in [Key.enter, .character("b"), .character("5")] { #expect(scene.press(key) == .refuse(SafeText(wait))) }
        #expect(scene.view.refusal(of: .bet(10))?.text == wait)
        var betting = try Scene(chips: [1: 1000], cards: "TS TD TH 7C")
        betting.evening = scene.evening
        try betting.step("ann pauses")
        #expect(betting.told.first?.text.text == "\(paused) this round can be bet and played. \(wait)")
        scene.evening = []
        try scene.step("ann goes on")
        #expect(scene.told.map(\.text.text).first == "The pause is over: clocks run again.")
        #expect(scene.view.deadline != nil && !scene.frame(80, 24).text.contains("PAUSED"))
    }

    @Test func aMatch_isSaid_andItsEndShowsACard_withTheBestHandsSeen() throws {
        var scene = try Scene(chips: [1: 1000, 2: 1000], cards: "TS AH TD 9S KS KC", controls: .lines)
        scene.evening = [.match(TableMatch(round: 0, rounds: 1, leads: []))]
        try scene.step("ann begins a match")
        #expect(scene.told.map(\.text.text) == ["A match begins with the next round: 1 in all."])
        try scene.bet(1, 10)
        try scene.bet(2, 200)
        try scene.act(1, .stand)
        scene.evening = []
        try scene.step("the match is over")
        let notice = HostNotice(HostNotice.match, name: "bob", time: 9)
        #expect(scene.update(.notice(notice)).contains(.send(.standings(over: .match), nil)))
        var standings = Standings(over: .match)
        for (name, net) in [("ann", -10), ("bob", 300), ("zoë", -10)] {
            var entry = LeaderboardEntry(name: name, isBot: false)
            entry.add(rounds: 1, net: net, biggestWin: max(0, net))
            standings.rank(entry)
        }
        standings.rounds = 1
        let card = printed(scene.update(.reply(nil, .standings(standings))))
        #expect(
            card.dropFirst() == ["1 bob  +300   best: blackjack for 300", "2 ann   −10", "2 zoë   −10"]
                && card.first == "★ main · 1 round · 1970-01-01 ★", "\(card)")
    }

    @Test func pause_isTheWishForAState() throws {
        var scene = try Scene.playing()
        func request(_ line: String) throws -> ClientMessage? { try PlayerCommand(line: line)?.message(in: scene.view.state) }
        #expect(try request("pause") == .pause(true) && request("pause Pizza") == .pause(true, reason: "Pizza"))
        scene.evening = [.pause(TablePause(by: "ann", until: 1))]
        try scene.step("ann pauses")
        #expect(try request("pause") == .pause(false) && request("pause Tea") == .pause(true, reason: "Tea"))
    }

    @Test func theLineForFriends_isInTheStatus_withThePhraseInForce() {
        var options = TableSession.Options(host: "127.0.0.1", port: 2121, name: .given("ann"))
        options.invitation = "bjclient 10.0.0.1:2121 --table friends --pass kiwi"
        options.invite = { "bjclient 10.0.0.1:2121 \($0 ?? "open")" }
        options.door = "Without bjclient: nc 10.0.0.1 2122"
        var player = PlayerSession(options, .lines)
        player.state.login = LoginReply(name: "ann", chips: 1000)
        player.state.link = .loggedIn
        player.state.position = TablePosition(table: "friends", epoch: "e", revision: 0)
        player.state.lobby = [.of("ann", "friends")]
        #expect(printed(player.handle(.line("status"), at: player.now)).contains("Without bjclient: nc 10.0.0.1 2122"))
        func last(_ event: PlayerSession.Event) -> String? { printed(player.handle(event, at: player.now)).last }
        #expect(last(.line("status")) == "Friends paste: bjclient 10.0.0.1:2121 --table friends --pass kiwi")
        for phrase in [nil, "plum"] {
            let answer = PlayerSession.Event.answered(.command(.pass(phrase), number: 1, nil), .success(.done("pass")))
            #expect(last(answer) == "Friends paste: bjclient 10.0.0.1:2121 \(phrase ?? "open")")
        }
    }
}
