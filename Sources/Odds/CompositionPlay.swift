import Rules

/// Best play by the cards of the hand from a fresh shoe: the play whose edge is `Edge(ofBestPlayUnder:)`.
public struct CompositionPlay: Sendable {
    /// By a hand and its up card: actions, the best first, three bits each.
    private var orders: [UInt64: UInt32] = [:]

    /// Takes some tenths of a second of a processor.
    public init(under rules: HouseRules) {
        let graph = HandGraph.shared
        for up in 1...10 {
            let solver = UpCardSolver(rules, Composition(decks: rules.decks), up: up, Stakes(rules, bet: nil))
            solver.forEachHand { hand, split, actions in
                let cards = (1...10).reduce(UInt64(0)) {
                    $0 + UInt64(graph.cards[10 * hand + $1 - 1]) * Self.code(of: Rank(points: $1))
                }
                orders[Self.key(cards, up, split)] = actions.reversed().reduce(0) { $0 << 3 | UInt32($1.rawValue) }
            }
        }
    }

    /// A card in the sum that stands for a hand: five bits for the number of cards of each points.
    public static func code(of rank: Rank) -> UInt64 { 1 << UInt64(5 * (rank.points - 1)) }

    private static func key(_ cards: UInt64, _ up: Int, _ split: Int) -> UInt64 { cards | UInt64(up) << 50 | UInt64(split) << 54 }

    /// The best legal action; insurance is declined.
    ///
    /// - Parameters:
    ///   - cards: the sum of the cards' codes.
    ///   - split: the points of the pair that the hand was split from; 0: dealt.
    public func action(of cards: UInt64, up: Rank, split: Int = 0, legal: ActionSet) -> Action {
        guard var order = orders[Self.key(cards, up.points, split)] else { return legal.contains(.decline) ? .decline : .stand }
        let best = Action(rawValue: UInt8(order & 7))
        if legal.contains(.decline) { return best == .surrender && legal.contains(.surrender) ? .surrender : .decline }
        for _ in 0..<5 {
            if let action = Action(rawValue: UInt8(order & 7)), legal.allows(action) { return action }
            order >>= 3
        }
        return .stand
    }
}
