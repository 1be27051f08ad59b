import Rules

/// Turns. Seats are counted from 0.
extension TableState {
    @inline(__always)
    func act<Sink: FactSink>(_ action: Action, _ move: Move, _ now: Moment, _ sink: inout Sink) {
        let (seat, hand) = (move.seat, move.hand)
        switch action {
        case .hit:
            emit(.hit(seat: seat + 1, hand: hand), into: &sink)
            deal(to: seat, hand, &sink)
            continueTurn(seat, hand, now, &sink)
        case .stand:
            emit(.stood(seat: seat + 1, hand: hand, .chosen), into: &sink)
            nextTurn(after: seat, hand, now, &sink)
        case .double:
            emit(.doubled(seat: seat + 1, hand: hand, added: move.amount), into: &sink)
            deal(to: seat, hand, &sink)
            continueTurn(seat, hand, now, &sink)
        case .split:
            emit(.split(seat: seat + 1, hand: hand, newHand: seats[seat].handCount), into: &sink)
            continueTurn(seat, hand, now, &sink)
        case .surrender:
            emit(.surrendered(seat: seat + 1), into: &sink)
            if case .earlySurrender = phase {
                settleIfFinished(seat, hand, &sink)
                closeQuestionIfAnswered(now, &sink)
            } else {
                continueTurn(seat, hand, now, &sink)
            }
        case .insurance:
            emit(.insured(seat: seat + 1, amount: move.amount), into: &sink)
            closeQuestionIfAnswered(now, &sink)
        case .evenMoney:
            emit(.evenMoneyTaken(seat: seat + 1), into: &sink)
            settleIfFinished(seat, 0, &sink)
            closeQuestionIfAnswered(now, &sink)
        case .decline:
            emit(.declined(seat: seat + 1, timedOut: false), into: &sink)
            closeQuestionIfAnswered(now, &sink)
        }
    }

    /// Asks a hand for its next decision, or goes on to the next hand where nothing is left to decide.
    @inline(__always)
    private func continueTurn<Sink: FactSink>(_ seat: Int, _ hand: Int, _ now: Moment, _ sink: inout Sink) {
        if !offerTurn(seat, hand, now, &sink) { nextTurn(after: seat, hand, now, &sink) }
    }

    /// Gives the turn to the first hand after this one that has something to decide, and else to the dealer. A seat finishes all its
    /// hands before the next seat; a split hand gets its second card when its turn comes.
    func nextTurn<Sink: FactSink>(after seat: Int, _ hand: Int, _ now: Moment, _ sink: inout Sink) {
        var hand = hand + 1
        if seat >= 0 {
            while hand < seats[seat].handCount {
                if offerTurn(seat, hand, now, &sink) { return }
                hand += 1
            }
        }
        for next in playing where next > seat {
            for hand in 0..<seats[next].handCount where offerTurn(next, hand, now, &sink) { return }
        }
        dealerPlays(now, &sink)
    }

    /// Whether the hand now waits for a decision; if not, it is finished.
    private func offerTurn<Sink: FactSink>(
        _ seat: Int, _ hand: Int, _ now: Moment, _ sink: inout Sink
    ) -> Bool {
        let place = TableState.place(seat, hand)
        if hands[place].value.count == 1 { deal(to: seat, hand, &sink) }
        if hands[place].state == .open {
            let legal = rules.legalActions(for: situation(seat, hand))
            if legal.isEmpty {
                emit(.stood(seat: seat + 1, hand: hand, .automatic), into: &sink)
            } else if players[seats[seat].player].isAbsent {
                emit(.stood(seat: seat + 1, hand: hand, .absent), into: &sink)
            } else {
                let closes = now.adding(seconds: rules.decisionSeconds)
                emit(.turnStarted(seat: seat + 1, hand: hand, legal: legal, closes: closes), into: &sink)
                return true
            }
        }
        settleIfFinished(seat, hand, &sink)
        return false
    }

    /// Settles a hand that has ended, unless it has to wait for the dealer.
    @inline(__always)
    func settleIfFinished<Sink: FactSink>(_ seat: Int, _ hand: Int, _ sink: inout Sink) {
        let place = TableState.place(seat, hand)
        guard hands[place].state == .ended, hands[place].end != .stood else { return }
        let finished = finished(seat, hand)
        if rules.canSettleEarly(finished, upCard: dealer.upCard, seatHasExtraBets: hasExtraBets(seat)) {
            settle(seat, hand, finished, against: HandValue(), &sink)
        }
    }

    @inline(__always)
    func settle<Sink: FactSink>(
        _ seat: Int, _ hand: Int, _ finished: FinishedHand, against dealer: HandValue, _ sink: inout Sink
    ) {
        let settlement = rules.settle(finished, against: dealer)
        emit(
            .settled(seat: seat + 1, hand: hand, settlement.outcome, stake: finished.stake, paid: settlement.paid),
            into: &sink)
    }
}
