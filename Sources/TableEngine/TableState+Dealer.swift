import Rules

/// The dealer's hand and the end of a round. Seats are counted from 0.
extension TableState {
    func dealerPlays<Sink: FactSink>(_ now: Moment, _ sink: inout Sink) {
        if rules.holeCard == .peek { emitHoleRevealed(into: &sink) }
        if liveHands > 0 {
            if dealer.value.count == 1 { dealToDealer(as: .second, &sink) }
            while legality.dealerDraws(to: dealer.value) { dealToDealer(as: .later, &sink) }
        } else if dealer.value.count == 1, secondCardMatters {
            dealToDealer(as: .second, &sink)
        }
        if !insured.isEmpty { settleInsurance(&sink) }
        let value = dealer.value
        for seat in playing {
            for hand in 0..<seats[seat].handCount where hands[TableState.place(seat, hand)].state != .settled {
                settle(seat, hand, finished(seat, hand), against: value, &sink)
            }
        }
        endRound(now, &sink)
    }

    /// Whether anything waits for the dealer's second card, though no hand stands: an insurance, or a hand that only a dealer's
    /// blackjack still concerns.
    private var secondCardMatters: Bool {
        if !insured.isEmpty { return true }
        for seat in playing {
            for hand in 0..<seats[seat].handCount where hands[TableState.place(seat, hand)].state != .settled { return true }
        }
        return false
    }

    @inline(always)
    func endRound<Sink: FactSink>(_ now: Moment, _ sink: inout Sink) {
        emitRoundEnded(until: now.adding(milliseconds: pace.settledMilliseconds), into: &sink)
        // Nobody has missed a round, and nobody goes: nothing to see to.
        for place in idle.isEmpty && leaving.isEmpty ? SeatMask() : present {
            if leaving.contains(place) {
                emit(.left(player: players[place].id, chips: players[place].chips), into: &sink)
            } else if players[place].missedRounds >= pace.missedRounds, players[place].isPresent {
                sitOut(place, now, &sink)
            }
        }
        if isClosing, pace.settledMilliseconds <= 0 { finishClosing(&sink) }
    }
}
