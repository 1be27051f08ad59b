import Rules
import TableModel

/// The result of a hand, worked out from the rules of the game and not by `Rules`: the server settles with that, and a second opinion must not.
package struct Payout: Equatable, Sendable {
    package var outcome: Outcome
    /// Chips won (positive) or lost.
    package var net: Int

    package init(_ outcome: Outcome, net: Int) {
        self.outcome = outcome
        self.net = net
    }

    /// A dealer's final hand.
    package enum Dealer: Equatable, Sendable {
        case blackjack, bust
        /// 17…21.
        case total(Int)

        package init(_ total: HandTotal) { self = total.isTwoCard21 ? .blackjack : total.isBust ? .bust : .total(total.points) }

        /// Every final hand that may come of an up card, once the dealer has looked under it where the house does so.
        static func possible(_ up: Rank, _ rules: HouseRules) -> [Dealer] {
            let mayBeBlackjack = rules.holeCard != .peek && (up == .ace || up.points == 10)
            return [.bust] + (17...21).map(Dealer.total) + (mayBeBlackjack ? [.blackjack] : [])
        }
    }

    /// A hand whose player has nothing left to decide.
    package struct Hand: Sendable {
        package enum State: Equatable, Sendable {
            /// Not bust; the dealer's hand decides.
            case live(Int)
            case blackjack, bust, surrendered, evenMoney, charlie
        }

        package var state: State
        /// All chips on the hand.
        package var bet: Int
        /// Chips bet before the deal: the seat's bet on its first hand, 0 on a hand that came of a split.
        package var original: Int

        package init(_ state: State, bet: Int, original: Int) {
            self.state = state
            self.bet = bet
            self.original = original
        }
    }

    /// - Parameter hand: settled against a dealer's final hand.
    package init(_ hand: Hand, against dealer: Dealer, by rules: HouseRules) {
        switch hand.state {
        case .evenMoney: self.init(.evenMoney, net: hand.bet)
        case .charlie: self.init(.charlie, net: hand.bet)
        // A late surrender comes after the blackjack that beats it: then it is a lost bet.
        case .surrendered where rules.surrender != .late || dealer != .blackjack: self.init(.surrender, net: -(hand.bet / 2))
        case .blackjack where dealer == .blackjack: self.init(.push, net: 0)
        case .blackjack: self.init(.blackjack, net: Self.winnings(on: hand.bet, rules.blackjackPays))
        case .live, .bust, .surrendered:
            if dealer == .blackjack {
                let lost = rules.holeCard == .original ? hand.original : hand.bet
                self.init(lost == 0 ? .push : hand.state == .bust ? .bust : .lose, net: -lost)
            } else if case .live(let points) = hand.state {
                self.init(points, against: dealer, bet: hand.bet)
            } else {
                self.init(.bust, net: -hand.bet)
            }
        }
    }

    private init(_ points: Int, against dealer: Dealer, bet: Int) {
        guard case .total(let dealt) = dealer, points <= dealt else {
            self.init(.win, net: bet)
            return
        }
        if points == dealt { self.init(.push, net: 0) } else { self.init(.lose, net: -bet) }
    }

    /// The result of a hand before the dealer's hand is known; nil while it still depends on that.
    package init?(_ hand: Hand, beforeDealerWith up: Rank, seatHasExtraBets: Bool, by rules: HouseRules) {
        let possible = Dealer.possible(up, rules)
        let payouts = possible.map { Payout(hand, against: $0, by: rules) }
        guard payouts.allSatisfy({ $0 == payouts[0] }) else { return nil }
        // Where a blackjack takes original bets only, the lost bets of a seat that added chips are settled together.
        if hand.state == .bust, rules.holeCard == .original, possible.contains(.blackjack), seatHasExtraBets { return nil }
        self = payouts[0]
    }

    /// A fraction of a chip is rounded up.
    private static func winnings(on bet: Int, _ pays: HouseRules.BlackjackPays) -> Int {
        let (chips, per) =
            switch pays {
            case .threeToTwo: (3, 2)
            case .sixToFive: (6, 5)
            case .sevenToFive: (7, 5)
            case .twoToOne: (2, 1)
            case .oneToOne: (1, 1)
            }
        return (bet * chips + per - 1) / per
    }
}

