import Rules

/// The dealer's hand and the end of a round. Seats are counted from 0.
extension TableState {
    func dealerPlays<Sink: FactSink>(_ now: Moment, _ sink: inout Sink) {
        if rules.holeCard == .peek {
            let hole = dealer.cards[1]
            emit(.holeRevealed(hole, shoe[hole]), into: &sink)
        }
        let (hasLive, hasWaiting) = openHands
        if hasLive {
            while rules.dealerDraws(to: dealer.value) { dealToDealer(&sink) }
        } else if hasWaiting, dealer.value.count == 1 {
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

    /// Whether a standing hand waits for the dealer's total; and whether anything else waits for the dealer's second card.
    private var openHands: (live: Bool, waiting: Bool) {
        var (live, waiting) = (false, false)
        for seat in playing {
            if seats[seat].insurance > 0, !seats[seat].insuranceIsSettled { waiting = true }
            for hand in 0..<seats[seat].handCount {
                let place = TableState.place(seat, hand)
                if hands[place].state == .settled { continue }
                if hands[place].end == .stood { live = true } else { waiting = true }
            }
        }
        return (live, waiting)
    }

    private func endRound<Sink: FactSink>(_ now: Moment, _ sink: inout Sink) {
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
        if pace.settledMilliseconds <= 0 { finishClosing(&sink) }
    }
}
