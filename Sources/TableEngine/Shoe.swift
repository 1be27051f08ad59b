import Fairness
import Rules

/// Cards in drawing order. The index of a card is its id.
///
/// A shoe that runs out during a round grows at its end, so ids stay unique and drawn cards stay in place.
package struct Shoe: Equatable, Sendable {
    /// 0 before the first shuffle.
    package var number = 0
    package var order: [Card] = []
    /// Unsigned, so that indexing needs no check for negative values.
    package var position: UInt32 = 0
    /// The source of the current order; nil before the first shuffle.
    package var source: ShoeSource?
    package var segment = 0
    /// The index of the first card of this round. Cards from `discardsStart` to here are discarded.
    package var roundStart = 0
    package var discardsStart = 0

    /// A full shoe in the order of codes: the start of every shuffle.
    private let unshuffled: [Card]
    let cut: Int
    /// The order that `preparedSource` gives, made before the shuffle; empty without one.
    private var prepared: [Card] = []
    private var preparedSource: ShoeSource?

    init(_ rules: HouseRules) {
        unshuffled = (0..<rules.decks).flatMap { _ in Card.deck }
        cut = rules.cardsBeforeCut
        // Room for one reshuffle of nearly a whole shoe, so that a reshuffle allocates nothing.
        order.reserveCapacity(2 * unshuffled.count)
    }

    var size: Int { unshuffled.count }

    /// The number of cards drawn, burned ones included.
    var drawn: Int { Int(position) }

    var isExhausted: Bool { drawn >= order.count }

    var remaining: Int { order.count - drawn }

    /// Whether the cut card has been reached; the shoe is then shuffled before the next round.
    var cutReached: Bool { drawn >= cut }

    mutating func shuffle(_ source: ShoeSource, number: Int) {
        self.number = number
        self.source = source
        segment = 0
        position = 0
        roundStart = 0
        discardsStart = 0
        if order.count != size {
            order.removeAll(keepingCapacity: true)
            order.append(contentsOf: unshuffled)
        }
        order.withUnsafeMutableBufferPointer { cards in
            // Starts from a fixed order, so that the shoe follows from its source alone.
            let isPrepared = preparedSource == source
            (isPrepared ? prepared : unshuffled).withUnsafeBufferPointer { _ = cards.update(fromContentsOf: $0) }
            if !isPrepared { source.shuffle(cards) }
        }
        if preparedSource != nil { (preparedSource, prepared) = (nil, []) }
    }

    /// Makes the order of a key without touching the shoe.
    /// - Returns: its digest.
    mutating func prepare(_ key: ShoeKey) -> Digest {
        prepared = unshuffled
        preparedSource = .keyed(key)
        prepared.withUnsafeMutableBufferPointer { ShoeSource.keyed(key).shuffle($0) }
        return key.orderDigest(segment: 0, first: 0, codes: prepared.map(\.code))
    }

    /// The digest of the cards from an index on: those of the segment in play.
    func orderDigest(_ key: ShoeKey, from first: Int) -> Digest {
        key.orderDigest(segment: segment, first: first, codes: order[first...].map(\.code))
    }

    /// The ids of the discards that `reshuffle` adds; empty for a fresh set of packs. Each range begins where the one before ended.
    var reshuffleDiscards: Range<Int> { discardsStart..<roundStart }

    /// The number of cards that `reshuffle` adds: the discards of earlier rounds, or, without any, a fresh set of packs. Cards in
    /// play never go back.
    var reshuffleCount: Int { reshuffleDiscards.isEmpty ? size : reshuffleDiscards.count }

    mutating func reshuffle() {
        guard let source else { preconditionFailure("only a shuffled shoe runs out") }
        let start = order.count
        if reshuffleDiscards.isEmpty { order.append(contentsOf: unshuffled) }
        // Appends one by one: a slice would retain the array and force a copy.
        for index in reshuffleDiscards { order.append(order[index]) }
        segment += 1
        let next = source.segment(segment)
        order.withUnsafeMutableBufferPointer { next.shuffle(UnsafeMutableBufferPointer(rebasing: $0[start...])) }
        discardsStart = roundStart
    }

    /// Continues a saved shoe. A damaged one may not fit these rules.
    mutating func restore(_ saved: Shoe) throws(SavedTableError) {
        let count = saved.order.count
        let isWhole = saved.number == 0 ? count == 0 : saved.segment == 0 ? count == size : (size...1 << 16).contains(count)
        let isSane =
            isWhole && (saved.number == 0) == (saved.source == nil) && (0...1 << 53).contains(saved.number)
            && (0...(saved.number == 0 ? 0 : 1 << 16)).contains(saved.segment) && saved.drawn <= count
            && (0...saved.drawn).contains(saved.roundStart) && (0...saved.roundStart).contains(saved.discardsStart)
        guard isSane else { throw SavedTableError("shoe") }
        (number, source, position, segment) = (saved.number, saved.source, saved.position, saved.segment)
        (roundStart, discardsStart) = (saved.roundStart, saved.discardsStart)
        // Keeps the capacity for a reshuffle.
        order.append(contentsOf: saved.order)
    }

    /// Makes the next round begin with a shuffle.
    mutating func end() { position = UInt32(max(drawn, cut)) }

    mutating func startRound() { roundStart = drawn }

    /// Inlined by force: a call copies the table's core; a round of seven seats takes 11 % longer, one of one seat 5 %.
    @inline(always)
    var next: Card { order[Int(position)] }

    mutating func draw() { position &+= 1 }

    package subscript(id: CardID) -> Card { order[Int(id.rawValue)] }
}

