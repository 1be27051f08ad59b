import Odds
import Rules
import TestKit
import Testing

@testable import RoundSimulation

/// The edge over whole shoes.
struct DealtEdgeTests {
    @Test func itIsTheEdgeOfAPlainSimulation_withinBothErrors_atATwentiethOfTheVariance() throws {
        let rules = try HouseRules(preset: "single-deck")
        let chart = StrategyChart(publishedFor: rules)
        let fresh = Edge(of: chart, under: rules).total
        let dealt = try DealtEdge(
            of: chart, under: rules, fresh: fresh, bet: 10, seed: 1, threads: 2, precision: 0.01, blockCards: 20_000)
        let plain = try Simulator(rules: rules, chart: chart, rounds: 30_000, seed: 2, bet: 10, threads: 2).run()
        let error = (dealt.standardError * dealt.standardError + plain.standardError * plain.standardError).squareRoot()
        #expect(abs(dealt.edge - plain.edge) < 3 * error && !dealt.isPlain)
        // One batch has about 30,000 rounds, too: 8 blocks of 646 shoes, six rounds each.
        #expect(dealt.standardError < 0.3 * plain.standardError)
        #expect(dealt.edge != fresh)
    }

    @Test func theFiguresAreTheSame_onAnyNumberOfThreads_andAShoeForEachRoundIsFresh() throws {
        let rules = HouseRules()
        let chart = StrategyChart(publishedFor: rules)
        let one = try DealtEdge(
            of: chart, under: rules, fresh: -0.004, bet: 10, seed: 1, threads: 1, precision: 1, blockCards: 5000)
        let two = try DealtEdge(
            of: chart, under: rules, fresh: -0.004, bet: 10, seed: 1, threads: 2, precision: 1, blockCards: 5000)
        #expect(one.edge == two.edge && one.standardError == two.standardError && one.standardError < 0.01)
        let always = try rules.with([("continuousShuffle", .flag(true))])
        let fresh = try DealtEdge(of: chart, under: always, fresh: -0.004, bet: 10)
        #expect(fresh.edge == -0.004 && fresh.standardError == 0)
    }
}
