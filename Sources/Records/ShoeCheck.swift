import Fairness
import Rules
import TableEngine

/// The order of a shoe, recomputed from its key: what the audit compares cards with. Independent of the table's own shoe.
struct ShoeCheck {
    private let decks: Int
    private var source: ShoeSource?
    private var order: [Card] = []
    private(set) var drawn = 0
    private var segment = 0
    /// The first card of this round, and the first card not yet reshuffled.
    private var roundStart = 0
    private var discardsStart = 0

    init(decks: Int) { self.decks = decks }

    /// Continues a saved shoe.
    /// - Returns: nil if its order is not that of its key. Reshuffled cards, at the end, cannot be recomputed.
    init?(_ saved: Table.SavedShoe, decks: Int) {
        self.init(decks: decks)
        guard let source = saved.source else { return }
        shuffle(source)
        guard saved.order.starts(with: order) else { return nil }
        order = saved.order
        drawn = saved.position
        segment = saved.segment
        roundStart = saved.roundStart
        discardsStart = saved.discardsStart
    }

    mutating func shuffle(_ source: ShoeSource) {
        self.source = source
        order = Self.shuffled(fresh, by: source)
        (drawn, segment, roundStart, discardsStart) = (0, 0, 0, 0)
    }

    /// False unless the shoe has run out, and so many cards are reshuffled.
    mutating func reshuffle(_ count: Int) -> Bool {
        guard let source, drawn == order.count else { return false }
        segment += 1
        let discards = roundStart > discardsStart ? Array(order[discardsStart..<roundStart]) : fresh
        guard count == discards.count else { return false }
        order += Self.shuffled(discards, by: source.segment(segment))
        discardsStart = roundStart
        return true
    }

    mutating func startRound() { roundStart = drawn }

    /// Draws the next card; nil if the shoe is over or the id is not the next one.
    mutating func draw(_ id: CardID) -> Card? {
        guard Int(id.rawValue) == drawn, drawn < order.count else { return nil }
        defer { drawn += 1 }
        return order[drawn]
    }

    private var fresh: [Card] { (0..<decks).flatMap { _ in Card.deck } }

    private static func shuffled(_ cards: [Card], by source: ShoeSource) -> [Card] {
        var cards = cards
        switch source {
        case .keyed(let key):
            var stream = ShoeStream(key)
            stream.shuffle(&cards)
        case .seeded:
            cards.withUnsafeMutableBufferPointer { source.shuffle($0) }
        }
        return cards
    }
}
