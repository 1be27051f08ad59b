import Rules

extension TableState {
    /// Aborts the round in play: returns every unsettled stake to its owner, hand by hand, and removes the cards. No effect outside
    /// a round.
    func void<Sink: FactSink>(_ now: Moment, _ sink: inout Sink) {
        guard isInRound else { return }
        for seat in core.playing {
            if core.insured.contains(seat), !seats[seat].insuranceIsSettled {
                let stake = seats[seat].insurance
                emit(.insuranceSettled(seat: seat + 1, stake: stake, paid: stake), into: &sink)
            }
            for hand in 0..<seats[seat].handCount where hands[Self.handIndex(seat, hand)].state != .settled {
                let stake = hands[Self.handIndex(seat, hand)].stake
                emit(.settled(seat: seat + 1, hand: hand, .push, stake: stake, paid: stake), into: &sink)
            }
        }
        endRound(now, &sink)
        // A closing table shows no results: nobody is left.
        guard core.isClosing, case .settled = phase else { return }
        emit(.cleared, into: &sink)
        finishClosing(&sink)
    }
}
