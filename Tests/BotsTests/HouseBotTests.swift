import Rules
import Testing
import Wire

@testable import Bots

struct HouseBotTests {
    @Test(arguments: HouseBot.Manner.allCases) func aManner_changesItsRowsOfTheChart_andNoOther(_ manner: HouseBot.Manner) {
        let book = StrategyChart(name: "hits", doubleAfterSplit: true)
        let chart = book.played(manner)
        let expected: [String: StrategyChart.Play] =
            switch manner {
            case .book: [:]
            case .careful: Dictionary(uniqueKeysWithValues: (12...16).map { ("hard \($0)", .stand) })
            case .tens: ["pair 10": .split]
            }
        for row in StrategyChart.Row.all {
            for upCard in 1...10 { #expect(chart[row, upCard] == expected[row.text] ?? book[row, upCard], "\(row.text)") }
        }
    }
}
