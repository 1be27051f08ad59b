import Rules
import Testing

/// A chart is kept by value and rank, so that a play is looked up at once; it must read as the chart that was written.
struct ChartLayoutTests {
    private static let columns = [1, 2, 9, 10]
    private static let values: [HandValue] =
        Rank.allCases.flatMap { first in Rank.allCases.map { HandValue().adding(first).adding($0) } }
        + (2...9).map { HandValue().adding(.ten).adding(.two).adding(Rank(points: $0)) }

    @Test(arguments: StrategyChart.Row.all)
    func aCell_isReadInItsOwnPlace_andNowhereElse(row: StrategyChart.Row) {
        for up in Self.columns {
            var chart = StrategyChart(name: "one cell", doubleAfterSplit: true)
            chart[row, up] = .hit
            for other in StrategyChart.Row.all {
                for column in 1...10 where (chart[other, column] == .hit) != (other == row && column == up) {
                    Issue.record("\(other), column \(column)")
                }
            }
        }
    }

    @Test(arguments: StrategyChart.Row.all)
    func aHand_playsByItsRow_againstEachRankOfTheColumn(row: StrategyChart.Row) {
        for up in Self.columns {
            var chart = StrategyChart(name: "one cell", doubleAfterSplit: true)
            chart[row, up] = .hit
            for value in Self.values where !value.isBust {
                for rank in Rank.allCases {
                    let hits = chart.action(value: value, pair: nil, upCard: rank, legal: [.hit, .stand]) == .hit
                    let expected = StrategyChart.row(of: value) == row && rank.points == up
                    if hits != expected { Issue.record("\(value) against \(rank)") }
                }
            }
        }
    }
}
