import Dispatch
import Odds
import Rules
import TestKit
import Testing

@testable import Bots

/// Bots play the one table of strategy that there is.
@Suite(.ownThread) struct BasicStrategyTests {
    @Test func aChart_isComputedBesideTheLoop_andThenTheBestOneForTheRules() throws {
        let ready = DispatchSemaphore(value: 0)
        let strategies = BasicStrategies { ready.signal() }
        let rules = try HouseRules(preset: "single-deck").with([("surrender", .text("early"))])
        #expect(strategies.chart(for: rules) == nil)
        ready.wait()
        #expect(strategies.chart(for: rules) == StrategyChart(derivedFor: rules))
        #expect(!strategies.isPreparing)
        // Another house that differs in what does not matter.
        #expect(strategies.chart(for: try rules.with([("bettingSeconds", .integer(5))])) != nil)
    }
}
