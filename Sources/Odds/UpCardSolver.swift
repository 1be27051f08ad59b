import Rules

/// The exact values of hands against one up card, for a chart or for best play by the hand's own cards.
///
/// A dealt hand's value is stored as its win plus 1, see ``ValueTree``; a dealer's blackjack is then worth 0, as a lost bet is.
final class UpCardSolver {
    /// The actions of a chart by `HandValue.tableIndex`, as `StrategyChart.action` plays it.
    private struct Plays {
        /// Of two dealt cards, two cards after a split, and more cards.
        var first = Array(repeating: Action.stand, count: HandValue.tableSize)
        var again = Array(repeating: Action.stand, count: HandValue.tableSize)
        var later = Array(repeating: Action.stand, count: HandValue.tableSize)
        /// Of a dealt pair, by points.
        var pair = Array(repeating: Action.stand, count: 11)
    }

    /// The hands of a pair that is split: those whose second card does not pair, and those whose does.
    private struct Split {
        let other: ValueTree
        let same: ValueTree
        var trees: [ValueTree] { other === same ? [other] : [other, same] }
    }

    let rules: HouseRules
    private let shoe: Composition
    private let up: Int
    private let stakes: Stakes
    let main: ValueTree
    private let graph = HandGraph.shared
    private let dealer: DealerGraph
    /// By points and limit of hands; made when needed.
    private var splits: [Int: Split] = [:]
    /// The chance that two tens are a pair, and that k more are of its rank.
    private let tensPair: Double
    private let oneRank: [Double]
    private let surrenders: Bool
    /// Whether a dealer's blackjack takes the bet of the hand, not only those that come from other hands.
    let hasOriginalBet: Bool

    /// - Parameter decision: the only hand to be solved; nil for all.
    init(
        _ rules: HouseRules, _ shoe: Composition, up: Int, _ stakes: Stakes, decision: Decision? = nil
    ) {
        self.rules = rules
        self.shoe = shoe
        self.up = up
        self.stakes = stakes
        dealer = graph.dealer(up: up, rules)
        main = ValueTree(shoe: shoe, up: up, dealer: dealer, set: decision?.set ?? 0)
        hasOriginalBet = decision?.isFirst ?? true
        let pair = rules.splitBy == .rank ? shoe.chanceOfOneRank(tens: 2) : 1
        tensPair = pair
        oneRank = (0..<8).map { more in
            if rules.splitBy == .value || pair == 0 { return 1 }
            if let decision { return decision.rest(of: shoe).chance(of: decision.cards[0], tens: more) }
            return shoe.chanceOfOneRank(tens: 2 + more) / pair
        }
        surrenders = rules.surrender != .none && !(rules.surrender == .earlyNotAce && up == 1)
    }

    // MARK: Splits

    private func limit(_ points: Int) -> Int { points == 1 && !rules.resplitAces ? min(2, rules.maxHands) : rules.maxHands }

    private func pairChance(_ points: Int) -> Double { points == 10 ? tensPair : 1 }

    private func split(_ points: Int, limit: Int) -> Split {
        let key = 8 * points + limit
        if let known = splits[key] { return known }
        let weights = SplitWeights(limit: limit, oneRank: points == 10 ? oneRank : Array(repeating: 1, count: 8))
        func tree(_ weights: SplitWeights.Hand, set: Int) -> ValueTree {
            ValueTree(shoe: shoe, up: up, dealer: dealer, split: points, weights: weights, set: set)
        }
        let other = tree(weights.other, set: points)
        let made = Split(other: other, same: weights.same == weights.other ? other : tree(weights.same, set: 10 + points))
        splits[key] = made
        return made
    }

    /// Every tree whose hands a chart may reach.
    private var trees: [ValueTree] {
        rules.maxHands < 2 ? [main] : [main] + (1...10).flatMap { split($0, limit: limit($0)).trees }
    }

    // MARK: Values of actions

    func isOpen(_ tree: ValueTree, _ hand: Int) -> Bool {
        graph.total[hand] != 21 && (tree.split != 1 || rules.hitSplitAces)
            && (rules.charlie == 0 || graph.size[hand] != rules.charlie)
    }

