import Rules
import TableModel

/// The legal options of a hand in its turn, worked out from the rules of the game and not by `Rules`: see ``Payout``.
struct Offer: Sendable {
    var cards: [Card]
    /// Hands of the seat, this one included.
    var hands: Int
    var upCard: Rank
    /// Chips on the hand, which has not been doubled.
    var bet: Int
    /// Chips that the player has left.
    var chips: Int

    /// By action, in the order of ``Action``, each with the most chips it may cost; empty where the hand stands by itself.
    func options(by rules: HouseRules) -> [Choice.Option] {
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
