import Foundation
import Odds
import Rules
import TestKit
import Testing

@testable import bjbots

/// `bjbots odds` and `bjbots chart`.
struct OddsCommandTests {
    @Test func theReport_hasTheEdge_byUpCard_asTextAndAsJSON() throws {
        let rules = try HouseRules(preset: "single-deck")
        var report = OddsOptions.Report(bet: 10)
        let edge = Edge(of: StrategyChart(publishedFor: rules), under: rules, bet: 10)
        report.edge = edge
        report.effects = [("soft17 \"stand\"", 0.001_9), ("decks 8", -0.005)]
        report.actions = [(.hit, -0.21), (.stand, -0.2)]
        #expect(
            report.text.contains("chips on a round") && report.text.contains("+0.1900 %") && report.text.contains("−21.0000 %"))
        #expect(report.text.split(separator: "\n").count == 1 + 1 + 10 + 1 + 2 + 2)
        let object = try #require(JSONSerialization.jsonObject(with: Data(report.json.utf8)) as? [String: Any])
        #expect(abs((object["edge"] as? Double ?? 9) - edge.total) < 1e-15 && object["bet"] as? Int == 10)
        #expect(abs(((object["upCards"] as? [String: Double])?["A"] ?? 9) - edge.wins[0]) < 1e-15)
        #expect((object["effects"] as? [String: Double])?["soft17 stand"] == 0.001_9)
        #expect((object["actions"] as? [String: Double])?["stand"] == -0.2)
    }

    @Test func roundingInThePlayersFavour_leavesTheDefaultHouseNothing_ofBetsOfFive() {
        let chart = StrategyChart(publishedFor: HouseRules())
        #expect(Edge(of: chart, under: HouseRules()).total < -0.004)
        #expect(Edge(of: chart, under: HouseRules(), bet: 5).total > 0)
    }

    @Test func effects_changeOneRuleEach() {
        let changes = OddsOptions.changes(of: HouseRules())
        #expect(changes.count > 25 && Set(changes.map(\.rule)).count == changes.count)
        for change in changes {
            let differing = zip(change.rules.fieldValues, HouseRules().fieldValues).filter { $0.1 != $1.1 }
            // Others adapt where they must: even money to the payment of a blackjack, doubles after a split to splits.
            #expect(differing.contains { change.rule == "\($0.0.0) \($0.0.1)" } && differing.count <= 3, "\(change.rule)")
        }
    }

    @Test func aGrid_hasTheCellsOfTheChart() {
        let chart = StrategyChart(publishedFor: HouseRules())
        let cells = ChartOptions.grid(chart).split(separator: "\n").map { $0.split(separator: " ") }
        #expect(cells.count == 37 && cells[12] == ["hard", "16", "S", "S", "S", "S", "S", "H", "H", "Rh", "Rh", "Rh"])
    }
}
