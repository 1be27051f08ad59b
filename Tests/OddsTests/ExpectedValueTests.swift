import Rules
import TestKit
import Testing

@testable import Odds

/// Laws of expected values under any rules.
struct ExpectedValueTests {
    /// The values under `houses`, computed once: a second each in a debug build.
    private static let values = houses.map { SharedOdds.shared.values(for: $0.rules) }
    /// The default rules, and a single deck with rules that change the order of decisions.
    private static let houses: [(name: String, rules: HouseRules)] = {
        let changes: [(String, [(String, RuleValue)])] = [
            ("early, not ace", [("surrender", .text("early-not-ace"))]),
            ("late, no hole card", [("surrender", .text("late")), ("holeCard", .text("none"))]),
            ("original bets", [("holeCard", .text("original")), ("maxHands", .integer(3))]),
            ("charlie", [("charlie", .integer(5)), ("double", .text("none")), ("maxHands", .integer(1))]),
        ]
        let small = changes.map { ($0.0, try? HouseRules($0.1 + [("decks", .integer(1))])) }
        return [("default", HouseRules())] + small.compactMap { name, rules in rules.map { (name, $0) } }
    }()

    /// Of the published chart with one deck.
    private static func edge(_ changes: [(String, RuleValue)]) throws -> Double {
        let rules = try HouseRules([("decks", .integer(1))]).with(changes)
        return Edge(of: StrategyChart(publishedFor: rules), under: rules).total
    }

