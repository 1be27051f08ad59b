import Rules

/// The expected value of every action of a hand against an up card, in bets.
///
/// `shoe` lacks the up card and the hand's first two cards.
struct HandSolver {
    private let rules: HouseRules
    private let shoe: Composition
    private let up: Int
    /// The finals, given no dealer's blackjack.
    private let finals: DealerFinals
    private let blackjack: Double
    /// The value of playing on without doubling, by hard total and presence of an ace; with a charlie rule, also by number of cards.
    private var played: [Double]

    init(rules: HouseRules, shoe: Composition, up: Int, dealer: DealerPaths) {
        self.rules = rules
        self.shoe = shoe
        self.up = up
        var finals = DealerFinals(dealer, shoe: shoe)
        blackjack = finals.blackjack
        for i in 0..<6 { finals.totals[i] /= 1 - blackjack }
        self.finals = finals
        played = Array(repeating: -1, count: Self.layer * max(1, rules.charlie))
        // A layer depends on the one with a card more.
        for count in stride(from: max(0, rules.charlie - 1), through: 0, by: -1) {
            // Cards only increase the hard total, so the largest totals come first.
            for hard in stride(from: 21, through: 2, by: -1) {
                for hasAce in [false, true] {
                    let hand = HandValue(hard: UInt8(hard), count: UInt8(count), hasAce: hasAce)
                    played[index(hand)] = hand.total == 21 ? stand(hand) : max(stand(hand), hit(hand))
                }
            }
        }
    }

    /// Entries of a layer of `played`.
    private static let layer = 44

    private func index(_ hand: HandValue) -> Int {
        let layer = rules.charlie == 0 ? 0 : Int(hand.count)
        return layer * Self.layer + Int(hand.hard) * 2 + (hand.hasAce ? 1 : 0)
    }

    /// The value of each action at the first decision.
    func values(_ hand: HandValue, pair: Int?) -> ActionValues {
        var values = later(hand)
        values.double = rules.double.allows(hand) ? whole(double(hand), extra: 1) : nil
        values.split = pair.flatMap { rules.maxHands > 1 ? whole(split($0), extra: 1) : nil }
        values.surrender = surrender
        if rules.holeCard == .peek, values.surrender != nil, rules.surrender != .late {
            let plays = [values.stand, values.hit, values.double, values.split].compactMap(\.self)
            values.decline = beforePeek(plays.max() ?? -1)
        }
        return values
    }

    /// The value of each action of a hand with three cards or more.
    func later(_ hand: HandValue) -> ActionValues {
        ActionValues(stand: whole(stand(hand), extra: 0), hit: whole(hit(hand), extra: 0))
    }

    /// The value of a round whose first two cards are this hand, played best; nothing is insured.
    func round(_ hand: HandValue, pair: Int?) -> Double {
        if hand.isTwoCard21 { return (1 - blackjack) * Double(rules.blackjackPays.winnings(on: 10)) / 10 }
        let values = values(hand, pair: pair)
        let plays = [values.stand, values.hit, values.double, values.split, values.decline == nil ? values.surrender : nil]
        let best = plays.compactMap(\.self).max() ?? -1
        guard rules.holeCard == .peek else { return best }
        return max(beforePeek(best), values.decline == nil ? -1 : values.surrender ?? -1)
    }

    /// The value before the dealer peeks of a play that comes after it: a dealer's blackjack takes the bet.
    private func beforePeek(_ value: Double) -> Double { (1 - blackjack) * value - blackjack }

    /// After a peek the dealer has no blackjack; otherwise one takes the bet, and by the rules also the chips added.
    private func whole(_ value: Double, extra: Double) -> Double {
        switch rules.holeCard {
        case .peek: value
        case .none: (1 - blackjack) * value - blackjack * (1 + extra)
        case .original: (1 - blackjack) * value - blackjack
        }
    }

    private var surrender: Double? {
        switch rules.surrender {
        case .none: nil
        case .late: rules.holeCard == .peek ? -0.5 : -0.5 * (1 - blackjack) - blackjack
        case .early: -0.5
        case .earlyNotAce: up == 1 ? nil : -0.5
        }
    }

    /// A charlie wins at once, also against a dealer's blackjack, which ``whole(_:extra:)`` then takes away.
    private var charlie: Double { rules.holeCard == .peek ? 1 : (1 + blackjack) / (1 - blackjack) }

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
        for points in 1...10 { value += chance(points) * stand(hand.adding(Rank(points: points))) }
        return 2 * value
    }

    private func hit(_ hand: HandValue) -> Double {
        var value = 0.0
        for points in 1...10 where shoe[points] > 0 {
            let next = hand.adding(Rank(points: points))
            value += chance(points) * (next.isBust ? -1 : next.count == rules.charlie ? charlie : played[index(next)])
        }
        return value
    }

    /// The chance to draw a card, given no dealer's blackjack: the card under an ace is no ten, so more tens are left to draw.
    private func chance(_ points: Int) -> Double {
        let missing = up == 1 ? 10 : up == 10 ? 1 : 0
        guard missing > 0 else { return shoe.probability(points) }
        let left = shoe.total - 1
        return points == missing ? shoe[points] / left : shoe[points] * (1 - 1 / (shoe.total - shoe[missing])) / left
    }

    /// The value of a split: hands that begin with one card each, resplit where allowed and better.
    private func split(_ points: Int) -> Double {
        let card = HandValue().adding(Rank(points: points))
        let isAce = points == 1
        var others = 0.0
        var again = 0.0
        for second in 1...10 {
            let hand = card.adding(Rank(points: second))
            let value = isAce && !rules.hitSplitAces ? stand(hand) : afterSplit(hand)
            if second == points { again = value } else { others += chance(second) * value }
        }
        let pairs = chance(points)
        let resplits = rules.maxHands > 2 && (!isAce || rules.resplitAces) ? rules.maxHands - 2 : 0
        /// The value of `hands` with one card each, of which `left` may be split again in all.
        func value(_ hands: Int, _ left: Int) -> Double {
            if hands == 0 { return 0 }
            if left == 0 { return Double(hands) * (others + pairs * again) }
            let rest = value(hands - 1, left)
            return others + (1 - pairs) * rest + pairs * max(again + rest, value(hands + 1, left - 1))
        }
        return value(2, resplits)
    }

    private func afterSplit(_ hand: HandValue) -> Double {
        let plain = played[index(hand)]
        return rules.doubleAfterSplit && rules.double.allows(hand) ? max(plain, double(hand)) : plain
    }
}
