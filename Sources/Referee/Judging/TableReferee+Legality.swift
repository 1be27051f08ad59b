import Rules
import TableModel

/// Compares offered options with those that cards, chips and rules allow.
extension TableReferee {
    func choices(_ new: TableFacts, _ seats: UInt8, _ findings: inout [Finding]) {
        for seat in 1..<8 where new.asked & seats & (1 << UInt8(seat)) != 0 {
            guard let choice = new.seats[seat].choice else { continue }
            guard let expected = legal(seat, choice, new) else {
                findings.append(Finding(.legality, "seat \(seat) is asked about hand \(choice.hand), which it does not hold"))
                continue
            }
            guard choice.options != expected else { continue }
            findings.append(
                Finding(
                    .legality,
                    "hand \(choice.hand) of seat \(seat) is offered \(words(choice.options)); by the rules it is \(words(expected))"
                ))
        }
    }

    private func legal(_ seat: Int, _ choice: Choice, _ new: TableFacts) -> [Choice.Option]? {
        guard let player = new.seats[seat].player, let up = new.dealer.first ?? nil,
            let hand = new.seats[seat].hands.first(where: { $0.id.number == choice.hand })
        else { return nil }
        switch new.phase {
        case .surrender: return [Choice.Option(action: .surrender, cost: 0), Choice.Option(action: .decline, cost: 0)]
        case .insurance: return Self.insuranceOptions(hand.counted, bet: hand.bet, chips: player.chips, new.rules)
        case .playing:
            let offer = Offer(
                cards: hand.cards, hands: new.seats[seat].hands.count, upCard: up.rank, bet: hand.bet, chips: player.chips)
            return offer.options(by: new.rules)
        default: return []
        }
    }

    /// Insurance costs half the bet and is offered where the chips suffice. Even money is offered for a blackjack.
    static func insuranceOptions(_ hand: HandTotal, bet: Int, chips: Int, _ rules: HouseRules) -> [Choice.Option] {
        var options = [Choice.Option(action: .decline, cost: 0)]
        if rules.insurance, bet >= 2, chips >= bet / 2 {
            options.insert(Choice.Option(action: .insurance, cost: bet / 2), at: 0)
        }
        if rules.evenMoney, hand.isTwoCard21 { options.append(Choice.Option(action: .evenMoney, cost: 0)) }
        return options
    }

    private func words(_ options: [Choice.Option]) -> String {
        options.isEmpty
            ? "nothing"
            : options.map { $0.cost == 0 ? $0.action.name : "\($0.action.name) for \($0.cost)" }.joined(separator: ", ")
    }
}
