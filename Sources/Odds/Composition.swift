import Rules

/// The number of cards of each rank in a shoe.
public struct Composition: Hashable, Sendable {
    /// By rank, the ace first.
    private var ranks: [Int]

    /// A full shoe.
    public init(decks: Int) { ranks = Array(repeating: 4 * decks, count: 13) }

    public init(_ cards: some Sequence<Rank>) {
        ranks = Array(repeating: 0, count: 13)
        for card in cards { ranks[Int(card.rawValue)] += 1 }
    }

    public var total: Int { ranks.reduce(0, +) }

    /// The number of cards of `points`, 1 (ace)…10.
    public subscript(points: Int) -> Int { points < 10 ? ranks[points - 1] : ranks[9...].reduce(0, +) }

    /// The chance that so many ten-valued cards, drawn from all of them, have one rank.
    func chanceOfOneRank(tens: Int) -> Double {
        func ways(_ count: Int) -> Double { (0..<tens).reduce(1) { $0 * Double(max(0, count - $1)) } }
        let all = ways(self[10])
        return all == 0 ? 0 : ranks[9...].reduce(0) { $0 + ways($1) } / all
    }
}
