import Rules

/// Every player's hand that is not bust, as a multiset of cards, and the hand that each next card makes of it.
///
/// Hands are numbered in the order in which values are computed: a card leads to a row of the chart that comes before, and stays in its row
/// only from two aces to three. The inner loops read flat buffers: with arrays a debug build takes three times as long.
final class HandGraph: @unchecked Sendable {  // Nothing writes to the buffers after `init`.
    /// Hands in order of evaluation.
    struct HandSet {
        let count: Int
        let hands: UnsafeMutablePointer<Int>
        /// The range of `hands` of each row.
        let rows: [Range<Int>]
    }

    /// Hands; the number `count` stands for every bust one.
    let count: Int
    /// By hand and points: the hand with that card, and the number of such cards in the hand.
    let next: UnsafeMutablePointer<Int>
    let cards: UnsafeMutablePointer<Double>
    let values: [HandValue]
    let size: UnsafeMutablePointer<Int>
    let total: UnsafeMutablePointer<Int>
    /// `HandValue.tableIndex` of each hand.
    let state: UnsafeMutablePointer<Int>
    /// The hands of one card, and of two, by points.
    let single: [Int]
    let pairs: [[Int]]
    /// Rows of totals in order of evaluation.
    let rows: [StrategyChart.Row]
    /// All hands at 0, those with a card of so many points at 1…10, with two such cards at 11…20.
    let sets: [HandSet]
    /// By the dealer's play on a soft 17, and the points of the up card.
    private let dealers = [true, false].map { hits in (1...10).map { DealerGraph(up: $0, hitsSoft17: hits) } }

    static let shared = HandGraph()

    private init() {
        var found: [(key: UInt64, value: HandValue)] = []
        func add(_ key: UInt64, _ value: HandValue, from least: Int) {
            if value.count > 0 { found.append((key, value)) }
            for points in least...10 where Int(value.hard) + points <= 21 {
                add(key + 1 << UInt64(5 * points), value.adding(Rank(points: points)), from: points)
            }
        }
        add(0, HandValue(), from: 1)
        found.sort { (Self.order($0.value), $0.key) < (Self.order($1.value), $1.key) }
        count = found.count
        values = found.map(\.value)
        var index: [UInt64: Int] = [:]
        for (hand, entry) in found.enumerated() { index[entry.key] = hand }
        var (next, cards, rows): ([Int], [Double], [StrategyChart.Row]) = ([], [], [])
        var lists = Array(repeating: [(hand: Int, row: Int)](), count: 21)
        for (hand, entry) in found.enumerated() {
            let row = StrategyChart.row(of: entry.value)
            if rows.last != row { rows.append(row) }
            lists[0].append((hand, rows.count - 1))
            for points in 1...10 {
                let held = entry.key >> UInt64(5 * points) & 31
                if held > 0 { lists[points].append((hand, rows.count - 1)) }
                if held > 1 { lists[10 + points].append((hand, rows.count - 1)) }
                cards.append(Double(held))
                next.append(index[entry.key + 1 << UInt64(5 * points)] ?? found.count)
            }
        }
        let single = [-1] + (1...10).map { index[1 << UInt64(5 * $0)] ?? -1 }
        pairs = [[]] + (1...10).map { first in [-1] + (1...10).map { next[10 * single[first] + $0 - 1] } }
        (self.single, self.rows) = (single, rows)
        (self.next, self.cards) = (Self.buffer(next), Self.buffer(cards))
        size = Self.buffer(values.map { Int($0.count) })
        total = Self.buffer(values.map(\.total))
        state = Self.buffer(values.map(\.tableIndex))
        sets = lists.map { list in
            let ranges = rows.indices.map { row -> Range<Int> in
                let start = list.firstIndex { $0.row >= row } ?? list.count
                return start..<(list[start...].firstIndex { $0.row > row } ?? list.count)
            }
            return HandSet(count: list.count, hands: Self.buffer(list.map(\.hand)), rows: ranges)
        }
    }

    /// The hand of these cards; nil: none, or bust.
    func hand(of cards: [Rank]) -> Int? {
        guard let first = cards.first else { return nil }
        let hand = cards.dropFirst().reduce(single[first.points]) { $0 < count ? next[10 * $0 + $1.points - 1] : count }
        return hand < count ? hand : nil
    }

