import Rules

/// The value of some cards (N.J. Admin. Code 13:69F-2.2), without `Rules`' own counting, which is judged too.
struct HandTotal: Equatable, Sendable {
    /// One ace counts 11 where that makes 21 or less, every other ace 1.
    private(set) var points = 0
    /// Whether an ace counts 11.
    private(set) var isSoft = false
    private(set) var cards = 0

    init(_ cards: some Sequence<Card>) {
        var hasAce = false
        for card in cards {
            points += card.rank.points
            hasAce = hasAce || card.rank == .ace
            self.cards += 1
        }
        isSoft = hasAce && points + 10 <= 21
        if isSoft { points += 10 }
    }

    var isBust: Bool { points > 21 }

    /// A blackjack, unless the hand came of a split.
    var isTwoCard21: Bool { cards == 2 && points == 21 }
}
