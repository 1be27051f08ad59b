import Rules
import TableModel

/// No chip comes from nowhere: what a player has and what lies on his hands changes by what his hands win, and by nothing else.
extension TableReferee {
    func chips(_ old: TableFacts, _ new: TableFacts, _ findings: inout [Finding]) {
        // A round that ended and was cleared away between two revisions has taken its results along.
        guard new.round == old.round || (!old.isInRound && new.round == old.round + 1) else { return }
        if old.isInRound, !new.isInRound, new.dealer.isEmpty { return }
        for seat in 1..<8 {
            guard let name = old.seats[seat].player?.name, let before = Self.purse(of: name, firstSeat: seat, old),
                let after = Self.purse(of: name, firstSeat: seat, new), after.seats == before.seats
            else { continue }
            let won = (1..<8).reduce(0) { $0 + (before.seats & (1 << $1) != 0 ? gain(ofSeat: $1, new) : 0) }
            let (had, has) = (before.chips + before.open, after.chips + after.open)
            guard has != had + won else { continue }
            findings.append(
                Finding(
                    .chips,
                    "\(name) had \(before.chips) chips and \(before.open) in open bets, won \(won), and has \(after.chips) and \(after.open)"
                ))
        }
    }

    private struct Purse {
        var chips: Int
        var open = 0
        /// Bit n for seat n.
        var seats = 0
    }

    /// What a player has, chips and open bets; nil unless that seat is the first of the player's. Without a table of names: this is done for
    /// every revision.
    private static func purse(of name: String, firstSeat: Int, _ facts: TableFacts) -> Purse? {
        guard let chips = facts.seats[firstSeat].player?.chips else { return nil }
        var purse = Purse(chips: chips)
        for seat in 1..<8 where facts.seats[seat].player?.name == name {
            guard seat >= firstSeat else { return nil }
            purse.seats |= 1 << seat
            for hand in facts.seats[seat].hands where hand.result == nil { purse.open += hand.bet }
            if facts.isInsuranceOpen { purse.open += facts.seats[seat].insurance }
        }
        return purse.seats & (1 << firstSeat) != 0 ? purse : nil
    }

    /// What a seat's hands and its insurance have won since the revision before.
    private func gain(ofSeat seat: Int, _ new: TableFacts) -> Int {
        var sum = 0
        for hand in new.seats[seat].hands where memory.isFresh(hand) { sum += hand.result?.net ?? 0 }
        let stake = new.seats[seat].insurance
        if stake > 0, memory.isInsuranceFresh(seat), !new.isInsuranceOpen {
            sum += new.dealerTotal == .blackjack ? HouseRules.insuranceReturn(of: stake) - stake : -stake
        }
        return sum
    }
}