    /// The value of a hand with nothing to decide.
    private func settled(_ tree: ValueTree, _ hand: Int) -> Double {
        if rules.charlie == 0 || graph.size[hand] != rules.charlie { return tree.stand[hand] }
        let (alive, blackjack) = (tree.alive[hand], tree.blackjack[hand])
        switch rules.holeCard {
        case .peek: return 2 * alive
        case .none: return 2 * alive + 2 * blackjack
        // Wins against a blackjack, and is not the first hand that the whole split is charged with.
        case .original: return 2 * alive + blackjack + (hasOriginalBet ? tree.firstBlackjack(hand) : 0)
        }
    }

    private func allowsDouble(_ tree: ValueTree, _ hand: Int) -> Bool {
        graph.size[hand] == 2 && (tree.split == 0 || rules.doubleAfterSplit) && rules.double.allows(graph.values[hand])
    }

    /// - Parameter more: the chips added, in bets.
    func double(_ tree: ValueTree, _ hand: Int, adding more: Double = 1) -> Double {
        (1 + more) * tree.hit(hand, to: tree.stand) - more
            * (tree.alive[hand] + (rules.holeCard == .none ? tree.blackjack[hand] : 0))
    }

    /// Of a dealt hand.
    func surrender(_ hand: Int) -> Double { stakes.surrenderReturn * (rules.surrender == .late ? main.alive[hand] : 1) }

    /// Of a dealt pair, by the values of its trees.
    private func split(_ hand: Int, _ split: Split) -> Double {
        let (points, tree) = (split.other.split, split.other)
        // Without a peek a blackjack takes every hand; an original bet is lost once, as without a split.
        let losesAll = rules.holeCard == .none
        var sum = main.alive[hand] + (losesAll ? main.blackjack[hand] : 0)
        for second in 1...10 {
            let chance = (tree.cards[second - 1] - (second == points ? 1 : 0)) / (tree.total - 1)
            if chance <= 0 { continue }
            let tree = second == points ? split.same : split.other
            let next = graph.pairs[points][second]
            sum += chance * (tree.value[next] - tree.alive[next] - (losesAll ? tree.blackjack[next] : 0))
        }
        return sum
    }

    private func value(_ action: Action, _ tree: ValueTree, _ hand: Int) -> Double {
        switch action {
        case .hit: tree.hit(hand, to: tree.value)
        case .double: double(tree, hand)
        case .surrender: surrender(hand)
        default: tree.stand[hand]
        }
    }

    // MARK: A chart

    /// Whether early surrender is asked before the turn.
    private var isAsked: Bool { surrenders && rules.asksEarlySurrender(upCard: Rank(points: up)) }

    private func plays(_ chart: StrategyChart) -> Plays {
        var plays = Plays()
        let (card, isAsked) = (Rank(points: up), isAsked)
        func first(_ value: HandValue, _ pair: Int?) -> Action {
            var legal: ActionSet = [.hit, .stand]
            if rules.double.allows(value) { legal.insert(.double) }
            if pair != nil, rules.maxHands > 1 { legal.insert(.split) }
            if isAsked {
                let answer = chart.action(value: value, pair: pair, upCard: card, legal: [.surrender, .decline])
                if answer == .surrender { return answer }
            } else if surrenders {
                legal.insert(.surrender)
            }
            return chart.action(value: value, pair: pair, upCard: card, legal: legal)
        }
        for state in 0..<HandValue.tableSize where (2...20).contains(state % 32) {
            let value = HandValue(hard: UInt8(state % 32), count: 2, hasAce: state >= 32)
            plays.first[state] = first(value, nil)
            plays.later[state] = chart.action(value: value, pair: nil, upCard: card, legal: [.hit, .stand])
            let doubles = rules.doubleAfterSplit && rules.double.allows(value)
            plays.again[state] =
                doubles
                ? chart.action(value: value, pair: nil, upCard: card, legal: [.hit, .stand, .double]) : plays.later[state]
        }
        for points in 1...10 { plays.pair[points] = first(graph.values[graph.pairs[points][points]], points) }
        return plays
    }

    private func action(_ plays: Plays, _ tree: ValueTree, _ hand: Int) -> Action {
        let state = graph.state[hand]
        return graph.size[hand] > 2 ? plays.later[state] : tree.split == 0 ? plays.first[state] : plays.again[state]
    }

