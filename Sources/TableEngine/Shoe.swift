import Fairness
import Rules

/// Cards in drawing order: the index of a card is its id.
///
/// A shoe that runs out during a round grows at its end, so ids stay unique and drawn cards stay in place.
struct Shoe: Hashable, Sendable {
    /// 0 before the first shuffle.
    private(set) var number = 0
    var order: [Card] = []
    /// Unsigned, so that indexing needs no check for negative values.
    private var position: UInt32 = 0
    /// The source of the current order; nil before the first shuffle.
    private(set) var source: ShoeSource?
    private(set) var segment = 0
    /// The index of the first card of this round. Cards from `discardsStart` to here are discarded.
    private(set) var roundStart = 0
    private(set) var discardsStart = 0

    /// A full shoe in the order of codes: the start of every shuffle.
    private let unshuffled: [Card]
    let cut: Int
    /// The order that a key gives, made before the shuffle; empty: none is.
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

    /// The ids of the discards that `reshuffle` adds; empty for a fresh set of packs.
    var reshuffleDiscards: Range<Int> { roundStart > discardsStart ? discardsStart..<roundStart : 0..<0 }

    /// The number of cards that `reshuffle` adds: the discards of earlier rounds, or, without any, a fresh set of packs. Cards in
    /// play never go back.
    var reshuffleCount: Int { roundStart > discardsStart ? roundStart - discardsStart : size }

    mutating func reshuffle() {
        guard let source else { preconditionFailure("only a shuffled shoe runs out") }
        let start = order.count
        if roundStart > discardsStart {
            // Appends one by one: a slice would retain the array and force a copy.
            for index in discardsStart..<roundStart { order.append(order[index]) }
        } else {
            order.append(contentsOf: unshuffled)
        }
        segment += 1
        let next = source.segment(segment)
        order.withUnsafeMutableBufferPointer { next.shuffle(UnsafeMutableBufferPointer(rebasing: $0[start...])) }
        discardsStart = roundStart
    }

    /// Continues a saved shoe; the caller supplies its order.
    mutating func set(
        number: Int, source: ShoeSource, position: Int, segment: Int, roundStart: Int, discardsStart: Int
    ) {
        self.number = number
        self.source = source
        self.position = UInt32(truncatingIfNeeded: position)
        self.segment = segment
        self.roundStart = roundStart
        self.discardsStart = discardsStart
    }

    mutating func startRound() { roundStart = drawn }

    var next: Card { order[Int(position)] }

    mutating func draw() { position &+= 1 }

    subscript(id: CardID) -> Card { order[Int(id.rawValue)] }
}

extension Shoe {
    /// The source determines the order.
    func hash(into hasher: inout Hasher) {
        hasher.combine(number)
        hasher.combine(source)
        hasher.combine(drawn)
        hasher.combine(segment)
    }
}
