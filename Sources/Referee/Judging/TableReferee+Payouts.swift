import Rules
import TableModel

/// Compares outcomes and payouts with those that cards and rules demand.
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
                if expected != Payout(result.outcome, net: result.net) {
                    findings.append(
                        Finding(
                            .payout,
                            "\(hand.name), \(hand.cards) with \(hand.bet) on it against \(new.dealer.compactMap { $0 }), ended as "
                                + "\(result.outcome.name) with \(result.net); by the rules it is \(expected.outcome.name) with \(expected.net)"
                        ))
                }
                claims(hand, result, seat, new, &findings)
            }
        }
    }

    private func state(_ hand: TableFacts.Hand, _ result: HandResult, _ seat: Int, _ new: TableFacts) -> Payout.Hand.State {
        if result.outcome == .surrender { return .surrendered }
        if result.outcome == .evenMoney { return .evenMoney }
        let total = hand.counted
        if total.isTwoCard21, new.seats[seat].hands.count == 1 { return .blackjack }
        if total.isBust { return .bust }
        return new.rules.charlie > 0 && hand.cards.count == new.rules.charlie ? .charlie : .live(total.points)
    }

    private func expected(_ hand: TableFacts.Hand, _ result: HandResult, _ seat: Int, _ new: TableFacts) -> Payout? {
        // A round not seen from its beginning hides its original bets: the hand's bet is taken instead.
        let original = hand.id.number > 1 ? 0 : memory.isWhole ? memory.originals[seat] : hand.bet
        let finished = Payout.Hand(state(hand, result, seat, new), bet: hand.bet, original: original)
        if new.dealer.allSatisfy({ $0 != nil }), !new.isInRound {
            return Payout(finished, against: Payout.Dealer(new.dealerCounted), by: new.rules)
        }
        guard let up = new.dealer.first ?? nil else { return nil }
        let hasExtra = new.seats[seat].hands.count > 1 || hand.bet > original
        return Payout(finished, beforeDealerWith: up.rank, seatHasExtraBets: hasExtra, by: new.rules)
    }

    /// An outcome that takes a player's request must have been offered.
    private func claims(
        _ hand: TableFacts.Hand, _ result: HandResult, _ seat: Int, _ new: TableFacts, _ findings: inout [Finding]
    ) {
        if result.outcome == .evenMoney, !(hand.counted.isTwoCard21 && new.rules.evenMoney) {
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
        let isAnybodyLeft = hands.contains { seat, hand in
            if case .live? = hand.result.map({ state(hand, $0, seat, new) }) { true } else { false }
        }
        guard !hands.isEmpty else { return }
        for count in 2..<cards.count where !Self.dealerDraws(to: cards[..<count], new.rules) {
            findings.append(Finding(.payout, "the dealer drew to \(Array(cards[..<count]))"))
        }
        if isAnybodyLeft, Self.dealerDraws(to: cards[...], new.rules) {
            findings.append(Finding(.payout, "the dealer stopped at \(cards)"))
        }
        if !isAnybodyLeft, cards.count > 2 {
            findings.append(Finding(.payout, "the dealer drew to \(cards) although no hand was left to beat"))
        }
    }

    /// While anybody may still decide, the dealer shows the first card alone.
    func hiddenCards(_ new: TableFacts, _ findings: inout [Finding]) {
        switch new.phase {
        case .surrender, .insurance, .playing:
            guard new.dealer.count > 2 || new.dealer.dropFirst().contains(where: { $0 != nil }) else { return }
            findings.append(Finding(.cards, "the dealer shows \(new.dealer.compactMap { $0 }) in the phase \(new.phase)"))
        default: break
        }
    }

    /// To 16, and to a soft 17 where the house says so.
    static func dealerDraws(to cards: ArraySlice<Card>, _ rules: HouseRules) -> Bool {
        let total = HandTotal(cards)
        return total.points <= 16 || total.points == 17 && total.isSoft && rules.soft17 == .hit
    }
}
