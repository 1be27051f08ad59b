import Rules

/// The expected value of every play of a hand against an up card, in bets.
///
/// `shoe` lacks the up card and the hand's first two cards.
struct HandSolver {
    private let rules: HouseRules
    private let shoe: Composition
    private let up: Int
    /// The finals, given no dealer's blackjack.
    private let finals: DealerFinals
    private let blackjack: Double
    /// The value of playing on without doubling, by hard total and presence of an ace.
    private var played = InlineArray<44, Double>(repeating: -1)

    init(rules: HouseRules, shoe: Composition, up: Int, dealer: DealerPaths) {
        self.rules = rules
        self.shoe = shoe
        self.up = up
        var finals = DealerFinals(dealer, shoe: shoe)
        blackjack = finals.blackjack
        for i in 0..<6 { finals.totals[i] /= 1 - blackjack }
        self.finals = finals
        // Cards only increase the hard total, so the largest totals come first.
        for hard in stride(from: 21, through: 2, by: -1) {
            for hasAce in [false, true] {
                let hand = HandSolver.hand(hard: hard, hasAce: hasAce)
                played[index(hand)] = hand.total == 21 ? stand(hand) : max(stand(hand), hit(hand))
            }
        }
    }

    /// Any hand with this hard total; its cards do not matter here.
    private static func hand(hard: Int, hasAce: Bool) -> HandValue {
        var hand = HandValue()
        var rest = hard
        if hasAce {
            hand.add(.ace)
            rest -= 1
        }
        while rest > 0 {
            // Without an ace: twos and threes.
            let points = hasAce ? min(rest, 10) : rest == 3 ? 3 : min(2, rest)
            hand.add(Rank(points: points))
            rest -= points
        }
        return hand
    }

    private func index(_ hand: HandValue) -> Int { Int(hand.hard) * 2 + (hand.hasAce ? 1 : 0) }

    /// The value of each play at the first decision.
    func values(_ hand: HandValue, pair: Int?) -> PlayValues {
        let hit = hit(hand)
        var values = PlayValues()
        values.weight = 1
        values.stand = whole(stand(hand), extra: 0)
        values.hit = whole(hit, extra: 0)
        values.double = rules.double.allows(hand) ? whole(double(hand), extra: 1) : nil
        values.split = pair.flatMap { rules.maxHands > 1 ? whole(split($0), extra: 1) : nil }
        values.surrender = surrender
        return values
    }

    /// With a dealer's blackjack still possible, subtracts the bet, and by the rules also the chips added.
    private func whole(_ value: Double, extra: Double) -> Double {
        switch rules.holeCard {
        case .peek: asksBeforeThePeek ? (1 - blackjack) * value - blackjack : value
        case .none: (1 - blackjack) * value - blackjack * (1 + extra)
        case .original: (1 - blackjack) * value - blackjack
        }
    }

    private var upRank: Rank { Rank(points: up) }

    private var asksBeforeThePeek: Bool { rules.asksEarlySurrender(upCard: upRank) }

    private var surrender: Double? {
        switch rules.surrender {
        case .none: nil
        case .late: rules.holeCard == .peek ? -0.5 : -0.5 * (1 - blackjack) - blackjack
        case .early: -0.5
        case .earlyNotAce: up == 1 ? nil : -0.5
        }
    }

    private func stand(_ hand: HandValue) -> Double {
        if hand.isBust { return -1 }
        var value = finals.totals[5]
        for i in 0..<5 {
            let dealer = 17 + i
            if hand.total > dealer { value += finals.totals[i] } else if hand.total < dealer { value -= finals.totals[i] }
        }
        return value
    }

    private func double(_ hand: HandValue) -> Double {
        var value = 0.0
        for points in 1...10 { value += shoe.probability(points) * stand(hand.adding(Rank(points: points))) }
        return 2 * value
    }

    private func hit(_ hand: HandValue) -> Double {
        var value = 0.0
        for points in 1...10 where shoe[points] > 0 {
            let next = hand.adding(Rank(points: points))
            value += shoe.probability(points) * (next.isBust ? -1 : played[index(next)])
        }
        return value
    }

    /// The value of a split: two hands that begin with one card each, resplit where allowed and better.
    private func split(_ points: Int) -> Double {
        let card = HandValue().adding(Rank(points: points))
        let isAce = points == 1
        var others = 0.0
        var again = 0.0
        for second in 1...10 {
            let hand = card.adding(Rank(points: second))
            let value = isAce && !rules.hitSplitAces ? stand(hand) : afterSplit(hand)
            if second == points { again = value } else { others += shoe.probability(second) * value }
        }
        let pairs = shoe.probability(points)
        let resplits = rules.maxHands > 2 && (!isAce || rules.resplitAces)
        var one = others + pairs * again
        if resplits {
            // A resplit is two such hands, as deep as the house allows.
            for _ in 2..<rules.maxHands { one = others + pairs * max(again, 2 * one) }
        }
        return 2 * one
    }

    private func afterSplit(_ hand: HandValue) -> Double {
        let plain = played[index(hand)]
        return rules.doubleAfterSplit && rules.double.allows(hand) ? max(plain, double(hand)) : plain
    }
}