/// The source of a shoe's order. A table draws no randomness of its own.
public enum ShoeSource: Hashable, Sendable {
    /// The provable shuffle: the word stream of a key.
    case keyed(ShoeKey)
    /// A fast generator for simulations. Predictable: never for real chips.
    case seeded(UInt64)

    /// The source of segment n ≥ 1 of the same shoe.
    package func segment(_ n: Int) -> ShoeSource {
        switch self {
        case .keyed(let key): return .keyed(key.segment(n))
        case .seeded(let seed):
            var mix = SeededStream(seed: seed &+ UInt64(n) &* 0x9e37_79b9_7f4a_7c15)
            return .seeded(mix.next64())
        }
    }

    /// Permutes cards by this source, starting from their present order.
    package func shuffle(_ cards: UnsafeMutableBufferPointer<Card>) {
        switch self {
        case .keyed(let key):
            var cards = cards
            var stream = ShoeStream(key)
            stream.shuffle(&cards)
        case .seeded(let seed):
            var stream = SeededStream(seed: seed)
            stream.shuffle(cards)
        }
    }
}

/// xoshiro256++ 1.0 (Blackman and Vigna, 2019), seeded by SplitMix64: for simulations.
public struct SeededStream: Sendable {
    private var state: (UInt64, UInt64, UInt64, UInt64)

    public init(seed: UInt64) {
        var mix = seed
        func splitMix() -> UInt64 {
            mix &+= 0x9e37_79b9_7f4a_7c15
            var z = mix
            z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
            z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
            return z ^ (z >> 31)
        }
        state = (splitMix(), splitMix(), splitMix(), splitMix())
    }

    public mutating func next64() -> UInt64 {
        let sum = state.0 &+ state.3
        let result = (sum << 23 | sum >> 41) &+ state.0
        let shifted = state.1 << 17
        state.2 ^= state.0
        state.3 ^= state.1
        state.1 ^= state.2
        state.0 ^= state.3
        state.2 ^= shifted
        state.3 = state.3 << 45 | state.3 >> 19
        return result
    }

    /// A uniform number below `n`, 1 ≤ n < 2^32, from 32 bits: Lemire's multiplication with rejection.
    mutating func below(_ n: UInt32, bits: UInt32) -> UInt32 {
        var product = UInt64(bits) &* UInt64(n)
        if UInt32(truncatingIfNeeded: product) < n {
            let threshold = (0 &- n) % n
            while UInt32(truncatingIfNeeded: product) < threshold {
                product = (next64() >> 32) &* UInt64(n)
            }
        }
        return UInt32(truncatingIfNeeded: product >> 32)
    }

    /// A uniform number below `n`, 1 ≤ n < 2^32.
    public mutating func below(_ n: Int) -> Int {
        Int(below(UInt32(n), bits: UInt32(truncatingIfNeeded: next64() >> 32)))
    }

    /// Fisher–Yates; two draws of 32 bits from each word.
    mutating func shuffle(_ cards: UnsafeMutableBufferPointer<Card>) {
        guard cards.count > 1, let base = cards.baseAddress else { return }
        // The largest index not settled yet.
        var last = UInt32(cards.count - 1)
        while last >= 2 {
            let word = next64()
            swap(base, last, below(last &+ 1, bits: UInt32(truncatingIfNeeded: word)))
            swap(base, last &- 1, below(last, bits: UInt32(truncatingIfNeeded: word >> 32)))
            last &-= 2
        }
        if last == 1 { swap(base, 1, below(2, bits: UInt32(truncatingIfNeeded: next64()))) }
    }

    private func swap(_ base: UnsafeMutablePointer<Card>, _ i: UInt32, _ j: UInt32) {
        let card = base[Int(i)]
        base[Int(i)] = base[Int(j)]
        base[Int(j)] = card
    }
}

/// Up to 21 cards, stored inline; the hand's value holds the count.
///
/// A hand below 21 holds at most 20 cards, since each counts at least 1, and one more ends it: 21 suffice.
package struct CardStack: Sendable {
    package static let capacity = 21

    private var ids = InlineArray<21, CardID>(repeating: CardID(rawValue: 0))

    subscript(index: Int) -> CardID {
        get { ids[index] }
        set { ids[index] = newValue }
    }

    func prefix(_ value: HandValue) -> [CardID] { (0..<Int(value.count)).map { ids[$0] } }

    /// Cards without faces, and their count.
    /// - Precondition: at most ``capacity``.
    static func faceless(_ ids: [CardID]) -> (CardStack, HandValue) {
        var stack = CardStack()
        for (index, id) in ids.enumerated() { stack[index] = id }
        return (stack, HandValue(hard: 0, count: UInt8(ids.count), hasAce: false))
    }
}

/// Value increments of cards, indexed by card code.
enum CardIncrements {
    /// `HandValue.increment(of:)` for the 52 cards, suit by suit; a test compares them. A literal, so no lazy global; 64 entries,
    /// so the masked index is always in bounds.
    static let table: InlineArray<64, UInt32> = [
        0x10101, 0x102, 0x103, 0x104, 0x105, 0x106, 0x107, 0x108, 0x109, 0x10a, 0x10a, 0x10a, 0x10a,
        0x10101, 0x102, 0x103, 0x104, 0x105, 0x106, 0x107, 0x108, 0x109, 0x10a, 0x10a, 0x10a, 0x10a,
        0x10101, 0x102, 0x103, 0x104, 0x105, 0x106, 0x107, 0x108, 0x109, 0x10a, 0x10a, 0x10a, 0x10a,
        0x10101, 0x102, 0x103, 0x104, 0x105, 0x106, 0x107, 0x108, 0x109, 0x10a, 0x10a, 0x10a, 0x10a,
        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    ]

    static subscript(card: Card) -> UInt32 { table[Int(card.code & 63)] }
}
