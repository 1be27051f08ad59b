import Foundation

/// Counts over shuffles of distinct cards, and how probable it is that a right shuffle gives a larger statistic.
struct ShuffleStatistics {
    private let size: Int
    private var shuffles = 0
    /// By place, then by card.
    private var places: [Int32]
    /// By first card, then by second.
    private var pairs: [Int32]
    private var previous: [UInt16] = []
    private var kept = 0
    private var ascents = 0
    private var colourRuns = 0

    init(decks: Int) {
        size = 52 * decks
        places = Array(repeating: 0, count: size * size)
        pairs = places
    }

    mutating func add(_ order: [UInt16]) {
        shuffles += 1
        pairs[Int(order[0]) * size + Int(order[1])] += 1
        colourRuns += 1
        for place in 0..<size {
            let card = order[place]
            places[place * size + Int(card)] += 1
            if !previous.isEmpty, previous[place] == card { kept += 1 }
            guard place > 0 else { continue }
            if order[place - 1] < card { ascents += 1 }
            if isRed(order[place - 1]) != isRed(card) { colourRuns += 1 }
        }
        previous = order
    }

    private func isRed(_ card: UInt16) -> Bool { card % 52 / 13 == 1 || card % 52 / 13 == 2 }

    /// Probabilities of a larger value, for a right shuffle.
    var probabilities: [(name: String, p: Double)] {
        let (n, m) = (Double(size), Double(shuffles))
        let last = places.count - size
        return [
            // Each order uses each place and card once: the statistic times (N−1)/N has (N−1)² degrees of freedom.
            ("card and place", Self.tail(chiSquare(places[...], m / n) * (n - 1) / n, degrees: (size - 1) * (size - 1))),
            ("first card", Self.tail(chiSquare(places[..<size], m / n), degrees: size - 1)),
            ("last card", Self.tail(chiSquare(places[last...], m / n), degrees: size - 1)),
            // Cells for the same card twice stay empty and are no cells.
            ("first pair", Self.tail(chiSquare(pairs[...], m / (n * (n - 1))) - m / (n - 1), degrees: size * (size - 1) - 1)),
            // Fixed points of a permutation: mean 1, variance 1.
            ("same place in the next shoe", normalTail(Double(kept), mean: m - 1, variance: m - 1)),
            // Ascents (Eulerian numbers): mean (N−1)/2, variance (N+1)/12.
            ("ascending neighbours", normalTail(Double(ascents), mean: m * (n - 1) / 2, variance: m * (n + 1) / 12)),
            // Wald and Wolfowitz: N/2 of each colour.
            (
                "runs of a colour",
                normalTail(Double(colourRuns), mean: m * (n / 2 + 1), variance: m * n * (n - 2) / (4 * (n - 1)))
            ),
        ]
    }

    private func chiSquare(_ counts: ArraySlice<Int32>, _ expected: Double) -> Double {
        counts.reduce(0) { $0 + (Double($1) - expected) * (Double($1) - expected) / expected }
    }

    private func normalTail(_ value: Double, mean: Double, variance: Double) -> Double {
        erfc((value - mean) / (2 * variance).squareRoot()) / 2
    }

    /// The regularized upper incomplete gamma function Q(degrees / 2, chi / 2), by its series or its continued fraction.
    static func tail(_ chi: Double, degrees: Int) -> Double {
        let (a, x) = (Double(degrees) / 2, chi / 2)
        guard x > 0 else { return 1 }
        let factor = exp(a * log(x) - x - lgamma(a))
        if x < a + 1 {
            var (term, sum, k) = (1 / a, 1 / a, a)
            while term > sum * 1e-16 {
                k += 1
                term *= x / k
                sum += term
            }
            return 1 - factor * sum
        }
        // Lentz's method.
        var b = x + 1 - a
        var (c, d) = (1e300, 1 / b)
        var (fraction, i) = (d, 1.0)
        while true {
            let numerator = -i * (i - a)
            b += 2
            d = 1 / (numerator * d + b)
            c = b + numerator / c
            fraction *= d * c
            if abs(d * c - 1) < 1e-15 { return factor * fraction }
            i += 1
        }
    }
}
