import Rules
import TestKit
import Testing

struct StrategyTests {
    /// Every hand of two ranks against every up card with every set of legal actions that occurs.
    @Test(arguments: HouseRules.presetNames)
    func theChart_alwaysAnswersWithALegalAction(name: String) throws {
        let rules = try HouseRules(preset: name)
        let chart = StrategyChart(publishedFor: rules)
        for first in Rank.allCases {
            for second in Rank.allCases {
                for up in Rank.allCases {
                    let value = HandValue().adding(first).adding(second)
                    for bits in UInt8(0)..<32 {
                        let legal = ActionSet(rawValue: bits).union(.stand)
                        let pair = first.points == second.points ? first.points : nil
                        let action = chart.action(value: value, pair: pair, upCard: up, legal: legal)
                        #expect(legal.allows(action))
                    }
                }
            }
        }
    }

    @Test func basicStrategy_isTheWellKnownOne() throws {
        let chart = StrategyChart(publishedFor: try HouseRules(preset: "atlantic-city"))
        let all: ActionSet = [.hit, .stand, .double, .split, .surrender]
        func play(_ a: Rank, _ b: Rank, _ up: Rank, _ legal: ActionSet) -> Action {
            let value = HandValue().adding(a).adding(b)
            return chart.action(value: value, pair: a.points == b.points ? a.points : nil, upCard: up, legal: legal)
        }
        #expect(play(.ten, .six, .king, all) == .surrender)
        #expect(play(.ten, .six, .king, [.hit, .stand]) == .hit)
        #expect(play(.ten, .two, .three, all) == .hit)
        #expect(play(.ten, .two, .four, all) == .stand)
        #expect(play(.six, .five, .ten, all) == .double)
        #expect(play(.eight, .eight, .ten, all) == .split)
        #expect(play(.eight, .eight, .six, [.hit, .stand]) == .stand)
        #expect(play(.ace, .seven, .three, all) == .double)
        #expect(play(.ace, .seven, .three, [.hit, .stand]) == .stand)
        #expect(play(.ace, .seven, .nine, all) == .hit)
        #expect(play(.five, .five, .nine, all) == .double)
        #expect(play(.nine, .nine, .seven, all) == .stand)
        #expect(play(.ten, .ten, .six, all) == .stand)
    }
}

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
