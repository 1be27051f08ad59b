import Rules

/// The cards in the order in which they are drawn: a card's place is its id.
///
/// A shoe that runs out during a round grows at its end: ids go on counting, and what was drawn stays where it is.
struct Shoe: Hashable, Sendable {
    /// 0 before the first shuffle.
    private(set) var number = 0
    var order: [Card] = []
    /// Unsigned, so that a place below 0 need not be looked for at each draw.
    private var position: UInt32 = 0
    /// The source of the order in force; nil before the first shuffle.
    private(set) var source: ShoeSource?
    private(set) var segment = 0
    /// The first card drawn in this round; what lies before it, from `discardsStart` on, is discarded.
    private(set) var roundStart = 0
    private(set) var discardsStart = 0

    /// A full shoe in the order of codes, the start of every shuffle.
    private let unshuffled: [Card]
    let cut: Int

    init(_ rules: HouseRules) {
        unshuffled = (0..<rules.decks).flatMap { _ in Card.deck }
        cut = rules.cardsBeforeCut
        // Room for one reshuffle of nearly a whole shoe, so that even then nothing is allocated.
        order.reserveCapacity(2 * unshuffled.count)
    }

    var size: Int { unshuffled.count }

    /// How many cards are drawn, burned ones included.
    @inline(__always)
    var drawn: Int { Int(position) }

    var isExhausted: Bool { drawn == order.count }
    var remaining: Int { order.count - drawn }

    /// Whether the cut card would be the first card of the next round: then the shoe is shuffled before it.
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
            // Every shuffle starts from the same order, so that a shoe follows from its source alone.
            unshuffled.withUnsafeBufferPointer { _ = cards.update(fromContentsOf: $0) }
            source.shuffle(cards)
        }
    }

    /// How many cards `reshuffle` would bring back: the discards of earlier rounds, or, when there are none, a whole new set of packs,
    /// because cards in play never go back and a round is never void.
    var reshuffleCount: Int { roundStart > discardsStart ? roundStart - discardsStart : size }

    mutating func reshuffle() {
        guard let source else { preconditionFailure("only a shuffled shoe runs out") }
        let start = order.count
        if roundStart > discardsStart {
            // One by one: a slice would share the memory that is appended to, and so have it copied.
            for place in discardsStart..<roundStart { order.append(order[place]) }
        } else {
            order.append(contentsOf: unshuffled)
        }
        segment += 1
        let next = source.segment(segment)
        order.withUnsafeMutableBufferPointer { next.shuffle(UnsafeMutableBufferPointer(rebasing: $0[start...])) }
        discardsStart = roundStart
    }

    mutating func startRound() { roundStart = drawn }

    @inline(__always)
    var next: Card { order[Int(position)] }

    @inline(__always)
    mutating func draw() { position &+= 1 }

    @inline(__always)
    subscript(id: CardID) -> Card { order[Int(id.rawValue)] }
}

extension Shoe {
    /// The order follows from what is hashed here.
    func hash(into hasher: inout Hasher) {
        hasher.combine(number)
        hasher.combine(source)
        hasher.combine(drawn)
        hasher.combine(segment)
    }
}
