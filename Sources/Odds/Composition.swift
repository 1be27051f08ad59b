import Rules

/// The number of cards of each rank in a shoe: whole, or the expected ones at a count.
public struct Composition: Hashable, Sendable {
    /// By rank, the ace first.
    private var ranks: [Double]

    /// A full shoe.
    public init(decks: Int) { ranks = Array(repeating: Double(4 * decks), count: 13) }

    public init(_ cards: some Sequence<Rank>) {
        ranks = Array(repeating: 0, count: 13)
        for card in cards { ranks[Int(card.rawValue)] += 1 }
    }

    /// The number of cards.
    public var total: Double { ranks.reduce(0, +) }

    /// The sum of all points, an ace as 1. A round of one hand cannot run out of 48.
    public var points: Double { (1...10).reduce(0) { $0 + Double($1) * self[$1] } }

    /// The number of cards of a rank.
    public subscript(rank: Rank) -> Double {
        get { ranks[Int(rank.rawValue)] }
        set { ranks[Int(rank.rawValue)] = newValue }
    }

    /// The number of cards of `points`, 1 (ace)…10.
    public subscript(points: Int) -> Double { points < 10 ? ranks[points - 1] : ranks[9...].reduce(0, +) }

    /// The chance that so many ten-valued cards, drawn from all of them, have one rank.
    func chanceOfOneRank(tens: Int) -> Double {
        let all = Self.ways(tens, of: self[10])
        return all == 0 ? 0 : ranks[9...].reduce(0) { $0 + Self.ways(tens, of: $1) } / all
    }

    /// The chance that so many ten-valued cards, drawn from all of them, are of a rank.
    func chance(of rank: Rank, tens: Int) -> Double {
        let all = Self.ways(tens, of: self[10])
        return all == 0 ? 0 : Self.ways(tens, of: self[rank]) / all
    }

    /// The number of orders in which so many cards come out of a number of them.
    private static func ways(_ drawn: Int, of count: Double) -> Double {
        (0..<drawn).reduce(1) { $0 * max(0, count - Double($1)) }
    }
}
