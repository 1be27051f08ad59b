import Rules

/// The dealer's hand and the end of a round. Seats are counted from 0.
extension TableState {
    func dealerPlays<Sink: FactSink>(_ now: Moment, _ sink: inout Sink) {
        if rules.holeCard == .peek {
            let hole = dealer.cards[1]
            emit(.holeRevealed(hole, shoe[hole]), into: &sink)
        }
        if liveHands > 0 {
            while rules.dealerDraws(to: dealer.value) { dealToDealer(&sink) }
        } else if dealer.value.count == 1, secondCardMatters {
            dealToDealer(&sink)
        }
        settleInsurance(&sink)
        for seat in playing {
            for hand in 0..<seats[seat].handCount where hands[TableState.place(seat, hand)].state != .settled {
                settle(seat, hand, finished(seat, hand), against: dealer.value, &sink)
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

    func endRound<Sink: FactSink>(_ now: Moment, _ sink: inout Sink) {
        emit(.roundEnded(until: now.adding(milliseconds: pace.settledMilliseconds)), into: &sink)
        for place in present {
            let id = players[place].id
            let missedTooMany = players[place].missedRounds >= pace.missedRounds
            if players[place].isLeaving || (missedTooMany && !players[place].isConnected) {
                emit(.left(player: id, chips: players[place].chips), into: &sink)
            } else if missedTooMany, !players[place].isSittingOut {
                emit(.satOut(player: id), into: &sink)
            }
        }
        if isClosing, pace.settledMilliseconds <= 0 { finishClosing(&sink) }
    }
}
