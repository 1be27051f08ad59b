import Rules

/// What statistics ask about a round that is over.
package struct RoundReview {
    package var upCard: Rank
    /// The dealer's hand played to its end, though perhaps nobody was left to play against.
    package var dealer: HandValue
    /// Players' hands that were blackjacks, whatever became of them.
    package var blackjacks: Int
}

extension Table {
    /// Looks back on the last round, before the next one begins.
    ///
    /// Reads cards that are not drawn yet where the dealer had no reason to draw: else the dealer's finals would be those of rounds
    /// in which a player stood, which are not the same. So it is for statistics in this package, and for nobody who plays.
    package func review() -> RoundReview {
        var dealer = state.dealer.value
        var next = state.shoe.drawn
        while dealer.count < 2 || rules.dealerDraws(to: dealer), next < state.shoe.order.count {
            dealer.add(state.shoe.order[next].rank)
            next += 1
        }
        return RoundReview(upCard: state.dealer.upCard, dealer: dealer, blackjacks: state.naturals)
    }
}
