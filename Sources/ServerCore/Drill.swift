import Fairness
import Rules
import TableEngine

/// Chooses shoes whose first round deals a hand to practise to the first seat, for a table that is shuffled before every round, without ceremonies.
public struct Drill: Sendable {
    public struct Deal: Hashable, Sendable {
        let hand: StrategyChart.Row
        /// The points of the dealer's card, 1 (ace)…10; nil for any.
        let upCard: Int?

        /// nil for a hand that two cards don't make, or that needs no decision.
        public init?(_ hand: StrategyChart.Row, upCard: Int? = nil) {
            switch hand {
            case .hard(20...), .soft(21...): return nil
            case .hard, .soft, .pair: (self.hand, self.upCard) = (hand, upCard)
            }
        }
    }

    private let deals: [Deal]
    private let rules: HouseRules
    /// Hands of a round.
    private let hands: Int
    private let unshuffled: [Card]

    /// - Parameter deals: each as often as any other; at least one.
    public init(_ deals: [Deal], rules: HouseRules, hands: Int) {
        precondition(!deals.isEmpty, "a drill has something to deal")
        (self.deals, self.rules, self.hands) = (deals, rules, hands)
        unshuffled = (0..<rules.decks).flatMap { _ in Card.deck }
    }

    /// Shoes looked at for one round: of the rarest deal, a pair of aces against an ace, 1 in 2,900.
    private static let limit = 50_000

    /// A key that follows from another, and whose shoe begins with one of the deals.
    func key(from key: ShoeKey) -> ShoeKey {
        let number = key.bytes.prefix(8).reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
        let deal = deals[Int(number % UInt64(deals.count))]
        var cards = unshuffled
        for attempt in 1...Self.limit {
            let next = key.segment(attempt)
            for index in cards.indices { cards[index] = unshuffled[index] }
            cards.withUnsafeMutableBufferPointer { ShoeSource.keyed(next).shuffle($0) }
            if begins(cards[rules.burn...], with: deal) { return next }
        }
        return key
    }

    /// Cards are dealt to each hand, to the dealer, to each hand, and to the dealer, whose blackjack would leave nothing to decide.
    private func begins(_ cards: ArraySlice<Card>, with deal: Deal) -> Bool {
        func card(_ index: Int) -> Card { cards[cards.startIndex + index] }
        let (own, up) = ([card(0), card(hands + 1)], card(hands))
        let isPair = own[0].rank.points == own[1].rank.points
        guard (isPair ? .pair(own[0].rank.points) : StrategyChart.row(of: HandValue(own))) == deal.hand,
            deal.upCard.map({ $0 == up.rank.points }) ?? true
        else { return false }
        return rules.holeCard != .peek || HandValue([up, card(2 * hands + 1)]).total != 21
    }
}
