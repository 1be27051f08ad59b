import Rules

/// The true counts at which the best play of a chart's cell changes, with half the shoe dealt.
public struct CountIndexes: Sendable {
    public struct Cell: Sendable {
        public let row: StrategyChart.Row
        /// Points of the dealer's up card, 1 (ace)…10.
        public let up: Int
        /// The plays in order of the true counts from which they are best; the first from -10.
        public let plays: [(from: Double, play: StrategyChart.Play)]
    }

    /// In the order of a chart.
    public let cells: [Cell]
    /// The true count from which insurance gains; nil: from none in -10…10, or not offered.
    public let insurance: Double?
}

extension CountIndexes {
    /// Takes a second of a processor.
    /// - Precondition: the system is balanced.
    public init(of system: CountingSystem, under rules: HouseRules) {
        let solver = IndexSolver(system, rules)
        let cells = StrategyChart.Row.all.filter { $0 != .hard(21) && $0 != .soft(21) }.flatMap { row in
            (Array(2...10) + [1]).map { solver.cell(row, $0) }
        }
        self.init(cells: cells, insurance: solver.insurance)
    }
}

extension CountIndexes {
    /// The chart to play from each true count up; the first one also below.
    public func charts(under rules: HouseRules) -> [(from: Double, chart: StrategyChart)] {
        let changes = Set(cells.flatMap { $0.plays.map(\.from) } + [insurance ?? -10])
        var chart = StrategyChart(name: "indexes", doubleAfterSplit: rules.doubleAfterSplit)
        return changes.sorted().map { count in
            for cell in cells {
                let play = cell.plays.last { $0.from <= count }?.play ?? cell.plays[0].play
                // Setting is slow.
                if chart[cell.row, cell.up] != play { chart[cell.row, cell.up] = play }
            }
            chart.takesInsurance = insurance.map { $0 <= count } ?? false
            return (count, chart)
        }
    }
}

/// Values at true counts.
struct IndexSolver {
    private static let counts = [-10.0, -5, 0, 5, 10]
    private let system: CountingSystem
    private let rules: HouseRules

    init(_ system: CountingSystem, _ rules: HouseRules) {
        precondition(system.isBalanced, "an unbalanced system has no true count")
        (self.system, self.rules) = (system, rules)
    }

    /// The expected cards of each rank that are not seen when half the shoe is, `known` among them, at a true count.
    ///
    /// The cards not seen are so many of those that are not `known`, and their tags add up to minus the running count; of a rank they have
    /// the number that a straight line through all such sums gives (least squares). With none known that is D(4 − t·tag/Σtag²) with D decks left.
    func unseen(at count: Double, knowing known: [Rank]) -> Composition {
        var cards = Composition(decks: rules.decks)
        for card in known { cards[card] -= 1 }
        func sum(_ value: (Double) -> Double) -> Double {
            Rank.allCases.reduce(0) { $0 + cards[$1] * value(Double(system.tags[Int($1.rawValue)])) }
        }
        let all = cards.total
        let mean = sum { $0 } / all
        let left = Double(rules.cardsInShoe) / 2
        let slope = (-count * left / 52 - left * mean) / sum { ($0 - mean) * ($0 - mean) }
        for rank in Rank.allCases { cards[rank] *= left / all + slope * (Double(system.tags[Int(rank.rawValue)]) - mean) }
        return cards
    }

    /// Where a third of the cards not seen are tens.
    var insurance: Double? {
        func share(_ count: Double) -> Double {
            let cards = unseen(at: count, knowing: [.ace])
            return cards[10] / cards.total - 1.0 / 3
        }
        let (low, high) = (share(-10), share(10))
        return rules.insurance && low < 0 && high >= 0 ? -10 - 20 * low / (high - low) : nil
    }

    // MARK: Cells

