import Rules

/// The number of cards of each value, 1 (ace)…10, in a shoe.
struct Composition {
    private var counts = InlineArray<11, Double>(repeating: 0)
    private(set) var total: Double

    init(decks: Int) {
        for points in 1...9 { counts[points] = Double(4 * decks) }
        counts[10] = Double(16 * decks)
        total = Double(52 * decks)
    }

    subscript(points: Int) -> Double { counts[points] }

    func probability(_ points: Int) -> Double { counts[points] / total }

    mutating func remove(_ points: Int) {
        counts[points] -= 1
        total -= 1
    }

    mutating func restore(_ points: Int) {
        counts[points] += 1
        total += 1
    }

    /// The relative frequency of two player's cards, in either order, and an up card.
    func weight(_ first: Int, _ second: Int, _ up: Int) -> Double {
        var rest = self
        let a = rest[first]
        rest.remove(first)
        let b = rest[second]
        rest.remove(second)
        return max(0, a) * max(0, b) * max(0, rest[up]) * (first == second ? 1 : 2)
    }
}
