import Rules

extension TableState {
    /// Gives up the round in play: whatever is not settled yet is returned to whom it belongs, hand by hand, and the cards go. Nobody wins
    /// or loses by it. Where no round is in play, nothing happens.
    func void<Sink: FactSink>(_ now: Moment, _ sink: inout Sink) {
        guard isInRound else { return }
        for seat in playing {
            if insured.contains(seat), !seats[seat].insuranceIsSettled {
                let stake = seats[seat].insurance
                emit(.insuranceSettled(seat: seat + 1, stake: stake, paid: stake), into: &sink)
            }
            for hand in 0..<seats[seat].handCount where hands[Self.place(seat, hand)].state != .settled {
                let stake = hands[Self.place(seat, hand)].stake
                emit(.settled(seat: seat + 1, hand: hand, .push, stake: stake, paid: stake), into: &sink)
            }
        }
        endRound(now, &sink)
        // Nobody is left to look at the results of a table that closes.
        guard isClosing, case .settled = phase else { return }
        emit(.cleared, into: &sink)
        finishClosing(&sink)
    }
}