    private func evaluate(_ plays: Plays) {
        main.fill()
        for place in 0..<main.set.count {
            let hand = main.set.hands[place]
            main.value[hand] = isOpen(main, hand) ? value(action(plays, main, hand), main, hand) : settled(main, hand)
        }
    }

    /// The value of a dealt pair that is split, each hand by a strategy.
    private func split(_ points: Int, limit: Int, by choose: (ValueTree, _ hand: Int) -> Action) -> Double {
        let split = split(points, limit: limit)
        for tree in split.trees {
            for hand in tree.reached(from: graph.single[points], by: { isOpen(tree, $0) ? choose(tree, $0) : .stand }) {
                tree.value[hand] = isOpen(tree, hand) ? value(choose(tree, hand), tree, hand) : settled(tree, hand)
            }
        }
        return self.split(graph.pairs[points][points], split)
    }

    /// The player's expected win with a chart.
    func win(_ chart: StrategyChart) -> Double {
        let plays = plays(chart)
        evaluate(plays)
        let insures = chart.takesInsurance && rules.insurance && up == 1
        return mean { hand, pair in
            if hand == graph.pairs[1][10] {
                if insures, rules.evenMoney { return 2 }
                return natural(hand) + (insures ? insurance(hand) : 0)
            }
            let action = pair.map { plays.pair[$0] } ?? action(plays, main, hand)
            let insured = insures && !(isAsked && action == .surrender) ? insurance(hand) : 0
            guard let pair else { return main.value[hand] + insured }
            if action != .split { return value(action, main, hand) + insured }
            return split(pair, limit: limit(pair)) { self.action(plays, $0, $1) } + insured
        }
    }

    private func natural(_ hand: Int) -> Double { 1 + main.alive[hand] * stakes.blackjack }

    private func insurance(_ hand: Int) -> Double { stakes.insurance * (3 * main.blackjack[hand] - 1) }

    /// The mean win over the two cards dealt, by the value of each hand; `pair`: the points of a pair.
    private func mean(_ value: (_ hand: Int, _ pair: Int?) -> Double) -> Double {
        var sum = 0.0
        for first in 1...10 {
            for second in first...10 {
                let (chance, hand) = (chance(first, second), graph.pairs[first][second])
                if chance <= 0 { continue }
                let pairs = first == second ? pairChance(first) : 0
                if pairs > 0 { sum += chance * pairs * (value(hand, first) - 1) }
                if pairs < 1 { sum += chance * (1 - pairs) * (value(hand, nil) - 1) }
            }
        }
        return sum
    }

    /// The chance of two cards, in either order.
    private func chance(_ first: Int, _ second: Int) -> Double {
        let (a, b) = (main.cards[first - 1], main.cards[second - 1] - (first == second ? 1 : 0))
        return a * b / (main.total * (main.total - 1)) * (first == second ? 1 : 2)
    }
}

// MARK: - The best chart

extension UpCardSolver {
    /// Improves this column of a chart until no change of one cell gains.
    ///
    /// A cell's action decides which hands reach the cells after it, and is worth what those make of them. So each sweep goes from the last
    /// cells to the first, with the hands that reach them by the chart so far, and sweeps go on until one changes nothing. Every change
    /// raises the edge, so that they end; the bound is for values equal up to rounding.
    func improve(_ chart: inout StrategyChart) {
        for _ in 0..<64 where !sweep(&chart) { return }
    }

    /// Sums over the hands that reach a cell and have the same alternatives.
    private struct Group {
        var hit = 0.0
        var stand = 0.0
        var double = 0.0
        var surrender = 0.0
        var legal: ActionSet = [.hit, .stand]

        /// Each play is for a row of totals.
        func value(_ play: StrategyChart.Play) -> Double {
            switch play {
            case .doubleElseHit: legal.contains(.double) ? double : hit
            case .doubleElseStand: legal.contains(.double) ? double : stand
            case .surrenderElseHit: legal.contains(.surrender) ? surrender : hit
            case .surrenderElseStand: legal.contains(.surrender) ? surrender : stand
            case .hit: hit
            default: stand
            }
        }
    }

