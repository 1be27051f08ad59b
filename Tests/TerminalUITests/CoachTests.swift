import ClientCore
import Rules
import TableEngine
import TableModel
import TestKit
import Testing
import Wire

@testable import TerminalUI

/// The coach: what it asks for, shows and counts. Charts are made up: the client computes none.
struct CoachTests {
    /// A chart with one row, the same against every card.
    private static func chart(
        _ hand: StrategyChart.Row, digest: String, _ values: [Action: Int], _ play: StrategyChart.Play? = nil
    ) -> ValueChart {
        func column(_ action: Action) -> [Int]? { values[action].map { Array(repeating: $0, count: 10) } }
        var row = ValueChart.Row(hand, stand: column(.stand) ?? [], hit: column(.hit) ?? [])
        (row.double, row.split) = (column(.double), column(.split))
        (row.surrender, row.decline) = (column(.surrender), column(.decline))
        row.play = play.map { Array(repeating: $0, count: 10) }
        return ValueChart(digest: digest, edge: -4059, insurance: [-340, -389, -437], rows: [row])
    }

    /// Ann with a coach that has the chart for her hand.
    private static func scene(
        _ changes: [(String, RuleValue)] = [], cards: String, _ hand: StrategyChart.Row, _ values: [Action: Int],
        _ play: StrategyChart.Play? = nil
    ) throws -> (Scene, Coach) {
        var scene = try Scene(changes, chips: [1: 1000], cards: cards)
        var coach = Coach()
        coach.toggle()
        #expect(coach.request(in: scene.view.state) == .chart(table: "main"))
        #expect(coach.request(in: scene.view.state) == nil, "the chart is awaited")
        let digest = try #require(scene.view.state.snapshot?.tableRules?.digest)
        let chart = chart(hand, digest: digest, values, play)
        #expect(coach.take(ClientUpdate(state: scene.view.state, event: .chart(chart))) == false)
        #expect(coach.request(in: scene.view.state) == nil, "the chart is here")
        try scene.bet(1, 10)
        scene.edit { $0.coach = coach }
        return (scene, coach)
    }

    private static let sixteen: [Action: Int] = [.stand: -5401, .hit: -5345, .double: -10_691]

    @Test func theKeyA_turnsTheCoachOnAndOff() throws {
        var scene = try Scene(chips: [1: 1000], cards: "TS TD 6H 7C")
        #expect(scene.press(.character("a")) == .perform(.coach))
        #expect(!Coach().isOn)
        var coach = Coach()
        coach.toggle()
        #expect(coach.isOn && coach.announcement.text.hasPrefix("The coach is on"))
        coach.toggle()
        #expect(!coach.isOn && coach.announcement.text.hasPrefix("The coach is off"))
        #expect(try PlayerCommand(line: "coach") == .coach)
    }

    @Test func theQuestion_namesTheActionOfBasicStrategy() throws {
        let (scene, _) = try Self.scene(cards: "TS TD 6H 7C", .hard(16), Self.sixteen)
        #expect(scene.frame(80, 24).text.contains("Your turn: 16 against 10. Basic strategy: hit."))
        #expect(scene.frame(40, 12).text.contains("Best: hit."))
        let insured = try Self.scene(cards: "TS AD 6H 7C", .hard(16), Self.sixteen).0
        #expect(insured.frame(40, 12).text.contains(" Insurance for 5? Best: no."), "\(insured.frame(40, 12).text)")
        var off = scene
        off.edit { $0.coach.toggle() }
        #expect(!off.frame(80, 24).text.contains("Basic strategy"))
    }

    /// Where a surrender takes the hands that had better hit, a 16 stands, although hitting is worth more to the mean of its two-card hands.
    @Test func theChartsPlay_isNamed_andABetterActionIsNoMistake() throws {
        let (scene, coach) = try Self.scene(cards: "TS TD 6H 7C", .hard(16), Self.sixteen, .surrenderElseStand)
        let advice = try #require(coach.advice(in: scene.view.state))
        #expect(advice.bestAction == .stand && advice.cost(of: .hit) == 0 && advice.cost(of: .double) == 5290)
    }

    /// Eights that may not be split again play as hard 16.
    @Test func aPairThatMayNotBeSplit_playsByItsTotal() throws {
        var (scene, coach) = try Self.scene(
            [("maxHands", .integer(1))], cards: "8S TD 8H 7C", .pair(8), [.stand: -5369, .hit: -5351], .split)
        let digest = try #require(scene.view.state.snapshot?.tableRules?.digest)
        var chart = try #require(coach.charts.first)
        let total = Self.chart(.hard(16), digest: digest, Self.sixteen, .stand)
        chart.rows += total.rows
        _ = coach.take(ClientUpdate(state: scene.view.state, event: .chart(chart)))
        #expect(coach.advice(in: scene.view.state)?.bestAction == .stand)
    }

    @Test func aPair_isLookedUpAsAPair_andASplitHandByItsTotal() throws {
        let (scene, _) = try Self.scene(
            cards: "8S TD 8H 7C", .pair(8), [.stand: -5369, .hit: -5351, .split: -4756, .double: -10_702])
        let advice = try #require(scene.view.coach.advice(in: scene.view.state))
        #expect(advice.bestAction == .split && advice.cost(of: .stand) == 613)
    }

