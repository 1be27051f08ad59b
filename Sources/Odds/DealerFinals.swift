import Rules

/// Every sequence of dealer's cards from an up card, whatever the shoe.
///
/// Without replacement, order does not affect the chance: sequences are grouped by cards, hundreds instead of tens of thousands.
struct DealerPaths {
    fileprivate struct Path {
        /// The range of its cards in `cards`.
        var range: Range<Int>
        /// 0…4: 17…21; 5: bust; 6: blackjack.
        var final: Int
        var orders: Double
    }

    fileprivate private(set) var paths: [Path] = []
    /// The points of the cards drawn, path after path.
    fileprivate private(set) var cards: [Int] = []
    /// The length of the longest path.
    fileprivate private(set) var mostCards = 0

    init(up: Int, rules: HouseRules) {
        // Four bits per card value: no dealer's hand has sixteen of one.
        var found: [UInt64: (final: Int, orders: Double)] = [:]
        func draw(_ hand: HandValue, _ drawn: UInt64) {
            if hand.count >= 2, hand.isTwoCard21 || !rules.dealerDraws(to: hand) {
                let final = hand.isTwoCard21 ? 6 : hand.total > 21 ? 5 : hand.total - 17
                found[drawn, default: (final, 0)].orders += 1
                return
            }
            for points in 1...10 {
                draw(hand.adding(Rank(points: points)), drawn + 1 << UInt64(4 * points))
            }
        }
        draw(HandValue().adding(Rank(points: up)), 0)
        for (drawn, way) in found.sorted(by: { $0.key < $1.key }) {
            let start = cards.count
            for points in 1...10 {
                for _ in 0..<Int(drawn >> UInt64(4 * points) & 15) { cards.append(points) }
            }
            paths.append(Path(range: start..<cards.count, final: way.final, orders: way.orders))
            mostCards = max(mostCards, cards.count - start)
        }
    }
}

/// The probabilities of the dealer's finals; their sum is 1.
struct DealerFinals {
    /// 17…21 at 0…4, bust at 5.
    var totals = InlineArray<6, Double>(repeating: 0)
    /// A blackjack, not included in `totals`.
    var blackjack = 0.0

    /// For a shoe without the up card, without replacement.
    init(_ dealer: DealerPaths, shoe: Composition) {
        // The reciprocal of the number of ways to draw n cards in order.
        var share = [1.0]
        for drawn in 0..<dealer.mostCards { share.append(share[drawn] / (shoe.total - Double(drawn))) }
        dealer.cards.withUnsafeBufferPointer { cards in
            for path in dealer.paths {
                let chance = Self.chance(path.orders * share[path.range.count], of: cards[path.range], shoe)
                if path.final == 6 { blackjack += chance } else { totals[path.final] += chance }
            }
        }
    }

    /// A chance times the numbers of cards that are left at each draw. A loop over a buffer: ranges of arrays are twice as slow in a debug
    /// build, where tests compute many charts.
    private static func chance(
        _ start: Double, of cards: Slice<UnsafeBufferPointer<Int>>, _ shoe: Composition
    ) -> Double {
        let cards = UnsafeBufferPointer(rebasing: cards)
        var (chance, last, drawn, next) = (start, 0, 0.0, 0)
        while next < cards.count {
            let points = cards[next]
            drawn = points == last ? drawn + 1 : 0
            // Drawing more cards than present has chance 0.
            chance *= max(0, shoe[points] - drawn)
            last = points
            next += 1
        }
        return chance
    }
}