    /// - Returns: whether a cell has changed.
    private func sweep(_ chart: inout StrategyChart) -> Bool {
        let (old, trees) = (chart, trees)
        for tree in trees { tree.fill() }
        var plays = plays(chart)
        spread(plays, over: trees)
        var choices: [StrategyChart.Play] = [.stand, .hit]
        if rules.double != .none { choices += [.doubleElseHit, .doubleElseStand] }
        if surrenders { choices += [.surrenderElseHit, .surrenderElseStand] }
        for (index, row) in graph.rows.enumerated() {
            let groups = gather(index, trees)
            func gain(_ play: StrategyChart.Play) -> Double { groups.reduce(0) { $0 + $1.value(play) } }
            var (best, most) = (chart[row, up], gain(chart[row, up]) + 1e-15)
            for play in choices where gain(play) > most { (best, most) = (play, gain(play)) }
            if best != chart[row, up] {
                chart[row, up] = best
                plays = self.plays(chart)
            }
            for tree in trees {
                for place in tree.set.rows[index] {
                    let hand = tree.set.hands[place]
                    if graph.size[hand] == 1 || !isOpen(tree, hand) { continue }
                    let action = action(plays, tree, hand)
                    if action != .hit { tree.value[hand] = value(action, tree, hand) }
                }
            }
        }
        for points in 1...10 where chance(points, points) > 0 { chart[.pair(points), up] = bestPlay(ofPair: points) }
        return chart != old
    }

    /// Computes the chance of each hand, given the up card, that it has to be decided by its total.
    private func spread(_ plays: Plays, over trees: [ValueTree]) {
        for tree in trees { tree.reach.update(repeating: 0, count: graph.count + 1) }
        for first in 1...10 {
            for second in first...10 where !(first == 1 && second == 10) {
                let (chance, hand) = (chance(first, second), graph.pairs[first][second])
                if chance <= 0 { continue }
                let pairs = first == second ? pairChance(first) : 0
                main.reach[hand] += chance * (1 - pairs)
                if pairs == 0 { continue }
                switch plays.pair[first] {
                case .hit: main.pass(chance * pairs, of: hand)
                case .split:
                    let split = split(first, limit: limit(first))
                    split.other.pass(chance * pairs, of: graph.single[first])
                    if split.other !== split.same {
                        split.same.reach[hand] = split.other.reach[hand]
                        split.other.reach[hand] = 0
                    }
                // The hand ends, with at most one more card.
                default: break
                }
            }
        }
        for tree in trees {
            // Against the order of evaluation.
            var place = tree.set.count - 1
            while place >= 0 {
                let hand = tree.set.hands[place]
                let reach = tree.reach[hand]
                if reach > 0, graph.size[hand] > 1, isOpen(tree, hand), action(plays, tree, hand) == .hit {
                    tree.pass(reach, of: hand)
                }
                place -= 1
            }
        }
        // Two aces lead to three in the same cell, which counts a hand where it comes in.
        let (two, three) = (graph.pairs[1][1], graph.next[10 * graph.pairs[1][1]])
        for tree in trees where tree.reach[two] > 0 && isOpen(tree, two) && action(plays, tree, two) == .hit {
            tree.reach[three] -= tree.reach[two] * tree.chance(1, after: two)
        }
    }

    /// Values every hand of a row as a hit, and sums up those that are reached.
    private func gather(_ row: Int, _ trees: [ValueTree]) -> [Group] {
        var groups = [Group(), Group(), Group(), Group()]
        for tree in trees {
            for place in tree.set.rows[row] {
                let hand = tree.set.hands[place]
                if graph.size[hand] == 1 { continue }
                guard isOpen(tree, hand) else {
                    tree.value[hand] = settled(tree, hand)
                    continue
                }
                let hit = tree.hit(hand, to: tree.value)
                tree.value[hand] = hit
                let reach = tree.reach[hand]
                if reach <= 0 { continue }
                let doubles = allowsDouble(tree, hand)
                let gives = surrenders && tree.split == 0 && graph.size[hand] == 2
                let group = (doubles ? 1 : 0) + (gives ? 2 : 0)
                groups[group].hit += reach * hit
                groups[group].stand += reach * tree.stand[hand]
                if doubles {
                    groups[group].legal.insert(.double)
                    groups[group].double += reach * double(tree, hand)
                }
                if gives {
                    groups[group].legal.insert(.surrender)
                    groups[group].surrender += reach * surrender(hand)
                }
            }
        }
        return groups
    }