    @Test func insurance_isJudgedByTheTensInTheHand() throws {
        let (scene, coach) = try Self.scene(cards: "TS AD 7H 7C", .hard(17), Self.sixteen)
        let advice = try #require(coach.advice(in: scene.view.state))
        #expect(advice.bestAction == .decline && advice.cost(of: .insurance) == 389)
        // Half of the offered chips lose half as much.
        let most = try #require(scene.snapshot.choice(1)?.options.first { $0.action == .insurance }?.cost)
        #expect(advice.cost(of: .insurance, chips: most) == 389)
        #expect((70...80).contains(try #require(advice.cost(of: .insurance, chips: 1))))
    }

    @Test func evenMoney_isJudgedLikeInsurance() throws {
        let (scene, coach) = try Self.scene(cards: "AS AD KH 7C", .hard(17), Self.sixteen)
        let advice = try #require(coach.advice(in: scene.view.state))
        #expect(advice.bestAction == .decline && advice.cost(of: .evenMoney) == 389)
    }

    @Test func earlySurrender_isComparedWithPlayingOn() throws {
        let values: [Action: Int] = [.stand: -6000, .hit: -5000, .surrender: -5000, .decline: -6700]
        let (scene, coach) = try Self.scene([("surrender", .text("early"))], cards: "TS TD 6H 7C", .hard(16), values)
        let advice = try #require(coach.advice(in: scene.view.state))
        #expect(advice.bestAction == .surrender && advice.cost(of: .decline) == 1700)
    }

    @Test func aDoubleForLess_isWorthLess() throws {
        let values: [Action: Int] = [.stand: -2000, .hit: 1000, .double: 2000]
        let (scene, coach) = try Self.scene([("doubleForLess", .flag(true))], cards: "6S 6D 5H 7C", .hard(11), values)
        let advice = try #require(coach.advice(in: scene.view.state))
        #expect(advice.bestAction == .double && advice.cost(of: .double, chips: 5) == 500 && advice.cost(of: .hit) == 1000)
    }

    @Test func decisionsAreCounted_withTheirCostInChips_alsoAfterTheCoachIsOff() throws {
        var (scene, coach) = try Self.scene(cards: "TS TD 6H 7C", .hard(16), Self.sixteen)
        let stand = ClientMessage.act(.stand, seat: nil, hand: nil, amount: nil, turn: 1)
        coach.toggle()
        #expect(coach.advice(in: scene.view.state) == nil && coach.summary == nil)
        let verdict = try #require(coach.verdict(on: stand, in: scene.view.state))
        #expect(verdict.cost == 560, "0.0056 of 10 chips")
        coach.count(verdict)
        #expect(coach.verdict(on: .act(.hit, seat: 1, hand: 1, amount: nil, turn: 1), in: scene.view.state)?.cost == 0)
        #expect(coach.verdict(on: .sitOut(), in: scene.view.state) == nil)
        let old = scene.snapshot
        try scene.act(1, .stand)
        let change = TableChange(table: "main", revision: 9, old: old, new: scene.snapshot)
        _ = coach.take(ClientUpdate(state: scene.view.state, event: .table(change)))
        #expect(coach.tally.decisions == 1 && coach.tally.allMistakes == .init(count: 1, cost: 560))
        #expect(coach.summary?.text == Self.mistake)
    }

    private static let mistake = """
        You vs. basic strategy: 1 decision, 1 mistake. Costliest: hitting was better than standing on 16 against 10 (−0.06 chips).
        """