    /// Totals from 12 down before soft hands, those before the totals from 11 down; within a row the larger hard total first.
    private static func order(_ value: HandValue) -> Int {
        let last = 21 - Int(value.hard)
        switch StrategyChart.row(of: value) {
        case .hard(let total) where total >= 12: return 100 * (21 - total) + last
        case .soft(let total): return 100 * (41 - total) + last
        case .hard(let total), .pair(let total): return 100 * (61 - total) + last
        }
    }

    func dealer(up: Int, _ rules: HouseRules) -> DealerGraph { dealers[rules.soft17 == .hit ? 0 : 1][up - 1] }

    fileprivate static func buffer<Element>(_ elements: [Element]) -> UnsafeMutablePointer<Element> {
        let buffer = UnsafeMutablePointer<Element>.allocate(capacity: elements.count)
        elements.withUnsafeBufferPointer { if let base = $0.baseAddress { buffer.initialize(from: base, count: $0.count) } }
        return buffer
    }
}

/// The dealer's draws from an up card to a final of 17 to 21, by the cards drawn in any order.
///
/// Without replacement, order does not affect the chance: hundreds of multisets instead of tens of thousands of sequences. Each is a leaf of a
/// tree whose steps add a card of the same points or higher, so that its chance is its parent's times one factor. Bust hands and blackjacks are
/// left out: they are the rest. The buffers are never freed, as those of ``HandGraph``.
final class DealerGraph {
    /// A draw: the step before, the index of the card's points, and the number of such cards drawn before.
    typealias Step = (parent: Int32, rank: Int32, used: Double)

    let steps: UnsafeMutablePointer<Step>
    let stepCount: Int
    /// The last step of each leaf, its number of cards, and the number of orders that they come in; sorted by final, 21 first.
    let leaves: UnsafeMutablePointer<Step>
    let leafCount: Int
    let length: UnsafeMutablePointer<Int>
    let orders: UnsafeMutablePointer<Double>
    /// By points, 0…10, and leaf: the number of such cards drawn.
    let drawn: UnsafeMutablePointer<Int>
    /// The end of the leaves of at least 17 + index.
    let end: [Int]

    fileprivate init(up: Int, hitsSoft17: Bool) {
        // The number of orders in which the dealer draws each multiset, cards of the same points being equal.
        var open: [UInt64: (value: HandValue, orders: Double)] = [0: (HandValue().adding(Rank(points: up)), 1)]
        var finals: [(key: UInt64, total: Int, orders: Double)] = []
        while !open.isEmpty {
            var longer: [UInt64: (value: HandValue, orders: Double)] = [:]
            for (key, hand) in open {
                for points in 1...10 {
                    let value = hand.value.adding(Rank(points: points))
                    if value.isBust || value.isTwoCard21 { continue }
                    longer[key + 1 << UInt64(5 * points), default: (value, 0)].orders += hand.orders
                }
            }
            open = longer
            for (key, hand) in longer where hand.value.total > 17 || hand.value.total == 17 && !(hitsSoft17 && hand.value.isSoft)
            {
                finals.append((key, hand.value.total, hand.orders))
                open[key] = nil
            }
        }
        finals.sort { ($1.total, $0.key) < ($0.total, $1.key) }
        end = (17...21).map { least in finals.count { $0.total >= least } }
        var (steps, place): ([Step], [UInt64: Int32]) = ([(0, 0, 0)], [0: 0])
        /// The last step to a multiset; adds those before.
        func step(to key: UInt64) -> Step {
            var highest = 10
            while Self.count(key, highest) == 0 { highest -= 1 }
            let before = key - 1 << UInt64(5 * highest)
            if place[before] == nil {
                let step = step(to: before)
                place[before] = Int32(steps.count)
                steps.append(step)
            }
            return (place[before] ?? 0, Int32(highest - 1), Double(Self.count(before, highest)))
        }
        (leaves, leafCount) = (HandGraph.buffer(finals.map { step(to: $0.key) }), finals.count)
        (self.steps, stepCount) = (HandGraph.buffer(steps), steps.count)
        length = HandGraph.buffer(finals.map { final in (1...10).reduce(0) { $0 + Self.count(final.key, $1) } })
        orders = HandGraph.buffer(finals.map(\.orders))
        drawn = HandGraph.buffer((0...10).flatMap { points in finals.map { Self.count($0.key, points) } })
    }

    private static func count(_ key: UInt64, _ points: Int) -> Int { Int(key >> UInt64(5 * points) & 31) }
}