    @Test(arguments: Thorough.cases(Array(houses.indices), quick: 3))
    func aCell_hasAValueForEachActionThatTheRulesAllow_andNoOther(_ index: Int) {
        let (name, rules) = Self.houses[index]
        let values = Self.values[index]
        for hand in values.hands {
            for up in 1...10 {
                let cell = values[hand, up]
                let place = "\(name): \(hand.row.text) against \(up)"
                let isFirst = hand.cards == nil
                #expect((cell[.double] != nil) == (isFirst && Self.allowsDouble(hand.row, rules)), "\(place)")
                var isPair = false
                if case .pair = hand.row { isPair = true }
                // Only pairs make hard 20, and that row is theirs where they may not be split.
                #expect((cell[.split] != nil) == (isPair && rules.maxHands > 1), "\(place)")
                let surrenders = rules.surrender != .none && (rules.surrender != .earlyNotAce || up != 1)
                #expect((cell[.surrender] != nil) == (isFirst && surrenders), "\(place)")
                let isEarly = rules.surrender != .late && rules.holeCard == .peek
                #expect((cell[.decline] != nil) == (isFirst && surrenders && isEarly), "\(place)")
                #expect([Action.stand, .hit].allSatisfy { (-1...1).contains(cell[$0] ?? .nan) }, "\(place)")
                #expect((-2...2).contains(cell[.double] ?? 0) && (-8...8).contains(cell[.split] ?? 0), "\(place)")
                #expect((-1...(-0.5)).contains(cell[.surrender] ?? -0.5), "\(place)")
                // A player who may draw again does about as well at least: a chart knows totals, not cards.
                if rules.holeCard == .peek, let double = cell[.double] {
                    #expect(double <= 2 * (cell[.hit] ?? .nan) + 0.005, "\(place)")
                }
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

    @Test(arguments: Thorough.cases(Array(houses.indices), quick: 3))
    func standing_isWorthMore_withAGreaterTotal(_ index: Int) {
        let values = Self.values[index]
        for up in 1...10 {
            for total in 16...19 {
                #expect(values[.hard(total), up, .stand] < values[.hard(total + 1), up, .stand])
                #expect(values[.soft(total), up, .stand] < values[.soft(total + 1), up, .stand])
            }
            // A hand that cannot bust loses nothing by a card.
            for total in 5...11 { #expect(values[.hard(total), up, .hit] >= values[.hard(total), up, .stand]) }
        }
    }

    @Test func aRuleThatHelpsThePlayer_isWorthSomething() throws {
        let plain = try Self.edge([])
        for better: [(String, RuleValue)] in [
            [("surrender", .text("late"))], [("resplitAces", .flag(true))], [("hitSplitAces", .flag(true))],
            [("charlie", .integer(6))], [("blackjackPays", .text("2:1"))],
        ] { #expect(try Self.edge(better) > plain, "\(better)") }
        for worse: [(String, RuleValue)] in [
            [("soft17", .text("hit"))], [("doubleAfterSplit", .flag(false))], [("blackjackPays", .text("6:5"))],
            [("holeCard", .text("none"))], [("double", .text("10-11"))], [("maxHands", .integer(2))], [("decks", .integer(2))],
        ] { #expect(try Self.edge(worse) < plain, "\(worse)") }
        #expect(try Self.edge([("surrender", .text("early"))]) > Self.edge([("surrender", .text("early-not-ace"))]))
        #expect(try Self.edge([("surrender", .text("early-not-ace"))]) > Self.edge([("surrender", .text("late"))]))
    }

    @Test func insurance_isWorthWhatTheTensLeftSay() throws {
        let one = try #require(Self.values.last)
        // 16 tens among the 49 cards not seen: 16/49 × 2 − 33/49, for half a bet.
        #expect(abs(one.insurance[0] - (-1.0 / 98)) < 1e-12)
        #expect(abs(one.insurance[2] - (-7.0 / 98)) < 1e-12)
    }

    @Test func aCharlie_isDrawnTo() throws {
        let rules = try HouseRules([("charlie", .integer(5))])
        let solver = UpCardSolver(rules, Composition(decks: 1_000_000), up: 6, Stakes(rules, bet: nil))
        let hand = ExpectedValues.Hand(.hard(12), cards: 4)
        // Nine of thirteen ranks do not bust 12, and each wins at once.
        let found = solver.cells(StrategyChart(publishedFor: rules), [hand])[hand]
        #expect(abs((found?[.hit] ?? 9) - 5.0 / 13) < 1e-6)
    }

    @Test func theEdgesOfAChart_areThoseOfItsCells() throws {
        // The value of each cell's own play, by the chance of its hands, is the edge: two sums of the same numbers.
        let rules = try HouseRules([("decks", .integer(1)), ("maxHands", .integer(1)), ("double", .text("none"))])
        let edge = Edge(of: SharedOdds.shared.chart(for: rules), under: rules)
        #expect(abs(edge.total - SharedOdds.shared.values(for: rules).edge) < 1e-14)
        #expect(abs(edge.chances.reduce(0, +) - 1) < 1e-14)
    }

    @Test func earlySurrender_isComparedWithPlayingOn_beforeThePeek() throws {
        let cell = Self.values[1][.init(.hard(16)), 10]
        let decline = try #require(cell[.decline])
        // A dealer's blackjack, about one in thirteen, takes the bet of a player who plays on.
        #expect(decline < Self.values[1][.hard(16), 10, .hit] - 0.03 && cell[.surrender] == -0.5)
        #expect(Self.values[1].chart[.hard(16), 10].surrenders)
    }

    @Test func noChangeOfOneCell_gains() throws {
        var random = RandomPlayers()
        for _ in 0..<(Thorough.isWanted ? 20 : 2) {
            let rules = try random.house().with([("decks", .integer(1))])
            let chart = SharedOdds.shared.chart(for: rules)
            let up = 1 + random.random.below(10)
            let solver = UpCardSolver(rules, Composition(decks: 1), up: up, Stakes(rules, bet: nil))
            let best = solver.win(chart)
            for _ in 0..<40 {
                var other = chart
                let row = random.pick(StrategyChart.Row.all)
                let isPair = if case .pair = row { true } else { false }
                other[row, up] = random.pick(StrategyChart.Play.allCases.filter { isPair || !$0.splits })
                #expect(solver.win(other) < best + 1e-14, "\(row.text) against \(up): \(other[row, up].text)")
            }
        }
    }

    @Test func theBetThatRoundingFavoursMost_leavesTheHouseAnEdge_inEveryPreset() throws {
        let (bet, edge) = SharedOdds.shared.bestBet(under: HouseRules())
        // 23 chips for a blackjack of 15, of which 22.5 are due.
        #expect(bet == 15 && edge > SharedOdds.shared.values(for: HouseRules()).edge && edge < -0.002)
        for name in Thorough.isWanted ? HouseRules.presetNames : ["single-deck"] {
            #expect(SharedOdds.shared.bestBet(under: try HouseRules(preset: name)).edge < 0, "\(name)")
        }
        let late = try HouseRules([("surrender", .text("late")), ("betStep", .integer(1))])
        #expect(SharedOdds.shared.edge(of: 10, under: late) < 0 && SharedOdds.shared.bestBet(under: late).edge > 0)
        let whole = SharedOdds.shared.bestBet(under: try late.with([("betStep", .integer(10))]))
        #expect(whole.bet == 10 && abs(whole.edge - SharedOdds.shared.values(for: late).edge) < 1e-14)
    }

    @Test func charts_areShared_byTheRulesThatMatter() throws {
        let rules = HouseRules()
        let other = try HouseRules([
            ("seats", .integer(2)), ("maximumBet", .integer(1000)), ("penetration", .number(0.5)),
            ("bettingSeconds", .integer(5)),
            ("evenMoney", .flag(false)), ("doubleForLess", .flag(true)),
        ])
        #expect(SharedOdds.key(rules) == SharedOdds.key(other))
        for change: (String, RuleValue) in [("soft17", .text("hit")), ("splitBy", .text("rank")), ("charlie", .integer(6))] {
            #expect(SharedOdds.key(try HouseRules([change])) != SharedOdds.key(rules))
        }
    }
}

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
