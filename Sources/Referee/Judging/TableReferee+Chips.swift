import Rules
import TableModel

/// Conservation of chips: a player's chips and open bets change by the results of their hands only.
extension TableReferee {
    func chips(
        _ old: Before, _ after: Purses, _ new: TableFacts, _ changes: TableFacts.Changes, _ seats: UInt8,
        _ findings: inout [Finding]
    ) {
        // A round that ended and was cleared away between two revisions has taken its results along.
        guard new.round == old.round || (!old.isInRound && new.round == old.round + 1) else { return }
        if old.isInRound, !new.isInRound, new.dealer.isEmpty { return }
        let hasEnded = Self.hasEnded(old, new)
        let before = old.purses
        for seat in 1..<8 {
            // A player's chips are counted at their first seat. A seat that changed its player is not compared.
            let mates = after.mates[seat]
            guard mates & seats != 0, mates == before.mates[seat], mates & changes.occupants == 0 else { continue }
            // Where a round has ended since, a bet for the next one lies over its result already.
            if hasEnded, (1..<8).contains(where: { mates & (1 << UInt8($0)) != 0 && new.hasOpenBet($0) }) { continue }
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

    /// Whether a round has ended since the revision before.
    static func hasEnded(_ old: Before, _ new: TableFacts) -> Bool {
        !new.isInRound && (old.isInRound || new.round != old.round)
    }

    /// Chips won by a seat's hands and insurance since the revision before.
    private func gain(ofSeat seat: Int, _ new: TableFacts) -> Int {
        var sum = 0
        for hand in new.seats[seat].hands where memory.isFresh(hand) { sum += hand.result?.net ?? 0 }
        let stake = new.seats[seat].insurance
        if stake > 0, memory.isInsuranceFresh(seat), !new.isInsuranceOpen {
            sum += new.dealerTotal == .blackjack ? 2 * stake : -stake
        }
        return sum
    }
}

extension TableFacts {
    /// Whether chips lie on a seat that nothing has come of yet.
    func hasOpenBet(_ seat: Int) -> Bool { seats[seat].hands.contains { $0.result == nil && $0.bet > 0 } }
}
