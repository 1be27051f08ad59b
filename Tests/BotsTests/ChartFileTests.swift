import Rules
import TestKit
import Testing

@testable import bjbots

struct ChartFileTests {
    private var text: String { StrategyChart(publishedFor: HouseRules()).csv }

    private func lines(_ change: (inout [String]) -> Void) -> String {
        var lines = text.split(separator: "\n").map(String.init)
        change(&lines)
        return lines.joined(separator: "\n")
    }

    private func error(_ text: String) -> ChartError? {
        do {
            _ = try StrategyChart(csv: text, doubleAfterSplit: true)
            return nil
        } catch {
            return error
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
        #expect(error("") == .empty)
        #expect(error("# nothing\n\n") == .empty)
        #expect(error("x,2,3,4,5,6,7,8,9,T,A") == .badHeader(line: 1, column: 10, cell: "T", expected: "\"10\""))
        #expect(error("x,2,3") == .badHeader(line: 1, column: 4, cell: "", expected: "\"4\""))
        #expect(error(lines { $0[1] = "hard 4,H" }) == .unknownRow(line: 2, cell: "hard 4"))
        #expect(error(lines { $0[2] = $0[1] }) == .duplicateRow(line: 3, row: "hard 5", first: 2))
        #expect(error(lines { $0[3] = "hard 7,H,H,H,,H,H,H,H,H,H" }) == .missingCell(line: 4, column: 5, row: "hard 7"))
        #expect(error(lines { $0[3] = "hard 7,H,H,H" }) == .missingCell(line: 4, column: 5, row: "hard 7"))
        #expect(error(lines { $0[3] += ",H" }) == .extraCell(line: 4, column: 12, cell: "H"))
        #expect(
            error(lines { $0[3] = "hard 7,H,X,H,H,H,H,H,H,H,H" })
                == .badCell(line: 4, column: 3, cell: "X", expected: "one of H S D Ds Rh Rs"))
        #expect(
            error(lines { $0[3] = "hard 7,H,P,H,H,H,H,H,H,H,H" })
                == .badCell(line: 4, column: 3, cell: "P", expected: "one of H S D Ds Rh Rs"))
        #expect(error(lines { $0.removeLast() }) == .missingRows(["pair A"]))
        #expect(error(lines { $0.removeSubrange(5...6) }) == .missingRows(["hard 9", "hard 10"]))
    }
}
