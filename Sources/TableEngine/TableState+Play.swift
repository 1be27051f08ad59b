import Rules

/// Turns. Seats are counted from 0.
extension TableState {
    // Forced inlining, with TableState+Deal: without, a round takes 9.8 % more instructions with one seat, 19.7 % with seven.

    /// Performs a checked action: an answer to an open question, or a decision of the acting hand.
    @inline(always)
    func act<Sink: FactSink>(_ action: Action, _ move: Move, _ now: Moment, _ sink: inout Sink) {
        if core.stage == .playing { play(action, move, now, &sink) } else { answer(action, move, now, &sink) }
    }

    /// Answers for a seat and continues when every seat has answered.
    func answer<Sink: FactSink>(_ action: Action, _ move: Move, _ now: Moment, _ sink: inout Sink) {
        let seat = move.seat
        switch action {
        case .surrender: emit(.surrendered(seat: seat + 1), into: &sink)
        case .insurance: emit(.insured(seat: seat + 1, amount: move.amount), into: &sink)
        case .evenMoney: emit(.evenMoneyTaken(seat: seat + 1), into: &sink)
        case .decline: emit(.declined(seat: seat + 1, timedOut: false), into: &sink)
        case .hit, .stand, .double, .split: preconditionFailure("not an answer, refused by the checks")
        }
        if action == .surrender || action == .evenMoney { settleIfFinished(seat, 0, &sink) }
        closeQuestionIfAnswered(now, &sink)
    }

    /// Plays the acting hand and starts the next turn.
    @inline(always)
    func play<Sink: FactSink>(_ action: Action, _ move: Move, _ now: Moment, _ sink: inout Sink) {
        let (seat, hand) = (move.seat, move.hand)
        switch action {
        case .hit:
            applyDecision(seat)
            sink.receive(.hit(seat: seat &+ 1, hand: hand))
            deal(to: seat, hand, as: .later, &sink)
        case .stand:
            emitStood(seat, hand, .chosen, into: &sink)
            return giveTurn(to: seat, hand &+ 1, now, &sink)
        case .double:
            emitDoubled(seat, hand, added: move.amount, into: &sink)
            deal(to: seat, hand, as: .later, &sink)
        case .split:
            emit(.split(seat: seat + 1, hand: hand, newHand: seats[seat].handCount), into: &sink)
        case .surrender:
            emit(.surrendered(seat: seat + 1), into: &sink)
        case .insurance, .evenMoney, .decline: preconditionFailure("not part of a turn, refused by the checks")
        }
        giveTurn(to: seat, hand, now, &sink)
    }

    /// Gives the turn to the first undecided hand after this one, or else to the dealer.
    func nextTurn<Sink: FactSink>(after seat: Int, _ hand: Int, _ now: Moment, _ sink: inout Sink) {
        giveTurn(to: seat, hand + 1, now, &sink)
    }

    /// Gives the turn to the first undecided hand from this one on, or else to the dealer. A split hand gets its second card at its
    /// turn.
    @inline(always)
    func giveTurn<Sink: FactSink>(to seat: Int, _ hand: Int, _ now: Moment, _ sink: inout Sink) {
        var (seat, hand) = (seat, hand)
        while true {
            if seat >= 0, hand < seats[seat].handCount {
                if offerTurn(seat, hand, now, &sink) { return }
                hand += 1
            } else {
                guard let next = core.playing.first(after: seat) else { return dealerPlays(now, &sink) }
                (seat, hand) = (next, 0)
            }
        }
    }

    /// Whether the hand waits for a decision; otherwise it is finished.
    @inline(always)
    private func offerTurn<Sink: FactSink>(
        _ seat: Int, _ hand: Int, _ now: Moment, _ sink: inout Sink
    ) -> Bool {
        let current = self.hand(seat, hand)
        if current.pointee.value.count == 1 { deal(to: seat, hand, as: .second, &sink) }
        if current.pointee.state == .open {
            let legal = legalActions(seat, hand)
            if legal.isEmpty {
                emitStood(seat, hand, .automatic, into: &sink)
            } else if players[seats[seat].player].isLeaving {
                emitStood(seat, hand, .absent, into: &sink)
            } else {
                let closes = now.adding(milliseconds: decisionMilliseconds(seats[seat].player))
                emitTurn(seat, hand, legal, closes: closes, into: &sink)
                return true
            }
        }
        settleIfFinished(seat, hand, &sink)
        return false
    }

    /// Settles a hand that has ended, unless it depends on the dealer.
    @inline(always)
    func settleIfFinished<Sink: FactSink>(_ seat: Int, _ hand: Int, _ sink: inout Sink) {
        let current = self.hand(seat, hand)
        guard current.pointee.state == .ended, current.pointee.end != .stood else { return }
        let finished = finished(seat, hand)
        if rules.canSettleEarly(finished, upCard: core.dealer.upCard, seatHasExtraBets: hasExtraBets(seat)) {
            settle(seat, hand, finished, against: HandValue(), &sink)
        }
    }

    @inline(always)
    func settle<Sink: FactSink>(
        _ seat: Int, _ hand: Int, _ finished: FinishedHand, against dealer: HandValue, _ sink: inout Sink
    ) {
        emitSettled(seat, hand, rules.settle(finished, against: dealer), stake: finished.stake, into: &sink)
    }
}
