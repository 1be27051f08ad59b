import Rules

/// One hand that has to decide, by what anybody at the table sees.
public struct Decision: Hashable, Sendable {
    /// The hand's own cards, in any order: two or more.
    public var cards: [Rank]
    public var upCard: Rank
    public var origin: HandSituation.Origin
    /// Hands of this seat, this one included: 1…4. A pair may become `maxHands` less those beside it.
    public var hands: Int
    /// Whether the seat's original bet is on this hand: under `HouseRules.HoleCard.original` a dealer's blackjack takes nothing from others.
    public var isFirst: Bool

    public init(_ cards: [Rank], up: Rank, origin: HandSituation.Origin = .dealt, hands: Int = 1, isFirst: Bool = true) {
        (self.cards, upCard, self.origin, self.hands, self.isFirst) = (cards, up, origin, hands, isFirst)
    }

    /// The actions that the rules allow in the hand's turn, for any number of chips.
    public func legalActions(under rules: HouseRules) -> ActionSet {
        let value = cards.reduce(HandValue()) { $0.adding($1) }
        let isPair = cards.count == 2 && rules.splitBy.isPair(cards[0], cards[1])
        return rules.legalActions(
            for: HandSituation(
                value: value, isPair: isPair, origin: origin, handsAtSeat: hands, upCard: upCard, bet: 1, bankroll: 1))
    }

    /// The value of each legal action, in bets of the hand, played on best by the hand's own cards.
    ///
    /// Of an early surrender, and of `decline` beside it, before the dealer peeks; of the others after the peek, if there is one.
    /// Insurance and even money have their gain, and `decline` beside them is 0: a bet of its own, it is in no other value.
    /// A split is worth two hands, or as many more as the rules still allow where that is better, all by the strategy that is best for two.
    ///
    /// Takes up to 7 ms of a processor.
    /// - Parameters:
    ///   - shoe: all cards that are not known to be gone, the hand's own and the up card among them.
    ///   - doubling: the chips that a double adds, in bets.
    ///   - insuring: the chips of an insurance, in bets.
    ///   - playing: the actions after an early surrender is declined; nil for all that the rules allow.
    /// - Returns: nil where the shoe does not have these cards, or so few (48 points, aces as 1) that it might run out, and for a bust hand.
    public func values(
        of legal: ActionSet, under rules: HouseRules, shoe: Composition, doubling: Double = 1, insuring: Double = 0.5,
        playing: ActionSet? = nil
    ) -> [Action: Double]? {
        let left = rest(of: shoe)
        guard let hand = HandGraph.shared.hand(of: cards), shoe.points >= 48, Rank.allCases.allSatisfy({ left[$0] >= 0 }) else {
            return nil
        }
        if legal.contains(.insurance) || legal.contains(.evenMoney) {
            let gain = 3 * left[10] / left.total - 1
            let values = [Action.insurance: insuring * gain, .evenMoney: gain / 2, .decline: 0]
            return values.filter { legal.allows($0.key) }
        }
        let solver = UpCardSolver(rules, shoe, up: upCard.points, Stakes(rules, bet: nil), decision: self)
        return solver.values(
            of: legal, hand: hand, hands: rules.maxHands - hands + 1, doubling: doubling,
            playing: playing ?? legalActions(under: rules))
    }

    /// The shoe without the cards of the hand and the up card.
    func rest(of shoe: Composition) -> Composition { (cards + [upCard]).reduce(into: shoe) { $0[$1] -= 1 } }

    /// The smallest of `HandGraph.sets` with all hands that cards can make of this one.
    var set: Int {
        let points = cards.map(\.points)
        let most = points.max() ?? 0
        return points.count { $0 == most } > 1 ? 10 + most : most
    }
}

extension UpCardSolver {
    fileprivate func values(
        of legal: ActionSet, hand: Int, hands: Int, doubling: Double, playing: ActionSet
    ) -> [Action: Double] {
        maximise(main, main.reached(from: hand) { isOpen(main, $0) ? .hit : .stand })
        let (alive, blackjack) = (main.alive[hand], main.blackjack[hand])
        func win(_ value: Double) -> Double {
            switch rules.holeCard {
            case .peek: alive > 0 ? (value - alive) / alive : -1
            case .none: value - alive - blackjack
            case .original: value - alive - (hasOriginalBet ? blackjack : 0)
            }
        }
        func value(_ action: Action) -> Double? {
            switch action {
            case .stand: main.stand[hand]
            case .hit: main.hit(hand, to: main.value)
            case .double: double(main, hand, adding: doubling)
            case .split: bestSplit(hand, hands)
            case .surrender: surrender(hand)
            case .decline: Action.allCases.compactMap { playing.allows($0) && $0 != .surrender ? value($0) : nil }.max()
            case .insurance, .evenMoney: nil
            }
        }
        let pairs = legal.actions.compactMap { action -> (Action, Double)? in
            let isEarly = action == .decline || action == .surrender && rules.surrender != .late
            return value(action).map { (action, isEarly ? $0 - 1 : win($0)) }
        }
        return Dictionary(uniqueKeysWithValues: pairs)
    }
}
