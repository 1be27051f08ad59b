import Rules
import TestKit
import Testing

@testable import Odds

struct ChartTests {
    @Test func theDerivedChart_isThePublishedOne_forSixDecks() {
        for changes in [[], [("surrender", RuleValue.text("late"))]] {
            guard let rules = try? HouseRules(changes) else { continue }
            let (derived, published) = (StrategyChart(derivedFor: rules), StrategyChart(publishedFor: rules))
            var legal: ActionSet = [.hit, .stand, .double, .split]
            if rules.surrender != .none { legal.insert(.surrender) }
            for first in Rank.allCases.prefix(10) {
                for second in Rank.allCases.prefix(10) where second.rawValue >= first.rawValue {
                    let value = HandValue().adding(first).adding(second)
                    if value.total >= 21 { continue }
                    let pair = first == second ? first.points : nil
                    let allowed = pair == nil ? legal.subtracting(.split) : legal
                    for up in Rank.allCases.prefix(10) {
                        let right = published.action(value: value, pair: pair, upCard: up, legal: allowed)
                        let worked = derived.action(value: value, pair: pair, upCard: up, legal: allowed)
                        #expect(worked == right, "\(first) \(second) against \(up)")
                    }
                }
            }
        }
    }

    @Test func theDerivedChart_knowsASingleDeck() throws {
        // Well-known differences of one deck with soft 17 hit and no double after a split.
        let chart = StrategyChart(derivedFor: try HouseRules(preset: "single-deck"))
        #expect(chart[.hard(8), 6] == .doubleElseHit)
        #expect(chart[.hard(9), 2] == .doubleElseHit)
        #expect(chart[.hard(11), 1] == .doubleElseHit)
        #expect(chart[.soft(19), 6] == .doubleElseStand)
        #expect(chart[.pair(7), 10] == .stand)
    }
}
