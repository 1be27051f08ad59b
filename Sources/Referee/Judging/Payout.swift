import Rules

/// The result of a hand, worked out from the rules of the game and not by `Rules`: the server settles with that, and a second opinion must not.
struct Payout: Equatable, Sendable {
    var outcome: Outcome
    /// Chips won (positive) or lost.
    var net: Int

    init(_ outcome: Outcome, net: Int) {
        self.outcome = outcome
        self.net = net
    }

    /// A dealer's final hand.
    enum Dealer: Equatable, Sendable {
        case blackjack, bust
        /// 17…21.
        case total(Int)

        init(_ total: HandTotal) { self = total.isTwoCard21 ? .blackjack : total.isBust ? .bust : .total(total.points) }

        /// Every final hand that may come of an up card, once the dealer has looked under it where the house does so.
        static func possible(_ up: Rank, _ rules: HouseRules) -> [Dealer] {
            let mayBeBlackjack = rules.holeCard != .peek && (up == .ace || up.points == 10)
            return [.bust] + (17...21).map(Dealer.total) + (mayBeBlackjack ? [.blackjack] : [])
        }
    }

    /// A hand whose player has nothing left to decide.
    struct Hand: Sendable {
        enum State: Equatable, Sendable {
            /// Not bust; the dealer's hand decides.
            case live(Int)
            case blackjack, bust, surrendered, evenMoney, charlie
        }

        var state: State
        /// All chips on the hand.
        var bet: Int
        /// Chips bet before the deal: the seat's bet on its first hand, 0 on a hand that came of a split.
        var original: Int

        init(_ state: State, bet: Int, original: Int) {
            self.state = state
            self.bet = bet
            self.original = original
        }
    }

    /// - Parameter hand: settled against a dealer's final hand.
    init(_ hand: Hand, against dealer: Dealer, by rules: HouseRules) {
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
    init?(_ hand: Hand, beforeDealerWith up: Rank, seatHasExtraBets: Bool, by rules: HouseRules) {
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
