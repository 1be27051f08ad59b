import Rules
import TestKit
import Testing

@testable import Odds
@testable import TableEngine

/// The exact edge of a chart, compared with every order of a small shoe's cards through the server's table.
struct EveryOrderTests {
    /// Plays each order that a round can tell apart once.
    private struct Enumeration {
        let start: Table
        var chart: StrategyChart
        let cards: [Rank: Int]
        let bet = 10
        /// The player's mean win in bets; nil if a round has run out of cards.
        var mean: Double? = 0
        var rounds = 0

        init(_ rules: HouseRules, _ chart: StrategyChart, _ cards: [Rank: Int]) throws {
            var table = Table(rules: rules, pace: Pace(settledMilliseconds: 0))
            var sink = NoFacts()
            let now = Timestamp(milliseconds: 0)
            let profile = PlayerProfile(name: "p", isBot: true)
            try table.perform(.sit(player: PlayerID(1), profile: profile, seat: 1, chips: 1000), at: now, into: &sink)
            try table.perform(.supplyShoe(.seeded(1)), at: now, into: &sink)
            table.state.core.shoe.shuffle(.seeded(1), number: 1)
            table.state.seats[0].shoe = 1
            (start, self.chart, self.cards) = (table, chart, cards)
        }

        /// Every order that begins with some cards, which come with a chance.
        mutating func play(_ prefix: [Rank], chance: Double) throws {
            guard mean != nil else { return }
            var left = cards
            for rank in prefix { left[rank, default: 0] -= 1 }
            let rest = left.sorted { $0.key.rawValue < $1.key.rawValue }.flatMap { Array(repeating: $0.key, count: $0.value) }
            let order = prefix + rest
            var table = start
            table.own()
            for (index, rank) in order.enumerated() { table.state.core.shoe.order[index] = Card(rank, .spades) }
            var sink = NoFacts()
            try table.playRound(bet: bet, by: &chart, at: Timestamp(milliseconds: 0), into: &sink)
            let drawn = table.state.core.shoe.drawn
            rounds += 1
            if drawn > order.count || rounds > 4000 {
                mean = nil
                return
            }
            // The chance of this order, and on the way of the others that begin like it.
            var chance = chance
            for index in prefix.count..<max(prefix.count, drawn) {
                let all = Double(order.count - index)
                for (rank, count) in left where rank.rawValue > order[index].rawValue && count > 0 {
                    try play(order[..<index] + [rank], chance: chance * Double(count) / all)
                }
                chance *= Double(left[order[index]] ?? 0) / all
                left[order[index], default: 0] -= 1
            }
            mean? += chance * Double(-table.houseNet) / Double(bet)
        }
    }

    private static func chart(_ random: inout RandomPlayers, _ rules: HouseRules) -> StrategyChart {
        var chart = StrategyChart(name: "silly", doubleAfterSplit: rules.doubleAfterSplit)
        chart.takesInsurance = random.random.below(2) == 0
        for row in StrategyChart.Row.all {
            let isPair = if case .pair = row { true } else { false }
            let plays = StrategyChart.Play.allCases.filter { isPair || !$0.splits }
            // Pairs are few, and splits are what is hard.
            for up in 1...10 { chart[row, up] = isPair && random.random.below(2) == 0 ? .split : random.pick(plays) }
        }
        return chart
    }

    @Test func theEdgeOfAChart_isTheMeanOverEveryOrderOfTheCards() throws {
        var random = RandomPlayers()
        let wanted = Thorough.isWanted ? 250 : 40
        var (cases, resplits) = (0, 0)
        while cases < wanted || resplits <= wanted / 4 {
            let rules = try random.house()
                .with([
                    ("seatsPerPlayer", .integer(1)), ("seats", .integer(1)), ("burn", .integer(0)),
                    ("continuousShuffle", .flag(false)),
                ])
            let chart = Self.chart(&random, rules)
            var cards: [Rank: Int] = [:]
            let ranks =
                (0...(1 + random.random.below(3))).map { _ in random.pick(Rank.allCases) }
                + [random.pick([.ten, .king, .nine])]
            for _ in 0..<(12 + random.random.below(9)) { cards[random.pick(ranks), default: 0] += 1 }
            var orders = try Enumeration(rules, chart, cards)
            for (rank, count) in cards.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
                try orders.play([rank], chance: Double(count) / Double(cards.values.reduce(0, +)))
            }
            guard let mean = orders.mean else { continue }
            cases += 1
            if rules.maxHands > 2 { resplits += 1 }
            let shoe = Composition(cards.flatMap { Array(repeating: $0.key, count: $0.value) })
            let edge = Edge(of: chart, under: rules, shoe: shoe).total
            #expect(abs(edge - mean) < 1e-12, "\(edge), not \(mean): \(cards) \(rules.canonicalText) \(chart)")
        }
    }
}