    @Test func theThreeDearestMistakes_areNamed_equalOnesTogether() {
        var coach = Coach()
        coach.watch()
        func mistake(_ total: Int, _ cost: Int) -> Coach.Verdict {
            .init(play: .init(hand: .hard(total), upCard: .ace, action: .hit, best: .stand), cost: cost)
        }
        for (total, cost) in [(12, 100), (13, 30_000), (14, 10_000), (15, 20_000), (12, 100), (14, 15_000)] {
            coach.count(mistake(total, cost))
        }
        #expect(
            coach.summary?.text == """
                You vs. basic strategy: 6 decisions, 6 mistakes. Costliest: standing was better than hitting on 13 against an ace \
                (−3.00 chips); standing was better than hitting on 14 against an ace, 2 times (−2.50 chips); standing was better than hitting on 15 \
                against an ace (−2.00 chips).
                """)
    }

    @Test func questionsThatRanOutOfTime_areNoDecisionsOfThePlayer() throws {
        var (scene, coach) = try Self.scene(cards: "TS TD 6H 7C 5C", .hard(16), Self.sixteen)
        let before = scene.view.state
        try scene.wait()
        let late = try #require(scene.change).told(of: "ann").count { $0 == .timedOut }
        coach.countTimeOuts(late)
        _ = coach.take(ClientUpdate(state: scene.view.state, event: .table(try #require(scene.change))))
        #expect(late == 1 && coach.tally.decisions == 0 && coach.tally.timeOuts == 1)
        #expect(coach.summary == nil, "nothing was decided")
        let stand = ClientMessage.act(.stand, seat: 1, hand: nil, amount: nil, turn: 1)
        coach.count(try #require(coach.verdict(on: stand, in: before)))
        coach.countTimeOuts(1)
        #expect(
            coach.summary
                == SafeText(Self.mistake + " 2 ran out of time."))
    }

    /// The summary of a session compares with basic strategy even where the coach was never on.
    @Test func decisionsAreJudgedQuietly_onceTheChartIsHere() throws {
        var scene = try Scene(chips: [1: 1000], cards: "TS TD 6H 7C")
        var coach = Coach()
        coach.watch()
        #expect(coach.request(in: scene.view.state) == .chart(table: "main"))
        #expect(coach.advice(in: scene.view.state) == nil)
        try scene.bet(1, 10)
        let stand = ClientMessage.act(.stand, seat: nil, hand: nil, amount: nil, turn: 1)
        #expect(coach.verdict(on: stand, in: scene.view.state) == nil && coach.summary == nil, "without the chart")
        let (_, known) = try Self.scene(cards: "TS TD 6H 7C", .hard(16), Self.sixteen)
        let chart = try #require(known.charts.first)
        _ = coach.take(ClientUpdate(state: scene.view.state, event: .chart(chart)))
        coach.count(try #require(coach.verdict(on: stand, in: scene.view.state)))
        #expect(coach.verdict(on: .sitOut(), in: scene.view.state) == nil)
        try scene.act(1, .stand)
        #expect(coach.summary?.text == Self.mistake)
        var watcher = Coach()
        watcher.watch()
        scene.edit { $0.state.login?.name = "zoe" }
        #expect(watcher.request(in: scene.view.state) == nil, "a chart costs the server work")
    }

    @Test func withoutACoach_nothingIsAskedOrCounted() throws {
        var scene = try Scene(chips: [1: 1000], cards: "TS TD 6H 7C")
        var coach = Coach()
        #expect(coach.request(in: scene.view.state) == nil)
        try scene.bet(1, 10)
        #expect(coach.verdict(on: .act(.hit, seat: nil, hand: nil, amount: nil, turn: 1), in: scene.view.state) == nil)
        #expect(coach.summary == nil)
    }

    @Test func aServerWithoutCharts_turnsTheCoachOff() throws {
        let scene = try Scene(chips: [1: 1000], cards: "TS TD 6H 7C")
        for (code, isQuiet) in [("rate_limited", false), ("unknown_type", false), ("rate_limited", true)] {
            var coach = Coach()
            if isQuiet { coach.watch() } else { coach.toggle() }
            _ = coach.request(in: scene.view.state)
            var refusal = Refusal(.rule, code: code, message: "No.")
            if code != "unknown_type" { refusal.type = "chart" }
            let update = ClientUpdate(state: scene.view.state, event: .refused(refusal))
            #expect(coach.take(update) != isQuiet, "a coach that was off says nothing")
            #expect(!coach.isOn)
            #expect(coach.request(in: scene.view.state) == nil)
        }
    }

    @Test func aLostConnection_asksAgain() throws {
        let scene = try Scene(chips: [1: 1000], cards: "TS TD 6H 7C")
        var coach = Coach()
        coach.toggle()
        #expect(coach.request(in: scene.view.state) != nil)
        _ = coach.take(ClientUpdate(state: scene.view.state, event: .link))
        #expect(coach.request(in: scene.view.state) != nil)
    }

    @Test func withoutAScreen_adviceIsSaidOnceForADecision() throws {
        var (scene, coach) = try Self.scene(cards: "TS TD 6H 7C", .hard(16), Self.sixteen)
        #expect(coach.unsaidAdvice(in: scene.view.state)?.bestAction == .hit)
        #expect(coach.unsaidAdvice(in: scene.view.state) == nil)
        try scene.act(1, .stand)
        #expect(coach.unsaidAdvice(in: scene.view.state) == nil)
    }

    @Test func chartsThatDoNotFit_giveNoAdvice() throws {
        var generator = SeededGenerator()
        for _ in 0..<200 {
            let count = Int.random(in: 0...12, using: &generator)
            let values = (0..<count).map { _ in Int.random(in: -80_000...80_000, using: &generator) }
            var row = ValueChart.Row(.hard(16), stand: values, hit: Array(values.dropFirst(3)))
            row.double = Bool.random(using: &generator) ? values : nil
            let scene = try Scene(chips: [1: 1000], cards: "TS TD 6H 7C")
            var coach = Coach()
            coach.toggle()
            let digest = try #require(scene.view.state.snapshot?.tableRules?.digest)
            let chart = ValueChart(digest: digest, edge: 0, insurance: [], rows: count == 0 ? [] : [row])
            _ = coach.take(ClientUpdate(state: scene.view.state, event: .chart(chart)))
            var played = scene
            try played.bet(1, 10)
            played.edit { $0.coach = coach }
            _ = played.frame(60, 18)
            if count < 9 { #expect(coach.advice(in: played.view.state) == nil) }
        }
    }
}