    private func bestPlay(ofPair points: Int) -> StrategyChart.Play {
        let hand = graph.pairs[points][points]
        let (hit, stand) = (main.hit(hand, to: main.value), main.stand[hand])
        let hits = hit > stand
        var (best, most) = (hits ? StrategyChart.Play.hit : .stand, max(hit, stand))
        let split = rules.maxHands > 1 ? split(hand, split(points, limit: limit(points))) : -1
        if allowsDouble(main, hand), double(main, hand) > most {
            (best, most) = (hits ? .doubleElseHit : .doubleElseStand, double(main, hand))
        }
        if split > most { (best, most) = (.split, split) }
        if surrenders, surrender(hand) > most {
            best = split > max(hit, stand) ? .surrenderElseSplit : hits ? .surrenderElseHit : .surrenderElseStand
        }
        return best
    }
}

// MARK: - Best play by cards

extension UpCardSolver {
    /// The player's expected win where each hand is played best by its own cards.
    func bestWin() -> Double {
        maximise(main)
        return mean { hand, pair in
            if hand == graph.pairs[1][10] { return natural(hand) }
            var value = main.value[hand]
            if pair != nil, let split = bestSplit(hand, rules.maxHands) { value = max(value, split) }
            return surrenders ? max(value, surrender(hand)) : value
        }
    }

    private func maximise(_ tree: ValueTree) {
        tree.fill()
        maximise(tree, Array(UnsafeBufferPointer(start: tree.set.hands, count: tree.set.count)))
    }

    /// - Parameter hands: filled ones, in order of evaluation.
    func maximise(_ tree: ValueTree, _ hands: [Int]) {
        for hand in hands {
            guard isOpen(tree, hand) else {
                tree.value[hand] = settled(tree, hand)
                continue
            }
            let value = max(tree.stand[hand], tree.hit(hand, to: tree.value))
            tree.value[hand] = allowsDouble(tree, hand) ? max(value, double(tree, hand)) : value
        }
    }

    /// The value of splitting a pair: two hands, or more where that is better; nil: not allowed.
    ///
    /// Split hands are played by the one strategy that is best for two together. That is best for the first alone, too (Farmer's CDP1), except
    /// with a charlie under `HouseRules.HoleCard.original`: against a blackjack it saves the first hand's bet, and the other has none to lose.
    /// - Parameter hands: the most that a pair may become; split aces may be fewer.
    func bestSplit(_ hand: Int, _ hands: Int) -> Double? {
        let points = graph.values[hand].isSoft ? 1 : graph.total[hand] / 2
        let most = min(limit(points), hands)
        if most < 2 { return nil }
        let two = split(points, limit: 2)
        for tree in two.trees { maximise(tree) }
        let model = two.other
        let more = (2...most).dropFirst().map { limit in
            split(points, limit: limit) { _, hand in
                let best = model.value[hand]
                return best == model.stand[hand] ? .stand : best == model.hit(hand, to: model.value) ? .hit : .double
            }
        }
        return more.reduce(split(hand, two), max)
    }

    /// Calls `body` with every hand that has something to decide, the points of the pair that it was split from (0: dealt), and its actions,
    /// the best first: the play that `bestWin` is worth.
    func forEachHand(_ body: (_ hand: Int, _ split: Int, _ actions: [Action]) -> Void) {
        func order(_ tree: ValueTree, _ hand: Int, _ more: [(Action, Double?)]) {
            guard isOpen(tree, hand) else { return }
            let plain = [(Action.stand, tree.stand[hand]), (.hit, tree.hit(hand, to: tree.value))]
            let doubled = allowsDouble(tree, hand) ? double(tree, hand) : nil
            let values = plain + (more + [(.double, doubled)]).compactMap { action, value in value.map { (action, $0) } }
            body(hand, tree.split, values.sorted { $0.1 > $1.1 }.map(\.0))
        }
        maximise(main)
        for place in 0..<main.set.count {
            let hand = main.set.hands[place]
            let isPair = (1...10).contains { graph.pairs[$0][$0] == hand }
            let ends: Double? = surrenders && graph.size[hand] == 2 ? surrender(hand) : nil
            order(main, hand, [(.split, isPair ? bestSplit(hand, rules.maxHands) : nil), (.surrender, ends)])
        }
        for points in 1...10 {
            let pair = graph.pairs[points][points]
            guard let two = bestSplit(pair, 2), let most = bestSplit(pair, rules.maxHands) else { continue }
            let tree = split(points, limit: 2).other
            for place in 0..<tree.set.count {
                let hand = tree.set.hands[place]
                order(tree, hand, [(.split, hand == pair && most > two ? .infinity : nil)])
            }
        }
    }
}

