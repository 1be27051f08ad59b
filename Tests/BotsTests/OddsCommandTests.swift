import Dispatch
import Foundation
import Rules
import TestKit
import Testing

@testable import Bots
@testable import Odds
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
        report.removal = [(5, 0.006_7), (1, -0.005_4)]
        #expect(
            report.text.contains("chips on a round") && report.text.contains("+0.1900%") && report.text.contains("−21.0000%"))
        #expect(report.text.split(separator: "\n").count == 1 + 1 + 10 + 1 + 2 + 2 + 3)
        let object = try #require(JSONSerialization.jsonObject(with: Data(report.json.utf8)) as? [String: Any])
        #expect(abs((object["edge"] as? Double ?? 9) - edge.total) < 1e-15 && object["bet"] as? Int == 10)
        #expect(abs(((object["upCards"] as? [String: Double])?["A"] ?? 9) - edge.wins[0]) < 1e-15)
        #expect((object["effects"] as? [String: Double])?["soft17 stand"] == 0.001_9)
        #expect((object["actions"] as? [String: Double])?["stand"] == -0.2)
        #expect(object["removal"] as? [String: Double] == ["5": 0.006_7, "A": -0.005_4])
        let origin = Origin(rules: rules, seed: 7).before(report.json)
        let whole = try #require(JSONSerialization.jsonObject(with: Data(origin.utf8)) as? [String: Any])
        #expect(whole.count == object.count + 3 && whole["seed"] as? Int == 7 && (whole["rules"] as? String)?.count == 64)
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

    @Test func indexes_areALineForEachRow_andAnEntryForEachCell() throws {
        let indexes = CountIndexes(
            cells: [
                .init(row: .hard(15), up: 10, plays: [(-10, .hit), (-0.41, .surrenderElseHit), (4.05, .surrenderElseStand)]),
                .init(row: .hard(15), up: 1, plays: [(-10, .hit)]),
                .init(row: .hard(16), up: 9, plays: [(-10, .hit), (5, .stand)]),
                .init(row: .hard(16), up: 1, plays: [(-10, .hit), (9.96, .stand)]),
            ], insurance: 3.01)
        #expect(
            indexes.text == """
                insurance  from 3.0
                hard 15    10: H -0.4 Rh 4.1 Rs
                hard 16    9: H 5.0 S   A: H 10.0 S
                """)
        let system = try #require(CountingSystem(name: "hi-lo"))
        let object = try #require(JSONSerialization.jsonObject(with: Data(indexes.json(system).utf8)) as? [String: Any])
        let cells = try #require(object["cells"] as? [[String: Any]])
        #expect(object["count"] as? String == "hi-lo" && object["insurance"] as? Double == 3.01 && cells.count == 4)
        #expect((cells[0]["changes"] as? [[String: Any]])?.last?["from"] as? Double == 4.05 && cells[1]["up"] as? String == "A")
    }

    @Test func aGrid_hasTheCellsOfTheChart() {
        let chart = StrategyChart(publishedFor: HouseRules())
        let cells = ChartOptions.grid(chart).split(separator: "\n").map { $0.split(separator: " ") }
        #expect(cells.count == 37 && cells[12] == ["hard", "16", "S", "S", "S", "S", "S", "H", "H", "Rh", "Rh", "Rh"])
    }
}

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

struct ChartFileTests {
    private var text: String { StrategyChart(publishedFor: HouseRules()).csv }

    private func lines(_ change: (inout [String]) -> Void) -> String {
        var lines = text.split(separator: "\n").map(String.init)
        change(&lines)
        return lines.joined(separator: "\n")
    }

    private func error(_ text: String) -> String? {
        do {
            _ = try StrategyChart(csv: text, doubleAfterSplit: true)
            return nil
        } catch {
            return error.description
        }
    }

    @Test func aChart_survivesItsOwnText() throws {
        var chart = StrategyChart(publishedFor: HouseRules())
        chart.takesInsurance = true
        let again = try StrategyChart(csv: chart.csv, doubleAfterSplit: true)
        #expect(again == chart)
        #expect(chart.csv.split(separator: "\n").count == 38)
    }

    @Test func comments_spaces_blankLines_andSpreadsheetLineEnds_areFine() throws {
        let loose =
            "\u{feff}# mine\r\n"
            + lines { $0[0] = $0[0].replacing("published", with: " \"published\" ") }.replacing(",", with: " , ")
            .replacing("\n", with: "\r\n") + "\r\n,,,,\r\n\r\nTake Insurance # always\r\n"
        let chart = try StrategyChart(csv: loose, doubleAfterSplit: true)
        #expect(chart.takesInsurance)
        #expect(chart[.hard(16), 10] == .surrenderElseHit)
        #expect(chart.name == "published")
    }

    @Test func whatIsWrong_isNamed_byLineAndColumn() {
        let empty = "the chart is empty; its first line must be NAME,2,3,4,5,6,7,8,9,10,A"
        #expect(error("") == empty && error("# nothing\n\n") == empty)
        #expect(error("x,2,3,4,5,6,7,8,9,T,A") == "line 1, column 10: \"T\" in the heading must be \"10\"")
        #expect(error("x,2,3") == "line 1, column 4: \"\" in the heading must be \"4\"")
        #expect(
            error(lines { $0[1] = "hard 4,H" })
                == "line 2, column 1: unknown row \"hard 4\": rows are hard 5 to hard 21, soft 13 to soft 21, pair 2 to pair 10, pair A"
        )
        #expect(error(lines { $0[2] = $0[1] }) == "line 3, column 1: row \"hard 5\" was already given in line 2")
        for line in ["hard 7,H,H,H,,H,H,H,H,H,H", "hard 7,H,H,H"] {
            let words = "line 4, column 5: \"hard 7\" has too few cells: every row has ten, for 2 to 10 and A"
            #expect(error(lines { $0[3] = line }) == words)
        }
        #expect(
            error(lines { $0[3] += ",H" })
                == "line 4, column 12: \"H\" is one cell too many: every row has ten, for 2 to 10 and A")
        for cell in ["X", "P"] {
            let words = "line 4, column 3: \"\(cell)\" is not a valid play: it must be one of H S D Ds Rh Rs"
            #expect(error(lines { $0[3] = "hard 7,H,\(cell),H,H,H,H,H,H,H,H" }) == words)
        }
        #expect(error(lines { $0.removeLast() }) == "the chart has no row for pair A")
        #expect(error(lines { $0.removeSubrange(5...6) }) == "the chart has no row for hard 9, hard 10")
    }
}

@Test func runsOfPlay_haveNamesOfTheirOwn_unlessAPersonGivesThem() {
    var options = BotsProgram.PlayOptions()
    let runs = (0..<8).map { _ in options.crew }
    #expect(runs.allSatisfy { $0.namePrefix == "bot" } && Set(runs.map(\.numbers.first)).count > 1)
    options.name = "crew"
    #expect(options.crew.namePrefix == "crew" && options.crew.numbers.first == 1)
}
