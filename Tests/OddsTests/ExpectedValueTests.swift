import Rules
import TestKit
import Testing

@testable import Odds

/// Laws of expected values under any rules.
@Suite
struct ExpectedValueTests {
    /// The values under `houses`, computed once: a tenth of a second each.
    private static let values = houses.map { ExpectedValues(for: $0.rules) }
    /// The presets, the default rules, and rules that change the order of decisions.
    private static let houses: [(name: String, rules: HouseRules)] = {
        let changes: [(String, [(String, RuleValue)])] = [
            ("default", []), ("early", [("surrender", .text("early"))]),
            ("early, not ace", [("surrender", .text("early-not-ace")), ("decks", .integer(1))]),
            ("late, no hole card", [("surrender", .text("late")), ("holeCard", .text("none"))]),
            ("original bets", [("holeCard", .text("original")), ("maxHands", .integer(3))]),
            ("charlie", [("charlie", .integer(5)), ("double", .text("none")), ("maxHands", .integer(1))]),
        ]
        let presets = HouseRules.presetNames.map { ($0, try? HouseRules(preset: $0)) }
        return (presets + changes.map { ($0.0, try? HouseRules($0.1)) }).compactMap { name, rules in rules.map { (name, $0) } }
    }()

    private static func edge(_ changes: [(String, RuleValue)]) throws -> Double {
        ExpectedValues(for: try HouseRules(changes)).edge
    }

