import Rules
import TableModel

/// No chip comes from nowhere: what a player has and what lies on his hands changes by what his hands win, and by nothing else.
extension TableReferee {
    func chips(
        _ old: Before, _ after: Purses, _ new: TableFacts, _ changes: TableFacts.Changes, _ seats: UInt8,
        _ findings: inout [Finding]
    ) {
        // A round that ended and was cleared away between two revisions has taken its results along.
        guard new.round == old.round || (!old.isInRound && new.round == old.round + 1) else { return }
        if old.isInRound, !new.isInRound, new.dealer.isEmpty { return }
        let before = old.purses
        for seat in 1..<8 {
            // A player's chips lie at the first of the player's seats; whoever came, went or moved is not compared.
            let mates = after.mates[seat]
            guard mates & seats != 0, mates == before.mates[seat], mates & changes.occupants == 0 else { continue }
            let won = (1..<8).reduce(0) { $0 + (mates & (1 << UInt8($1)) != 0 ? gain(ofSeat: $1, new) : 0) }
            let (had, has) = (before.sum(seat), after.sum(seat))
            guard has.chips + has.open != had.chips + had.open + won else { continue }
            findings.append(
                Finding(
                    .chips,
                    "\(new.seats[seat].player?.name ?? "") had \(had.chips) chips and \(had.open) in open bets, won \(won), and has "
                        + "\(has.chips) and \(has.open)"))
        }
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
