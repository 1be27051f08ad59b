import Rules

/// Figures of many rounds: what is counted while they are played, and what is counted after each.
package struct RoundStatistics: FactSink {
    package private(set) var tally = RoundTally()
    /// Players' hands that were blackjacks, whatever became of them.
    package private(set) var blackjacks = 0
    /// How dealers' hands ended: for each rank of the up card eight counts, of hands that a shoe left unfinished, of 17…21, of busts, and
    /// of blackjacks. Laid out so that counting takes no jump.
    private var ends = InlineArray<128, Int>(repeating: 0)

    package init() {}

    @inline(__always)
    package mutating func receive(_ fact: Fact) { tally.receive(fact) }

    /// Counts what is seen when a round is over.
    @inline(__always)
    package mutating func count(_ review: RoundReview) {
        blackjacks &+= review.blackjacks
        let end = review.dealer.isTwoCard21 ? 7 : min(max(review.dealer.total, 16), 22) &- 16
        ends[Int(review.upCard.rawValue & 15) &* 8 | end & 7] &+= 1
    }

    /// How many dealers' hands with an up card of this rank ended as 17…21, blackjack and bust.
    package func finals(_ up: Rank) -> [Int] {
        [1, 2, 3, 4, 5, 7, 6].map { ends[Int(up.rawValue) * 8 + $0] }
    }
}

/// What statistics ask about a round that is over.
package struct RoundReview {
    package var upCard: Rank
    /// The dealer's hand played to its end, though perhaps nobody was left to play against.
    package var dealer: HandValue
    /// Players' hands that were blackjacks, whatever became of them.
    package var blackjacks: Int
}

extension TableState {
    /// The last round, seen before the next one begins.
    @inline(always)
    var review: RoundReview {
        var hand = dealer.value
        var next = shoe.drawn
        while hand.count < 2 || legality.dealerDraws(to: hand), next < shoe.order.count {
            hand = hand.adding(increment: CardIncrements[shoe.order[next]])
            next &+= 1
        }
        return RoundReview(upCard: dealer.upCard, dealer: hand, blackjacks: naturals)
    }
}

extension Table {
    /// Looks back on the last round, before the next one begins.
    ///
    /// Reads cards that are not drawn yet where the dealer had no reason to draw: else the dealer's finals would be those of rounds
    /// in which a player stood, which are not the same. So it is for statistics in this package, and for nobody who plays.
    package func review() -> RoundReview { state.review }

    /// Plays rounds as `playRound` does and counts them, until `most` are played or the table needs another shoe source.
    /// - Returns: how many were played.
    @specialized(where Player == StrategyChart)
    package mutating func playRounds<Player: Strategy>(
        _ most: Int, bet: Int, by player: inout Player, at now: Moment, into statistics: inout RoundStatistics
    ) throws(Rejection) -> Int {
        own()
        return try state.playRounds(most, bet: bet, by: &player, now, &statistics)
    }
}

extension TableState {
    func playRounds<Player: Strategy>(
        _ most: Int, bet: Int, by player: inout Player, _ now: Moment, _ statistics: inout RoundStatistics
    ) throws(Rejection) -> Int {
        let isTaken = takes(bet: bet)
        var played = 0
        while played < most, nextSource != nil {
            try playRound(bet: bet, isTaken: isTaken, by: &player, now, &statistics)
            statistics.count(review)
            played &+= 1
        }
        return played
    }
}
