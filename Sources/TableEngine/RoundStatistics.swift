import Rules

/// Statistics over many rounds: counts of facts, and of the final state of each round.
package struct RoundStatistics: FactSink {
    package private(set) var tally = RoundTally()
    /// Blackjacks of players, whatever their outcome.
    package private(set) var blackjacks = 0
    /// Counts of the dealer's finals, eight per rank of the up card: unfinished, 17…21, bust, blackjack. Indexed, so that counting
    /// takes no branch.
    private var ends = InlineArray<128, Int>(repeating: 0)

    package init() {}

    package mutating func receive(_ fact: Fact) { tally.receive(fact) }

    /// Counts the final state of a round.
    package mutating func count(_ review: RoundReview) {
        blackjacks &+= review.blackjacks
        let end = review.dealer.isTwoCard21 ? 7 : min(max(review.dealer.total, 16), 22) &- 16
        ends[Int(review.upCard.rawValue & 15) &* 8 | end & 7] &+= 1
    }

    /// The dealer's finals with an up card of this rank: 17…21, blackjack, bust.
    package func finals(_ up: Rank) -> [Int] {
        [1, 2, 3, 4, 5, 7, 6].map { ends[Int(up.rawValue) * 8 + $0] }
    }
}

/// The final state of a round, for statistics.
package struct RoundReview {
    package var upCard: Rank
    /// The dealer's hand played out, even if no hand was left to play against.
    package var dealer: HandValue
    /// Blackjacks of players, whatever their outcome.
    package var blackjacks: Int
}

extension TableState {
    /// Reviews the last round. Valid before the next one begins.
    var review: RoundReview {
        var hand = core.dealer.value
        var next = core.shoe.drawn
        while hand.count < 2 || legality.dealerDraws(to: hand), next < core.shoe.order.count {
            hand = hand.adding(increment: CardIncrements[core.shoe.order[next]])
            next &+= 1
        }
        return RoundReview(upCard: core.dealer.upCard, dealer: hand, blackjacks: core.naturals)
    }
}

extension Table {
    /// Reviews the last round, before the next one begins. For statistics only: reads undrawn cards.
    ///
    /// Without them the dealer's finals would cover only rounds in which a player stood, a different distribution.
    package func review() -> RoundReview { state.review }

    /// Plays and counts rounds like `playRound`, until `most` are played or the table needs another shoe source.
    /// - Returns: the number of rounds played.
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
        while played < most, core.nextSource != nil {
            try playRound(bet: bet, isTaken: isTaken, by: &player, now, &statistics)
            statistics.count(review)
            played &+= 1
        }
        return played
    }
}
