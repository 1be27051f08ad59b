import ClientCore
import Rules
import TableEngine
import TableModel
import TestKit
import Testing
import Wire

@testable import TerminalUI

/// The coach: what it asks for, shows and counts. Values are made up: the client computes none.
struct CoachTests {
    /// Ann's first decision with a coach that is on, and the values of its actions.
    private static func scene(
        _ changes: [(String, RuleValue)] = [], cards: String, _ values: [Action: Int], best: Action, chart: Action? = nil,
        bet: Int = 10
    ) throws -> Scene {
        var scene = try Scene(changes, chips: [1: 1000], cards: cards)
        scene.enter(.character("a"))
        try scene.bet(1, bet)
        scene.update(.value(.decision(try Self.values(scene, values, best: best, chart: chart))))
        return scene
    }

    private static func values(
        _ scene: Scene, _ values: [Action: Int], best: Action, chart: Action? = nil
    ) throws -> DecisionValues {
        let choice = try #require(scene.snapshot.choice(1))
        return DecisionValues(turn: choice.turn, seat: 1, hand: choice.hand, actions: values, best: best, chart: chart ?? best)
    }

    private static let sixteen: [Action: Int] = [.stand: -5401, .hit: -5345, .double: -10_691]

    /// A decision's price in 1/10000 chips, as the server takes it.
    private static func price(_ scene: Scene, _ action: Action, chips: Int? = nil) throws -> Int? {
        var coach = scene.view.coach
        let message = ClientMessage.act(action, seat: nil, hand: nil, amount: chips, turn: 1)
        return coach.judge(try #require(coach.decision(message, in: scene.view.state)))?.cost
    }

    @Test func aDecision_isAskedAboutOnce_andTheNextOneAfterItsAnswer() throws {
        var scene = try Scene(chips: [1: 1000], cards: "5S TD 6H 7C 2C 3C 4C")
        func asked(_ effects: [PlayerSession.Effect]) -> [ClientMessage] {
            effects.compactMap { if case .send(let message, _) = $0, message.type == "value" { message } else { nil } }
        }
        var coach = scene.view.coach
        #expect(coach.request(in: scene.view.state) == nil, "nothing is to be decided")
        try scene.bet(1, 10)
        let state = scene.view.state
        #expect(coach.request(in: state) == .value(turn: 1, seat: 1) && coach.request(in: state) == nil)
        try scene.act(1, .hit)
        #expect(coach.request(in: scene.view.state) == nil, "the server answers one question of a player at a time")
        let old = DecisionValues(turn: 1, seat: 1, hand: 1, actions: Self.sixteen, best: .hit, chart: .hit)
        #expect(coach.take(ClientUpdate(state: state, event: .value(.decision(old)))) == nil)
        #expect(coach.request(in: scene.view.state) == .value(turn: 2, seat: 1))
        _ = coach.take(ClientUpdate(state: state, event: .link))
        #expect(coach.request(in: scene.view.state) == .value(turn: 2, seat: 1), "questions fail with their connection")
        scene.edit { $0.state.login?.name = "zoe" }
        var other = Coach()
        other.watch()
        #expect(other.request(in: scene.view.state) == nil, "who only watches asks nothing")
        var off = Coach()
        #expect(off.request(in: state) == nil)
    }

    @Test func theQuestion_namesTheBestAction_andWhatItIsWorth() throws {
        var scene = try Self.scene(cards: "TS TD 6H 7C", Self.sixteen, best: .hit)
        #expect(scene.frame(80, 24).text.contains(" 16 against 10. Best: hit, +0.56% against standing."))
        #expect(scene.frame(40, 12).text.contains(" 16. Best: hit."))
        scene.enter(.character("a"))
        #expect(!scene.frame(80, 24).text.contains("Best"))
        let insured = try Self.scene(cards: "TS AD 6H 7C", [.insurance: -389, .decline: 0], best: .decline)
        #expect(insured.frame(40, 12).text.contains(" Insurance for 5? Best: no."), "\(insured.frame(40, 12).text)")
        #expect(insured.frame(80, 24).text.contains("Best: no, +3.9% against taking insurance."))
        let sure = try Self.scene(cards: "TS TD 6H 7C", [.stand: 10_000, .hit: 10_000], best: .stand)
        #expect(sure.frame(80, 24).text.contains("Best: stand."))
    }

    @Test(arguments: [(false, "with these cards"), (true, "with the cards gone")])
    func whereTheChartIsNotTheBest_theCoachSaysSo(_ assists: Bool, _ cause: String) throws {
        let values: [Action: Int] = [.stand: -5300, .hit: -5430, .double: -10_691]
        let scene = try Self.scene([("assist", .flag(assists))], cards: "TS TD 6H 7C", values, best: .stand, chart: .hit)
        #expect(scene.frame(80, 24).text.contains("Best: stand, +1.3% against hitting."))
        for (columns, rows) in [(80, 24), (120, 40)] {
            let text = scene.frame(columns, rows).text.split(whereSeparator: \.isNewline).map { $0.suffix(120) }.joined(
                separator: " ")
            #expect(text.contains("The chart hits; with") && text.contains("better."), "\(text)")
        }
        #expect(scene.view.coachWords?.text == "The chart hits; \(cause) standing is better.")
    }

    @Test func aDecision_isPricedAgainstTheBest_alsoWhereTheValuesComeLater() throws {
        var scene = try Scene(chips: [1: 1000], cards: "TS TD 6H 7C")
        scene.edit { $0.coach.toggle() }
        try scene.bet(1, 100)
        let values = try Self.values(scene, Self.sixteen, best: .hit, chart: .stand)
        let sent = scene.enter(.character("s")).compactMap { if case .send(_, let request?) = $0 { request } else { nil } }
        scene.handle(.answered(try #require(sent.first), .success(.applied("act", at: nil))))
        try scene.act(1, .stand)
        #expect(scene.view.coach.decisions == 0 && scene.view.verdict == nil)
        scene.update(.value(.decision(values)))
        #expect(scene.view.coach.allMistakes == .init(count: 1, cost: 5600))
        #expect(scene.view.verdict?.text == "Standing on 16 against 10 costs 0.56 chips on average: hitting was better.")
        #expect(
            scene.view.coach.summary?.text == """
                You vs. the best play: 1 decision, 1 mistake, which cost 0.56 chips on average. Costliest: standing on 16 against 10, \
                0.56 chips (hitting was better). You found 0 of 1 deviation from the chart.
                """)
    }

    @Test func anActionForLess_isPricedByItsChips() throws {
        let double = try Self.scene(
            [("doubleForLess", .flag(true))], cards: "6S 6D 5H 7C", [.stand: -2000, .hit: 1000, .double: 2000], best: .double)
        #expect(try Self.price(double, .double) == 0 && Self.price(double, .double, chips: 5) == 5000)
        #expect(try Self.price(double, .hit) == 10_000)
        let insured = try Self.scene(cards: "TS AD 7H 7C", [.insurance: -389, .decline: 0], best: .decline)
        #expect(try Self.price(insured, .insurance) == 3890 && Self.price(insured, .insurance, chips: 1) == 780)
        // A blackjack takes the bet alone, whatever was added: how much that is, is not known here.
        let original = try Self.scene(
            [("doubleForLess", .flag(true)), ("holeCard", .text("original"))], cards: "6S TD 5H 7C",
            [.stand: -5000, .hit: 500, .double: 600], best: .double)
        #expect(try Self.price(original, .double) == 0 && Self.price(original, .double, chips: 5) == nil)
    }

    @Test(arguments: [
        (1, "0.01 chips"), (560, "0.06 chips"), (9_949, "0.99 chips"), (9_950, "1 chip"), (10_000, "1 chip"),
        (13_400, "1.3 chips"),
        (5_000, "0.5 chips"), (99_999, "10 chips"), (123_456, "12 chips"), (Int.max, "922337203685478 chips"),
    ]) func aPrice_hasAsManyDigitsAsAPersonReads(_ cost: Int, _ words: String) {
        #expect(Coach.chips(cost).text == words)
    }

    @Test func theThreeDearestMistakes_areNamed_equalOnesTogether() {
        var coach = Coach()
        coach.watch()
        for (total, cost) in [(12, 100), (13, 30_000), (14, 10_000), (15, 20_000), (12, 100), (14, 15_000)] {
            coach.count(.init(play: .init(hand: .hard(total), upCard: .ace, action: .hit, best: .stand), cost: cost))
        }
        coach.count(.init(play: .init(hand: .pair(8), upCard: .ten, action: .stand, best: .stand), cost: 0, isDeviation: true))
        coach.countTimeOuts(2)
        #expect(
            coach.summary?.text == """
                You vs. the best play: 7 decisions, 6 mistakes, which cost 7.5 chips on average. Costliest: hitting on 13 against an ace, \
                3 chips (standing was better); hitting on 14 against an ace 2 times, 2.5 chips (standing was better); hitting on 15 against \
                an ace, 2 chips (standing was better). You found 1 of 1 deviation from the chart. 2 ran out of time.
                """)
    }

    @Test func aServerThatDoesNotValueDecisions_isNotAsked_andTheCoachSaysSo() throws {
        var scene = try Scene(chips: [1: 1000], cards: "TS TD 6H 7C")
        scene.edit { $0.coach.toggle() }
        scene.update(.link) { $0.hello?.features = ["chart"] }
        #expect(!scene.view.coach.isOn && scene.view.messages.last?.text == Coach.unavailable)
        let effects = scene.enter(.character("a"))
        #expect(!scene.view.coach.isOn && effects.isEmpty, "what is remembered stays")
        try scene.bet(1, 10)
        var coach = scene.view.coach
        #expect(coach.request(in: scene.view.state) == nil && coach.summary == nil)
    }

    @Test func theChart_isKeptForItsTable_andItsRefusalIsSaid() throws {
        var scene = try Scene(chips: [1: 1000], cards: "TS TD 6H 7C")
        func asks() -> Bool { scene.enter(.character("c")).contains { $0 == .send(.chart(table: "main"), nil) } }
        #expect(asks())
        var refusal = Refusal(.rule, code: "rate_limited", message: "No.")
        refusal.type = "chart"
        scene.update(.refused(refusal))
        #expect(scene.view.panel == .table && scene.view.messages.last?.text == "The server has no chart.")
        #expect(asks())
        let digest = try #require(scene.view.state.snapshot?.tableRules?.digest)
        scene.update(.chart(ValueChart(digest: digest, edge: 0, insurance: [], rows: [])))
        #expect(!asks() && scene.view.chart != nil)
        scene.update(.chart(ValueChart(digest: String(repeating: "A", count: 43), edge: 0, insurance: [], rows: [])))
        #expect(scene.view.chart == nil && asks())
    }

    @Test func withoutAScreen_theChartIsSaid_onceItIsHere() throws {
        var scene = try Scene(cards: "9H 8S", controls: .lines)
        #expect(scene.handle(.line("chart")).contains(.print("Waiting for the chart.")))
        let digest = try #require(scene.view.state.snapshot?.tableRules?.digest)
        let said = scene.update(.chart(ValueChart(digest: digest, edge: 0, insurance: [], rows: [])))
        #expect(said == [.print("H hit, S stand, D double, P split.")])
    }

    @Test func withoutAScreen_adviceIsSaidOnceForADecision() throws {
        var scene = try Scene(chips: [1: 1000], cards: "TS TD 6H 7C", controls: .lines)
        scene.handle(.line("coach"))
        try scene.bet(1, 10)
        let values = try Self.values(scene, Self.sixteen, best: .hit, chart: .stand)
        let said = [ClientEvent.value(.decision(values)), .skipped].map { event in
            scene.update(event).compactMap { if case .print(let text) = $0 { text.text } else { nil } }
        }
        #expect(
            said == [["Best: hit, +0.56% against standing. The chart stands; with these cards hitting is better."], []], "\(said)"
        )
    }
}
