import Rules
import TableModel

/// What is offered, worked out anew from the cards, the chips and the rules.
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
        case .surrender: return options([.surrender, .decline]) { _ in 0 }
        case .insurance:
            let amounts = new.rules.insuranceAmounts(bet: hand.bet, bankroll: player.chips)
            var legal: ActionSet = .decline
            if !amounts.isEmpty { legal.insert(.insurance) }
            if new.rules.evenMoney, hand.value.isTwoCard21 { legal.insert(.evenMoney) }
            return options(legal) { $0 == .insurance ? amounts.upperBound - 1 : 0 }
        case .playing:
            let hands = new.seats[seat].hands
            let isPair = hand.cards.count == 2 && new.rules.splitBy.isPair(hand.cards[0].rank, hand.cards[1].rank)
            let origin: HandSituation.Origin =
                hands.count == 1 ? .dealt : hand.cards.first?.rank.isAce == true ? .splitAces : .split
            // Whoever is asked has not doubled: the bet is still the original one.
            let situation = HandSituation(
                value: hand.value, isPair: isPair, origin: origin, handsAtSeat: hands.count, upCard: up.rank, bet: hand.bet,
                bankroll: player.chips)
            let double = new.rules.doubleAmounts(for: situation)
            return options(new.rules.legalActions(for: situation)) {
                $0 == .double ? double.upperBound - 1 : $0 == .split ? hand.bet : 0
            }
        default: return []
        }
    }

    private func options(_ legal: ActionSet, cost: (Action) -> Int) -> [Choice.Option] {
        legal.actions.map { Choice.Option(action: $0, cost: cost($0)) }
    }

    private func words(_ options: [Choice.Option]) -> String {
        options.isEmpty
            ? "nothing"
            : options.map { $0.cost == 0 ? $0.action.name : "\($0.action.name) for \($0.cost)" }.joined(separator: ", ")
    }
}
