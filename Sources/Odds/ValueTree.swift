import Rules

/// The values of a player's hands against one up card: of dealt hands, or of hands that began with one card of a split pair.
///
/// A value is stored as the win plus the chance to be still in the game (`alive`), so that a bust hand is worth 0, and a hit is worth the mean of
/// the hands that it leads to. Both are joint with the event that the dealer has no blackjack: the hole card is a card like any other, and after
/// a peek values are divided by the chance of that event. After a split both are weighted by the hands that a hand stands for.
final class ValueTree {
    let set: HandGraph.HandSet
    /// By hand; computed by `fill`.
    let stand: UnsafeMutablePointer<Double>
    let alive: UnsafeMutablePointer<Double>
    let blackjack: UnsafeMutablePointer<Double>
    /// By the strategy that was last evaluated.
    let value: UnsafeMutablePointer<Double>
    /// The chance of a hand, as far as a strategy decides it.
    let reach: UnsafeMutablePointer<Double>

    /// The cards left by points, from index 0, without the up card and the other card of a split pair, and their number.
    let cards: UnsafeMutablePointer<Double>
    let total: Double
    /// The points of the split pair; 0: dealt.
    let split: Int
    private let graph = HandGraph.shared
    private let dealer: DealerGraph
    private let up: Int
    /// By draws after the split, the dealer's included, and the split cards among them: the expected number of hands that a hand stands for.
    private let all: UnsafeMutablePointer<Double>
    private let first: UnsafeMutablePointer<Double>
    private let width: Int
    private let isFilled: UnsafeMutablePointer<Bool>
    private let isNeeded: UnsafeMutablePointer<Bool>
    /// Scratch buffers: the cards left, and the chance of each of the dealer's steps.
    private let left: UnsafeMutablePointer<Double>
    private let chance: UnsafeMutablePointer<Double>
    /// The weight of each dealer's leaf, by the number of cards and of split cards in the hand.
    private var factors: [Int: UnsafeMutablePointer<Double>] = [:]

    init(
        shoe: Composition, up: Int, dealer: DealerGraph, split: Int = 0, weights: SplitWeights.Hand = .init(),
        set: Int = 0
    ) {
        self.dealer = dealer
        self.up = up
        self.split = split
        self.set = graph.sets[set]
        func buffer(_ count: Int) -> UnsafeMutablePointer<Double> {
            let buffer = UnsafeMutablePointer<Double>.allocate(capacity: count)
            buffer.initialize(repeating: 0, count: count)
            return buffer
        }
        let count = graph.count + 1
        stand = buffer(count)
        alive = buffer(count)
        blackjack = buffer(count)
        value = buffer(count)
        reach = buffer(count)
        cards = buffer(10)
        self.left = buffer(10)
        chance = buffer(dealer.stepCount)
        isFilled = .allocate(capacity: count)
        isFilled.initialize(repeating: false, count: count)
        isNeeded = .allocate(capacity: count)
        isNeeded.initialize(repeating: false, count: count)
        for points in 1...10 {
            cards[points - 1] = shoe[points] - (points == up ? 1 : 0) - (points == split ? 1 : 0)
        }
        total = shoe.total - (split > 0 ? 2 : 1)
        // The most cards of the split points in a hand and the dealer's, which end at 21 and 26.
        width = split == 0 ? 1 : 48 / split + 1
        let (left, rest) = (split == 0 ? 0 : cards[split - 1] - 1, total - 1)
        all = Self.table(weights.all, left: left, rest: rest, width: width)
        first = Self.table(weights.first, left: left, rest: rest, width: width)
    }

    deinit {
        for buffer in [stand, alive, blackjack, value, reach, cards, left, chance, all, first] + factors.values {
            buffer.deallocate()
        }
        for buffer in [isFilled, isNeeded] { buffer.deallocate() }
    }

    // MARK: Weights

    /// The most draws: twenty aces and the dealer's.
    private static let mostDraws = 32

    private static func table(_ weights: [Double], left: Double, rest: Double, width: Int) -> UnsafeMutablePointer<Double> {
        let table = UnsafeMutablePointer<Double>.allocate(capacity: mostDraws * width)
        let terms = (weights.lastIndex { $0 != 0 } ?? 0) + 1
        var (drawn, place) = (0, 0)
        while drawn < mostDraws {
            var pairing = 0
            while pairing < width {
                var (chance, sum, k) = (1.0, weights[0], 1)
                var (left, rest) = (left - Double(pairing), rest - Double(drawn))
                while k < terms {
                    chance = left > 0 && rest > 0 ? chance * left / rest : 0
                    sum += weights[k] * chance
                    left -= 1
                    rest -= 1
                    k += 1
                }
                table[place] = sum
                place += 1
                pairing += 1
            }
            drawn += 1
        }
        return table
    }