    @Test(arguments: houses.indices)
    func aCell_hasAValueForEachActionThatTheRulesAllow_andNoOther(_ index: Int) {
        let (name, rules) = Self.houses[index]
        let values = Self.values[index]
        for hand in values.hands {
            for up in 1...10 {
                let cell = values[hand, up]
                let place = "\(name): \(hand.row.text) against \(up)"
                let isFirst = hand.cards == nil
                #expect((cell.double != nil) == (isFirst && Self.allowsDouble(hand.row, rules)), "\(place)")
                var isPair = false
                if case .pair = hand.row { isPair = true }
                // Only pairs make hard 20, and that row is theirs where they may not be split.
                #expect((cell.split != nil) == (isPair && rules.maxHands > 1), "\(place)")
                let surrenders = rules.surrender != .none && (rules.surrender != .earlyNotAce || up != 1)
                #expect((cell.surrender != nil) == (isFirst && surrenders), "\(place)")
                let isEarly = rules.surrender != .late && rules.holeCard == .peek
                #expect((cell.decline != nil) == (isFirst && surrenders && isEarly), "\(place)")
                #expect((-1...1).contains(cell.stand) && (-1...1).contains(cell.hit), "\(place)")
                #expect((-2...2).contains(cell.double ?? 0) && (-8...8).contains(cell.split ?? 0), "\(place)")
                #expect((-1...(-0.5)).contains(cell.surrender ?? -0.5), "\(place)")
                // A player who may draw again does at least as well.
                if rules.holeCard == .peek, let double = cell.double { #expect(double <= 2 * cell.hit + 1e-9, "\(place)") }
            }
        }
    }

    private static func allowsDouble(_ row: StrategyChart.Row, _ rules: HouseRules) -> Bool {
        switch row {
        case .hard(let total):
            rules.double.allows(HandValue().adding(.two).adding(Rank(points: min(10, total - 2)))) || rules.double == .any
        case .soft: rules.double == .any
        case .pair(let points): rules.double.allows(HandValue().adding(Rank(points: points)).adding(Rank(points: points)))
        }
    }

    @Test(arguments: houses.indices)
    func standing_isWorthMore_withAGreaterTotal(_ index: Int) {
        let values = Self.values[index]
        for up in 1...10 {
            for total in 16...19 {
                #expect(values[.hard(total), up].stand < values[.hard(total + 1), up].stand)
                #expect(values[.soft(total), up].stand < values[.soft(total + 1), up].stand)
            }
            // A hand that cannot bust loses nothing by a card.
            for total in 5...11 { #expect(values[.hard(total), up].hit >= values[.hard(total), up].stand) }
        }
    }

    @Test func aRuleThatHelpsThePlayer_isWorthSomething() throws {
        let plain = try Self.edge([])
        for better: [(String, RuleValue)] in [
            [("surrender", .text("late"))], [("resplitAces", .flag(true))], [("hitSplitAces", .flag(true))],
            [("charlie", .integer(6))], [("blackjackPays", .text("2:1"))], [("decks", .integer(2))],
        ] { #expect(try Self.edge(better) > plain, "\(better)") }
        for worse: [(String, RuleValue)] in [
            [("soft17", .text("hit"))], [("doubleAfterSplit", .flag(false))], [("blackjackPays", .text("6:5"))],
            [("holeCard", .text("none"))], [("double", .text("10-11"))], [("maxHands", .integer(2))], [("decks", .integer(8))],
        ] { #expect(try Self.edge(worse) < plain, "\(worse)") }
        #expect(try Self.edge([("surrender", .text("early"))]) > Self.edge([("surrender", .text("early-not-ace"))]))
        #expect(try Self.edge([("surrender", .text("early-not-ace"))]) > Self.edge([("surrender", .text("late"))]))
    }

    @Test func insurance_isWorthWhatTheTensLeftSay() throws {
        let one = ExpectedValues(for: try HouseRules([("decks", .integer(1))]))
        // 16 tens among the 49 cards not seen: 16/49 × 2 − 33/49, for half a bet.
        #expect(abs(one.insurance[0] - (-1.0 / 98)) < 1e-12)
        #expect(abs(one.insurance[2] - (-7.0 / 98)) < 1e-12)
        #expect(ExpectedValues(for: try HouseRules([("insurance", .flag(false))])).insurance == [0, 0, 0])
    }

    @Test func aCharlie_isDrawnTo() throws {
        let rules = try HouseRules([("charlie", .integer(5))])
        let values = ExpectedValues(for: rules, decks: 1_000_000)
        // Nine of thirteen ranks do not bust 12, and each wins at once.
        #expect(abs(values[ExpectedValues.Hand(.hard(12), cards: 4), 6].hit - 5.0 / 13) < 1e-6)
        #expect(values[ExpectedValues.Hand(.hard(12), cards: 4), 6].play == .hit)
        #expect(values[ExpectedValues.Hand(.hard(12), cards: 3), 6].play == .stand || values[.hard(12), 6].play == .stand)
        #expect(!values.hands.contains(ExpectedValues.Hand(.hard(16), cards: 5)))
        // Without a hole card, a charlie keeps its win against a dealer's blackjack.
        let open = try HouseRules([("charlie", .integer(5)), ("holeCard", .text("none"))])
        let value = ExpectedValues(for: open, decks: 1_000_000)[ExpectedValues.Hand(.hard(12), cards: 4), 1].hit
        #expect(abs(value - 5.0 / 13) < 1e-6)
    }

    @Test func earlySurrender_isComparedWithPlayingOn_beforeThePeek() throws {
        let cell = ExpectedValues(for: try HouseRules([("surrender", .text("early"))]))[.hard(16), 1]
        let decline = try #require(cell.decline)
        // A dealer's blackjack, about 96 of 309, takes the bet of a player who plays on.
        #expect(decline < cell.hit - 0.1 && cell.surrender == -0.5)
        #expect(cell.play == .surrenderElseHit)
    }

    @Test(arguments: houses.indices)
    func theChart_takesTheActionOfTheGreatestValue(_ index: Int) {
        let rules = Self.houses[index].rules
        let values = Self.values[index]
        let chart = StrategyChart(values, for: rules)
        for hand in values.hands where hand.cards == nil {
            for up in Rank.allCases.prefix(10) {
                let cell = values[hand, up.points]
                let actions = [Action.stand, .hit, .double, .split].filter { cell[$0] != nil }
                let best = actions.max { (cell[$0] ?? 0) < (cell[$1] ?? 0) }
                var legal: ActionSet = []
                for action in actions { legal.insert(ActionSet(action)) }
                let (value, pair) = Self.value(of: hand.row)
                #expect(
                    chart.action(value: value, pair: pair, upCard: up, legal: legal) == best, "\(hand.row.text) against \(up)")
            }
        }
    }

    private static func value(of row: StrategyChart.Row) -> (HandValue, pair: Int?) {
        switch row {
        case .hard(let total): (HandValue(hard: UInt8(total), count: 2, hasAce: false), nil)
        case .soft(let total): (HandValue(hard: UInt8(total - 10), count: 2, hasAce: true), nil)
        case .pair(let points): (HandValue().adding(Rank(points: points)).adding(Rank(points: points)), points)
        }
    }
}
