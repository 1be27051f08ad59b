import Rules
import TableModel

/// Outcomes and payouts, worked out anew from the cards and the rules.
extension TableReferee {
    func results(_ new: TableFacts, _ seats: UInt8, _ findings: inout [Finding]) {
        for seat in 1..<8
        where seats & (1 << UInt8(seat)) != 0 && new.seats[seat].hands.contains(where: { $0.result != nil }) {
            for hand in new.seats[seat].hands {
                guard let result = hand.result, memory.isFresh(hand) else { continue }
                guard let expected = expected(hand, result, seat, new) else {
                    findings.append(
                        Finding(.payout, "\(hand.name) is settled as \(result.outcome.name) before the dealer has played"))
                    continue
                }
                let net = expected.paid - hand.bet
                if expected.outcome != result.outcome || net != result.net {
                    findings.append(
                        Finding(
                            .payout,
                            "\(hand.name), \(hand.cards) with \(hand.bet) on it against \(new.dealer.compactMap { $0 }), ended as "
                                + "\(result.outcome.name) with \(result.net); by the rules it is \(expected.outcome.name) with \(net)"
                        ))
                }
                claims(hand, result, seat, new, &findings)
            }
        }
    }

    private func end(of hand: TableFacts.Hand, _ result: HandResult, _ seat: Int, _ new: TableFacts) -> HandEnd {
        if result.outcome == .surrender { return .surrendered }
        if result.outcome == .evenMoney { return .evenMoney }
        let value = hand.value
        if value.isTwoCard21, new.seats[seat].hands.count == 1 { return .blackjack }
        if value.isBust { return .bust }
        return new.rules.charlie > 0 && hand.cards.count == new.rules.charlie ? .charlie : .stood
    }

    private func expected(
        _ hand: TableFacts.Hand, _ result: HandResult, _ seat: Int, _ new: TableFacts
    ) -> Settlement? {
        // Without its beginning a round's original bet is not known where it matters: then what the hand holds is taken for it.
        let original = hand.id.number > 1 ? 0 : memory.isWhole ? memory.originals[seat] : hand.bet
        let finished = FinishedHand(
            end: end(of: hand, result, seat, new), total: hand.value.total, stake: hand.bet, original: original)
        if new.dealer.allSatisfy({ $0 != nil }), !new.isInRound { return new.rules.settle(finished, against: new.dealerValue) }
        guard let up = new.dealer.first ?? nil else { return nil }
        let hasExtra = new.seats[seat].hands.count > 1 || hand.bet > original
        guard new.rules.canSettleEarly(finished, upCard: up.rank, seatHasExtraBets: hasExtra) else { return nil }
        return new.rules.settle(finished, against: HandValue())
    }

    /// What only the player can have asked for must have been offered.
    private func claims(
        _ hand: TableFacts.Hand, _ result: HandResult, _ seat: Int, _ new: TableFacts, _ findings: inout [Finding]
    ) {
        if result.outcome == .evenMoney, !(hand.value.isTwoCard21 && new.rules.evenMoney) {
            findings.append(Finding(.payout, "\(hand.name) got even money for \(hand.cards)"))
        }
        guard memory.isWhole else { return }
        let asked: Action? = result.outcome == .surrender ? .surrender : result.outcome == .evenMoney ? .evenMoney : nil
        if let asked, !memory.offered[seat].allows(asked) {
            findings.append(Finding(.legality, "\(hand.name) ended by \(asked.name), which seat \(seat) was never offered"))
        }
    }

    /// The dealer has no choice, ever.
    func dealersPlay(_ old: Before?, _ new: TableFacts, _ findings: inout [Finding]) {
        guard memory.isWhole, !new.isInRound, let old, old.isInRound || old.round != new.round, new.dealer.count > 1,
            new.dealer.allSatisfy({ $0 != nil })
        else { return }
        let cards = new.dealer.compactMap { $0 }
        let hands = (1..<8).flatMap { seat in new.seats[seat].hands.filter { $0.result != nil }.map { (seat, $0) } }
        let isAnybodyLeft = hands.contains { seat, hand in hand.result.map { end(of: hand, $0, seat, new) } == .stood }
        guard !hands.isEmpty else { return }
        for count in 2..<cards.count where !new.rules.dealerDraws(to: HandValue(cards[..<count])) {
            findings.append(Finding(.payout, "the dealer drew to \(Array(cards[..<count]))"))
        }
        if isAnybodyLeft, new.rules.dealerDraws(to: HandValue(cards)) {
            findings.append(Finding(.payout, "the dealer stopped at \(cards)"))
        }
        if !isAnybodyLeft, cards.count > 2 {
            findings.append(Finding(.payout, "the dealer drew to \(cards) although no hand was left to beat"))
        }
    }
}