    private func weight(_ table: UnsafeMutablePointer<Double>, of hand: Int, drawing points: Int = 0) -> Double {
        if split == 0 { return 1 }
        let pairing = Int(graph.cards[10 * hand + split - 1]) - 1 + (points == split ? 1 : 0)
        return table[(graph.size[hand] - 1 + (points > 0 ? 1 : 0)) * width + pairing]
    }

    private func factors(of hand: Int) -> UnsafeMutablePointer<Double> {
        let size = graph.size[hand]
        let pairing = split == 0 ? 0 : Int(graph.cards[10 * hand + split - 1])
        if let known = factors[32 * size + pairing] { return known }
        let made = UnsafeMutablePointer<Double>.allocate(capacity: dealer.leafCount)
        factors[32 * size + pairing] = made
        // The chance of each sequence of draws is a product of numbers of cards divided by one of these.
        var share = [1.0]
        for drawn in 0..<24 {
            let left = total - Double(size + drawn)
            share.append(left > 0 ? share[drawn] / left : 0)
        }
        let from = all + (split == 0 ? 0 : (size - 1) * width + pairing - 1)
        let drawn = dealer.drawn + split * dealer.leafCount
        var leaf = 0
        while leaf < dealer.leafCount {
            let length = dealer.length[leaf]
            made[leaf] = dealer.orders[leaf] * share[length]
            if split > 0 { made[leaf] *= from[width * length + drawn[leaf]] }
            leaf += 1
        }
        return made
    }

    // MARK: Values

    /// Computes `stand`, `alive` and `blackjack` of every hand.
    func fill() {
        for place in 0..<set.count { fill(set.hands[place]) }
    }

    /// Computes `stand`, `alive` and `blackjack` of a hand.
    func fill(_ hand: Int) {
        if isFilled[hand] { return }
        isFilled[hand] = true
        let (steps, leaves, chance, left) = (dealer.steps, dealer.leaves, chance, left)
        func reached(_ step: DealerGraph.Step) -> Double { chance[Int(step.parent)] * (left[Int(step.rank)] - step.used) }
        let rest = total - Double(graph.size[hand])
        if !takeCards(of: hand) || rest <= 0 { return }
        let missing = up == 1 ? 10 : up == 10 ? 1 : 0
        if missing > 0 { blackjack[hand] = left[missing - 1] / rest * weight(all, of: hand, drawing: missing) }
        alive[hand] = weight(all, of: hand) - blackjack[hand]
        chance[0] = 1
        var step = 1
        while step < dealer.stepCount {
            chance[step] = reached(steps[step])
            step += 1
        }
        let factors = factors(of: hand)
        let total = graph.total[hand]
        // Finals above the hand's total lose the bet that the others win, and an equal one half of it.
        let losses = total >= 21 ? 0 : dealer.end[max(0, total - 16)]
        let pushes = total < 17 ? losses : dealer.end[total - 17]
        func sum(_ range: Range<Int>) -> Double {
            var (sum, leaf) = (0.0, range.lowerBound)
            while leaf < range.upperBound {
                sum += reached(leaves[leaf]) * factors[leaf]
                leaf += 1
            }
            return sum
        }
        stand[hand] = 2 * alive[hand] - 2 * sum(0..<losses) - sum(losses..<pushes)
    }

    /// Computes the cards left.
    /// - Returns: false if the shoe has too few for the hand.
    private func takeCards(of hand: Int) -> Bool {
        var (isPossible, points) = (true, 0)
        while points < 10 {
            left[points] = cards[points] - graph.cards[10 * hand + points]
            // A fraction of a card can be drawn; draws beyond it have a small negative chance, and chances still add up to 1.
            if left[points] <= -1 { isPossible = false }
            points += 1
        }
        return isPossible
    }

    /// The value of a hit, by the values of the hands that it leads to; by `stand`, of one card only.
    func hit(_ hand: Int, to values: UnsafeMutablePointer<Double>) -> Double {
        let rest = total - Double(graph.size[hand])
        if rest <= 0 { return 0 }
        let (next, held) = (graph.next + 10 * hand, graph.cards + 10 * hand)
        var (sum, points) = (0.0, 0)
        while points < 10 {
            sum += (cards[points] - held[points]) * values[next[points]]
            points += 1
        }
        return sum / rest
    }

    /// The chance of a dealer's blackjack with the hand that keeps the original bet, after a split.
    func firstBlackjack(_ hand: Int) -> Double {
        let missing = up == 1 ? 10 : 1
        let weight = weight(all, of: hand, drawing: missing)
        return weight == 0 ? 0 : blackjack[hand] / weight * self.weight(first, of: hand, drawing: missing)
    }

    // MARK: Chances

