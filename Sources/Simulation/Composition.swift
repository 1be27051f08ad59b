import Rules

/// How many cards of each value, 1 (ace)…10, are in a shoe.
struct Composition {
    private var counts = InlineArray<11, Double>(repeating: 0)
    private(set) var total: Double

    init(decks: Int) {
        for points in 1...9 { counts[points] = Double(4 * decks) }
        counts[10] = Double(16 * decks)
        total = Double(52 * decks)
    }

    @inline(__always)
    subscript(points: Int) -> Double { counts[points] }

    @inline(__always)
    func probability(_ points: Int) -> Double { counts[points] / total }

    @inline(__always)
    mutating func remove(_ points: Int) {
        counts[points] -= 1
        total -= 1
    }

    @inline(__always)
    mutating func restore(_ points: Int) {
        counts[points] += 1
        total += 1
    }

    /// How often, up to a constant, these three values come: a player's two cards in either order and an up card.
    func weight(_ first: Int, _ second: Int, _ up: Int) -> Double {
        var rest = self
        let a = rest[first]
        rest.remove(first)
        let b = rest[second]
        rest.remove(second)
        return max(0, a) * max(0, b) * max(0, rest[up]) * (first == second ? 1 : 2)
    }
}

/// The dealer's finals: how likely each is, all together 1.
struct DealerFinals {
    /// 17…21 at 0…4, bust at 5.
    var totals = InlineArray<6, Double>(repeating: 0)
    /// A blackjack: not among the totals of 21.
    var blackjack = 0.0

    /// Follows the dealer's hand from an up card without replacement.
    init(up: Int, shoe: Composition, rules: HouseRules) {
        var shoe = shoe
        let start = HandValue().adding(Rank(points: up))
        draw(start, &shoe, 1, rules)
    }

    private mutating func draw(_ hand: HandValue, _ shoe: inout Composition, _ chance: Double, _ rules: HouseRules) {
        if hand.count >= 2 {
            if hand.isTwoCard21 {
                blackjack += chance
                return
            }
            if !rules.dealerDraws(to: hand) {
                totals[hand.total > 21 ? 5 : hand.total - 17] += chance
                return
            }
        }
        for points in 1...10 where shoe[points] > 0 {
            let probability = shoe.probability(points)
            shoe.remove(points)
            draw(hand.adding(Rank(points: points)), &shoe, chance * probability, rules)
            shoe.restore(points)
        }
    }
}