    func cell(_ row: StrategyChart.Row, _ up: Int) -> CountIndexes.Cell {
        let known = Self.counts.map { ($0, gains(row, up, at: $0)) }
        var (signs, changes) = (known[0].1.map { $0 > 0 }, [(count: Double, choice: Int)]())
        for choice in signs.indices {
            for (low, high) in zip(known, known.dropFirst()) where (low.1[choice] > 0) != (high.1[choice] > 0) {
                changes.append((zero(choice, row, up, (low.0, low.1[choice]), (high.0, high.1[choice])), choice))
            }
        }
        var plays = [(from: -10.0, play: Self.play(signs))]
        for change in changes.sorted(by: { $0.count < $1.count }) {
            signs[change.choice].toggle()
            if Self.play(signs) != plays[plays.count - 1].play { plays.append((change.count, Self.play(signs))) }
        }
        return CountIndexes.Cell(row: row, up: up, plays: plays)
    }

    /// The true count between two others at which a choice gains nothing, by false position: gains are nearly straight lines.
    private func zero(
        _ choice: Int, _ row: StrategyChart.Row, _ up: Int, _ low: (count: Double, gain: Double),
        _ high: (count: Double, gain: Double)
    ) -> Double {
        var (low, high) = (low, high)
        for _ in 0..<8 {
            let count = low.count + (high.count - low.count) * low.gain / (low.gain - high.gain)
            let gain = gains(row, up, at: count)[choice]
            // A gain changes by some hundredths a count.
            if abs(gain) < 2e-5 { return count }
            if (gain > 0) == (low.gain > 0) { low = (count, gain) } else { high = (count, gain) }
        }
        return (low.count + high.count) / 2
    }

    /// The gain of each choice, in bets: standing against hitting; then doubling, splitting and surrendering against the best without.
    private func gains(_ row: StrategyChart.Row, _ up: Int, at count: Double) -> [Double] {
        var gains = [0.0, 0, 0, 0]
        for (cards, weight) in Self.hands(row) {
            let decision = Decision(cards, up: Rank(points: up))
            var legal = decision.legalActions(under: rules)
            if case .hard = row { legal.remove(.split) }
            if rules.asksEarlySurrender(upCard: decision.upCard) { legal.formUnion([.surrender, .decline]) }
            let known = cards + [decision.upCard]
            let shoe = known.reduce(into: unseen(at: count, knowing: known)) { $0[$1] += 1 }
            guard let values = decision.values(of: legal, under: rules, shoe: shoe), let stand = values[.stand],
                let hit = values[.hit]
            else { preconditionFailure("half a shoe has the cards of every hand of two") }
            gains[0] += weight * (stand - hit)
            var best = max(stand, hit)
            for (index, action) in [Action.double, .split, .surrender].enumerated() {
                let value = values[action] ?? -9
                gains[index + 1] += weight * (value - (action == .surrender ? values[.decline] ?? best : best))
                best = max(best, value)
            }
        }
        return gains
    }

    /// The hands of two cards in a row, with their chances: only pairs make hard 20.
    private static func hands(_ row: StrategyChart.Row) -> [(cards: [Rank], weight: Double)] {
        func hand(_ first: Int, _ second: Int) -> [Rank] { [Rank(points: first), Rank(points: second)] }
        switch row {
        case .pair(let points): return [(hand(points, points), 1)]
        case .soft(let total): return [(hand(1, total - 11), 1)]
        case .hard(20): return [(hand(10, 10), 1)]
        case .hard(let total):
            let lows = max(2, total - 10)..<(total + 1) / 2
            let ways = lows.map { $0 + 10 == total ? 4.0 : 1 }
            return zip(lows, ways).map { (hand($0, total - $0), $1 / ways.reduce(0, +)) }
        }
    }

    private static func play(_ gains: [Bool]) -> StrategyChart.Play {
        let (stands, doubles, splits, surrenders) = (gains[0], gains[1], gains[2], gains[3])
        if surrenders { return splits ? .surrenderElseSplit : stands ? .surrenderElseStand : .surrenderElseHit }
        if splits { return .split }
        if doubles { return stands ? .doubleElseStand : .doubleElseHit }
        return stands ? .stand : .hit
    }
}