/// The value of some cards (N.J. Admin. Code 13:69F-2.2), without `Rules`' own counting, which is judged too.
package struct HandTotal: Equatable, Sendable {
    /// One ace counts 11 where that makes 21 or less, every other ace 1.
    package private(set) var points = 0
    /// Whether an ace counts 11.
    package private(set) var isSoft = false
    package private(set) var cards = 0

    package init(_ cards: some Sequence<Card>) {
        var hasAce = false
        for card in cards {
            points += card.rank.points
            hasAce = hasAce || card.rank == .ace
            self.cards += 1
        }
        isSoft = hasAce && points + 10 <= 21
        if isSoft { points += 10 }
    }

    package var isBust: Bool { points > 21 }

    /// A blackjack, unless the hand came of a split.
    package var isTwoCard21: Bool { cards == 2 && points == 21 }

    /// Whether a dealer draws another card: to 16, and to a soft 17 where the house says so.
    package func dealerDraws(by rules: HouseRules) -> Bool {
        points <= 16 || points == 17 && isSoft && rules.soft17 == .hit
    }
}

/// The legal options of a hand in its turn, worked out from the rules of the game and not by `Rules`: see ``Payout``.
package struct Offer: Sendable {
    private let cards: [Card]
    private let hands: Int
    private let upCard: Rank
    private let bet: Int
    private let chips: Int

    /// - Parameters:
    ///   - hands: those of the seat, this one included.
    ///   - bet: the chips on the hand, which has not been doubled.
    ///   - chips: those that the player has left.
    package init(cards: [Card], hands: Int, upCard: Rank, bet: Int, chips: Int) {
        (self.cards, self.hands, self.upCard, self.bet, self.chips) = (cards, hands, upCard, bet, chips)
    }

    /// By action, in the order of ``Action``, each with the most chips it may cost; empty where the hand stands by itself.
    package func options(by rules: HouseRules) -> [Choice.Option] {
        let total = HandTotal(cards)
        guard total.points < 21 else { return [] }
        let stand = Choice.Option(action: .stand, cost: 0)
        guard cards.count == 2 else { return [Choice.Option(action: .hit, cost: 0), stand] }
        let isSplit = hands > 1
        let isSplitAces = isSplit && cards[0].rank == .ace
        var options = [stand]
        if !isSplitAces || rules.hitSplitAces {
            options.insert(Choice.Option(action: .hit, cost: 0), at: 0)
            let added = rules.doubleForLess ? min(bet, chips) : bet
            if !isSplit || rules.doubleAfterSplit, Self.mayDouble(total, rules.double), added >= 1, added <= chips {
                options.append(Choice.Option(action: .double, cost: added))
            }
        }
        if isPair(rules), hands < rules.maxHands, !isSplitAces || rules.resplitAces, chips >= bet {
            options.append(Choice.Option(action: .split, cost: bet))
        }
        if !isSplit, surrendersInTurn(rules) { options.append(Choice.Option(action: .surrender, cost: 0)) }
        return options == [stand] ? [] : options
    }

    /// Limits on doubling name hard totals: A,8 is no 9.
    private static func mayDouble(_ total: HandTotal, _ rule: HouseRules.Doubling) -> Bool {
        let lowest =
            switch rule {
            case .any: 0
            case .nineToEleven: 9
            case .tenToEleven: 10
            case .eleven: 11
            case .none: Int.max
            }
        return rule == .any || !total.isSoft && total.points >= lowest && total.points <= 11
    }

    private func isPair(_ rules: HouseRules) -> Bool {
        let (one, other) = (cards[0].rank, cards[1].rank)
        return rules.splitBy == .rank ? one == other : one.points == other.points
    }

    /// Early surrender is asked of all seats at once where the dealer then looks for a blackjack; elsewhere it is the first decision of a turn.
    private func surrendersInTurn(_ rules: HouseRules) -> Bool {
        let isAskedBefore = rules.holeCard == .peek && (upCard == .ace || upCard.points == 10)
        return switch rules.surrender {
        case .none: false
        case .late: true
        case .early: !isAskedBefore
        case .earlyNotAce: upCard != .ace && !isAskedBefore
        }
    }
}
