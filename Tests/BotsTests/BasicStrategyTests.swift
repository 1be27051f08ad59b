import Odds
import Rules
import Testing

@testable import Bots

/// Bots play the one table of strategy that there is.
struct BasicStrategyTests {
    @Test func bots_playTheStrategyThatIsDerivedForTheRules() throws {
        let strategies = BasicStrategies()
        for rules in try [HouseRules(), HouseRules(preset: "single-deck"), HouseRules(preset: "european")] {
            #expect(strategies.chart(for: rules) == StrategyChart(derivedFor: rules))
            #expect(strategies.chart(for: rules) == StrategyChart(derivedFor: rules), "the chart that is kept")
        }
        // One deck: a difference from the published chart for many decks.
        #expect(strategies.chart(for: try HouseRules(preset: "single-deck"))[.hard(8), 6] == .doubleElseHit)
    }

    @Test func noMoreChartsAreKept_thanTheBound() throws {
        let strategies = BasicStrategies(capacity: 2)
        for seconds in 1...5 { _ = strategies.chart(for: try HouseRules([("bettingSeconds", .integer(seconds))])) }
        #expect(strategies.count <= 2)
    }
}
