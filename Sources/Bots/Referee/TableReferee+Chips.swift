import Rules
import TableModel

/// No chip comes from nowhere: what a player has and what lies on his hands changes by what his hands win, and by nothing else.
extension TableReferee {
    func chips(_ old: TableFacts, _ new: TableFacts, _ findings: inout [Finding]) {
        // A round that ended and was cleared away between two revisions has taken its results along.
        guard new.round == old.round || (!old.isInRound && new.round == old.round + 1) else { return }
        for (name, before) in Self.purses(old) {
            guard let after = Self.purses(new)[name], after.seats == before.seats else { continue }
            if old.isInRound, !new.isInRound, new.dealer.isEmpty { continue }
            let won = after.seats.reduce(0) { $0 + gain(ofSeat: $1, new) }
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
        var seats: [Int] = []
    }

    /// What each player has, by name.
    private static func purses(_ facts: TableFacts) -> [String: Purse] {
        var purses: [String: Purse] = [:]
        for seat in 1..<8 {
            guard let player = facts.seats[seat].player else { continue }
            var purse = purses[player.name] ?? Purse(chips: player.chips)
            purse.seats.append(seat)
            for hand in facts.seats[seat].hands where hand.result == nil { purse.open += hand.bet }
            if facts.isInsuranceOpen { purse.open += facts.seats[seat].insurance }
            purses[player.name] = purse
        }
        return purses
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