// MARK: - Cells

extension UpCardSolver {
    /// Sums of values over the hands of a cell, by their chance.
    private struct CellSums {
        var chance = 0.0
        var alive = 0.0
        var values: [Action: Double] = [:]

        mutating func add(_ chance: Double, alive: Double, _ values: [Action: Double]) {
            self.chance += chance
            self.alive += chance * alive
            for (action, value) in values { self.values[action, default: 0] += chance * value }
        }
    }

    private func add(_ first: Int, _ second: Int, chance: Double, split: Double?, to sums: inout CellSums) {
        let hand = graph.pairs[first][second]
        var values: [Action: Double] = [.stand: main.stand[hand], .hit: main.hit(hand, to: main.value)]
        if allowsDouble(main, hand) { values[.double] = double(main, hand) }
        values[.split] = split
        if surrenders, rules.surrender != .late, rules.holeCard == .peek { values[.decline] = values.values.max() }
        if surrenders { values[.surrender] = surrender(hand) }
        sums.add(chance, alive: main.alive[hand], values)
    }

    private func values(of sums: CellSums) -> [Action: Double] {
        let pairs = sums.values.map { action, sum in
            let isEarly = action == .decline || action == .surrender && rules.surrender != .late
            /// After a peek the dealer has no blackjack.
            let isAfterPeek = !isEarly && rules.holeCard == .peek
            return (action, isAfterPeek ? (sum - sums.alive) / sums.alive : sum / sums.chance - 1)
        }
        return Dictionary(uniqueKeysWithValues: pairs)
    }

    /// The values of each hand's actions in this column, played on by a chart; hands that no cards make are absent.
    func cells(_ chart: StrategyChart, _ hands: [ExpectedValues.Hand]) -> [ExpectedValues.Hand: [Action: Double]] {
        let plays = plays(chart)
        evaluate(plays)
        var sums: [ExpectedValues.Hand: CellSums] = [:]
        for first in 1...10 {
            for second in first...10 where chance(first, second) > 0 && !(first == 1 && second == 10) {
                let chance = chance(first, second)
                if first == second {
                    add(
                        first, second, chance: chance, split: split(plays, first),
                        to: &sums[.init(.pair(first)), default: CellSums()])
                }
                // A pair that may not be split plays by its total, and only pairs make some totals.
                if first != second || first == 10 {
                    let row = StrategyChart.row(of: graph.values[graph.pairs[first][second]])
                    add(first, second, chance: chance, split: nil, to: &sums[.init(row), default: CellSums()])
                }
            }
        }
        if hands.contains(where: { $0.cards != nil }) { addLater(to: &sums) }
        return sums.mapValues(values)
    }

    /// The value of a split by a chart: the best of two hands and more. A chart that splits gains by every hand.
    private func split(_ plays: Plays, _ points: Int) -> Double? {
        let most = limit(points)
        if most < 2 { return nil }
        return (plays.pair[points] == .split ? most...most : 2...most).map { limit in
            split(points, limit: limit) { self.action(plays, $0, $1) }
        }.max()
    }

    /// Hands of three cards and more by their number, each by the chance that so many cards make it.
    private func addLater(to sums: inout [ExpectedValues.Hand: CellSums]) {
        for place in 0..<main.set.count {
            let hand = main.set.hands[place]
            let size = graph.size[hand]
            guard size > 2, size < rules.charlie, graph.total[hand] < 21 else { continue }
            let chance = main.chance(of: hand)
            if chance <= 0 { continue }
            let row = ExpectedValues.Hand(StrategyChart.row(of: graph.values[hand]), cards: size)
            let values: [Action: Double] = [.stand: main.stand[hand], .hit: main.hit(hand, to: main.value)]
            sums[row, default: CellSums()].add(chance, alive: main.alive[hand], values)
        }
    }
}
