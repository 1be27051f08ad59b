import RoundSimulation
import Rules
import TestKit
import Testing

@testable import Odds

/// The solver's values against published ones.
struct PublishedValueTests {
    /// As good as an infinite deck: the difference is in the seventh place.
    private static let infinite: ExpectedValues = {
        let chart = StrategyChart(derivedFor: HouseRules(), shoe: Composition(decks: 1_000_000))
        return ExpectedValues(for: HouseRules(), chart: chart, decks: 1_000_000)
    }()

    /// Of two dealt cards and a full shoe.
    private static func values(_ first: Int, _ second: Int, up: Int, under rules: HouseRules) -> [Action: Double] {
        let decision = Decision([first, second].map(Rank.init(points:)), up: Rank(points: up))
        return decision.values(of: decision.legalActions(under: rules), under: rules, shoe: Composition(decks: rules.decks))
            ?? [:]
    }

    @Test func standing_isWorthWhatIsPublished_forAnInfiniteDeck() {
        for (total, values) in PublishedValues.standing {
            for (column, value) in values.enumerated() {
                let found = Self.infinite[.hard(total), column == 9 ? 1 : column + 2, .stand]
                #expect(abs(found - value) < 0.000_051, "\(total) against column \(column): \(found)")
            }
        }
        for total in 5...15 {
            for up in 1...10 {
                #expect(abs(Self.infinite[.hard(total), up, .stand] - Self.infinite[.hard(16), up, .stand]) < 1e-5)
            }
        }
    }

    @Test func wellKnownCells_areWorthWhatIsPublished_forAnInfiniteDeck() {
        for (row, up, action, value) in PublishedValues.infinite {
            let found = Self.infinite[row, up, action]
            #expect(abs(found - value) < 2e-6, "\(row.text) against \(up), \(action): \(found)")
        }
    }

    @Test func theEdge_isThePublishedOne_forAnInfiniteDeck() {
        #expect(abs(100 * Self.infinite.edge - PublishedValues.infiniteEdge) < 1e-4, "\(100 * Self.infinite.edge)")
    }

    @Test(arguments: Thorough.cases(Array(PublishedValues.games.indices)))
    func twoCardHands_areWorthWhatIsPublished_forFiniteDecks(_ index: Int) throws {
        let game = PublishedValues.games[index]
        let rules = try HouseRules(game.changes)
        for (first, second, values) in game.againstAnAce {
            let found = Self.values(first, second, up: 1, under: rules)
            for (action, value) in zip([Action.stand, .hit, .double], values) {
                #expect(abs((found[action] ?? 9) - value) < 1e-6, "\(game.name): \(first), \(second), \(action)")
            }
        }
    }

    @Test func handsOfTwoCards_areWorthWhatIsPublished() throws {
        for hand in PublishedValues.hands {
            let rules = try HouseRules([("decks", .integer(hand.decks)), ("soft17", .text(hand.soft17))])
            let found = Self.values(hand.cards.0, hand.cards.1, up: hand.up, under: rules)
            for (action, value) in zip([Action.stand, .hit, .double], hand.values) {
                #expect(abs((found[action] ?? 9) - value) < 1e-6, "\(hand): \(action)")
            }
            if let split = hand.split { #expect(abs((found[.split] ?? 9) - split) < 1e-4, "\(hand): \(found)") }
        }
    }

    @Test(arguments: Thorough.cases(Array(PublishedValues.chartEdges.indices), quick: 2))
    func theEdgeOfAPrintedChart_isThePublishedOne(_ index: Int) throws {
        let game = PublishedValues.chartEdges[index]
        let rules = try HouseRules(game.changes + [("surrender", .text("late"))])
        let chart = StrategyChart(publishedFor: rules)
        let fresh = Edge(of: chart, under: rules).total
        #expect(abs(100 * fresh - game.fresh) < 0.0006, "\(100 * fresh)")
        if let published = game.dealt, Thorough.isWanted {
            let dealt = try DealtEdge(of: chart, under: rules, fresh: fresh, bet: 10, threads: 2)
            #expect(abs(100 * dealt.edge - published) < 0.001 + 300 * dealt.standardError, "\(100 * dealt.edge)")
        }
    }

    /// Half a unit of the last place in per cent is 5e-7; the published figures are of a player who resplits differently.
    @Test(arguments: Thorough.isWanted ? Array(PublishedValues.games.indices) : [0])
    func theEdge_isThePublishedOne(_ index: Int) throws {
        let game = PublishedValues.games[index]
        for (isDoubled, published) in [(true, game.edges.0), (false, game.edges.1)] where isDoubled || Thorough.isWanted {
            let rules = try HouseRules(game.changes + [("doubleAfterSplit", .flag(isDoubled))])
            let edge = 100 * Edge(ofBestPlayUnder: rules).total
            #expect(abs(edge - published) < 0.0015, "\(game.name): \(edge), published \(published)")
        }
    }

    /// Player's edges of a fresh shoe, found by two programs that share no code: a chart by total, and play by the hand's cards.
    private static let edges: [(changes: [(String, RuleValue)], chart: Double, cards: Double)] = [
        (
            [("decks", .integer(1)), ("soft17", .text("hit")), ("doubleAfterSplit", .flag(false))], -0.001876735498,
            -0.001517411371
        ),
        ([("decks", .integer(1))], 0.001440656744, 0.001830733392),
        ([], -0.004059224177, -0.004028643428),
        ([("surrender", .text("late"))], -0.003317035785, -0.003302621440),
    ]

    @Test(arguments: Thorough.isWanted ? 0..<4 : 0..<1)
    func theEdgesOfChartAndCards_areExact(_ index: Int) throws {
        let (changes, chart, cards) = Self.edges[index]
        let rules = try HouseRules(changes)
        #expect(abs(Edge(of: SharedOdds.shared.chart(for: rules), under: rules).total - chart) < 1e-11)
        #expect(abs(Edge(ofBestPlayUnder: rules).total - cards) < 1e-11)
    }

    @Test func aSplit_isWorthTheBestNumberOfHands() throws {
        // Tens against a nine: to four hands it costs 0.216, to two it gains 0.225.
        #expect(abs((Self.values(10, 10, up: 9, under: HouseRules())[.split] ?? 0) - 0.224816739) < 1e-9)
    }
}

extension ExpectedValues {
    subscript(row: StrategyChart.Row, up: Int, action: Action) -> Double { self[Hand(row), up][action] ?? .nan }
}