    /// The chance of the next card.
    func chance(_ points: Int, after hand: Int) -> Double {
        max(0, cards[points - 1] - graph.cards[10 * hand + points - 1]) / (total - Double(graph.size[hand]))
    }

    /// The chance that as many cards as the hand has are those of the hand.
    func chance(of hand: Int) -> Double {
        var (chance, drawn) = (1.0, 0.0)
        for points in 0..<10 {
            for held in 0..<Int(graph.cards[10 * hand + points]) {
                drawn += 1
                chance *= max(0, cards[points] - Double(held)) / (total - drawn + 1) * drawn / Double(held + 1)
            }
        }
        return chance
    }

    /// Fills the hands of two cards and more that a strategy reaches from `start`.
    /// - Returns: those hands, in order of evaluation.
    func reached(from start: Int, by choose: (_ hand: Int) -> Action) -> [Int] {
        let (next, bust) = (graph.next, graph.count)
        isNeeded.update(repeating: false, count: bust + 1)
        isNeeded[start] = graph.size[start] > 1
        if graph.size[start] == 1 { for points in 0..<10 { isNeeded[next[10 * start + points]] = true } }
        var hands: [Int] = []
        for place in stride(from: set.count - 1, through: 0, by: -1) {
            let hand = set.hands[place]
            if !isNeeded[hand] || graph.size[hand] < 2 { continue }
            fill(hand)
            hands.append(hand)
            let action = choose(hand)
            for points in 0..<10 where next[10 * hand + points] != bust {
                if action == .hit { isNeeded[next[10 * hand + points]] = true }
                if action == .double { fill(next[10 * hand + points]) }
            }
        }
        return hands.reversed()
    }

    /// Passes a hand's reach on to the hands that a card makes of it.
    func pass(_ reach: Double, of hand: Int) {
        for points in 1...10 { self.reach[graph.next[10 * hand + points - 1]] += reach * chance(points, after: hand) }
    }
}

/// How a split's hands depend on each other: only through their number, and so through which second cards make a pair again.
///
/// Each hand that is played counts by the chance of the other hands' second cards, given its own cards and the dealer's: some pair, some do
/// not. By inclusion and exclusion that is a sum over k of a coefficient times the chance that k more cards have the split points. Hands may be
/// drawn in any order, since chances without replacement do not depend on it: the value is exact for every strategy that looks at one hand.
struct SplitWeights {
    struct Hand: Equatable {
        /// The coefficients of all hands.
        var all = [1.0]
        /// The same for the first hand alone, which keeps the original bet.
        var first = [1.0]
    }

    /// For a hand whose second card does not pair, and one whose second card has the split points.
    let other: Hand
    let same: Hand

    /// - Parameters:
    ///   - limit: the most hands, 2…4.
    ///   - oneRank: the chance that the pair and k more cards of its points have one rank, given that the pair has; 1 unless tens of
    ///     different ranks are no pair.
    init(limit: Int, oneRank: [Double]) {
        var (fresh, any) = (Array(repeating: 0.0, count: 8), Array(repeating: 0.0, count: 8))
        var (firstFresh, firstAny) = (fresh, any)
        /// `done` of `hands` have a second card that does not pair; `open` have none yet, and at the limit get any card.
        func draw(hands: Int, open: Int, done: Int) {
            if hands < limit, open > 0 {
                draw(hands: hands + 1, open: open + 1, done: done)
                draw(hands: hands, open: open - 1, done: done + 1)
                return
            }
            let pairs = hands - 2
            for (k, sign) in Self.signs(done - 1).enumerated() {
                fresh[pairs + k] += Double(done) * sign
                firstFresh[pairs + k] += sign
            }
            for (k, sign) in Self.signs(done).enumerated() { any[pairs + k] += Double(open) * sign }
            if done == 0 { firstAny[pairs] += 1 }
        }
        draw(hands: 2, open: 2, done: 0)
        func same(_ fresh: [Double], _ any: [Double]) -> [Double] {
            (0..<7).map { k -> Double in any[k] * oneRank[k] + fresh[k] * (oneRank[k] - oneRank[k + 1]) }
        }
        func other(_ fresh: [Double], _ any: [Double]) -> [Double] {
            (0..<7).map { k -> Double in (fresh[k] + any[k]) * oneRank[k] }
        }
        self.same = Hand(all: same(fresh, any), first: same(firstFresh, firstAny))
        self.other = Hand(all: other(fresh, any), first: other(firstFresh, firstAny))
    }

    /// The signed binomial coefficients of inclusion and exclusion; none below 0.
    private static func signs(_ others: Int) -> [Double] {
        if others < 0 { return [] }
        return (0..<others).reduce(into: [1.0]) { $0.append(-$0[$1] * Double(others - $1) / Double($1 + 1)) }
    }
}
