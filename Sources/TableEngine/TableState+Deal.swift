import Rules

/// From the last bet to the first turn. Seats are counted from 0.
extension TableState {
    // Forced inlining, with TableState+Play: without, a round takes 9.8 % more instructions with one seat, 19.7 % with seven.

    @inline(always)
    func deal<Sink: FactSink>(to seat: Int, _ hand: Int, as ordinal: CardOrdinal, _ sink: inout Sink) {
        refillShoe(&sink)
        emitDealt(to: seat, hand, as: ordinal, into: &sink)
    }

    @inline(always)
    func dealToDealer<Sink: FactSink>(as ordinal: CardOrdinal, _ sink: inout Sink) {
        refillShoe(&sink)
        emitDealtToDealer(as: ordinal, into: &sink)
    }

    @inline(always)
    private func refillShoe<Sink: FactSink>(_ sink: inout Sink) {
        if core.shoe.isExhausted { emit(.reshuffled(cards: core.shoe.reshuffleCount), into: &sink) }
    }

    func startRound<Sink: FactSink>(_ now: Moment, _ sink: inout Sink) {
        if core.freeUntil < now { for slot in core.present { charge(slot, now, &sink) } }
        if shufflesNext, let source = core.nextSource {
            if core.hasCeremonies, ceremonies?.next?.isMixed == true { revealSecret(&sink) }
            emit(.shuffled(shoe: core.shoe.number + 1, source: source), into: &sink)
            for _ in 0..<rules.burn { emit(.burned(CardID(core.shoe.drawn)), into: &sink) }
        }
        emitRoundStarted(into: &sink)
        dealOpeningCards(&sink)
        if rules.asksEarlySurrender(upCard: core.dealer.upCard) || (rules.insurance && core.dealer.upCard.isAce) {
            askEarlySurrender(now, &sink)
        } else {
            peekAndPlay(now, &sink)
        }
    }

    /// One card to each seat, the dealer's up card, a second card to each seat, the hole card.
    @inline(always)
    private func dealOpeningCards<Sink: FactSink>(_ sink: inout Sink) {
        // The shoe cannot run out here: a round starts only with two cards for everybody.
        for seat in core.playing { emitDealt(to: seat, 0, as: .first, into: &sink) }
        emitDealtToDealer(as: .first, into: &sink)
        for seat in core.playing { emitDealt(to: seat, 0, as: .second, into: &sink) }
        if rules.holeCard == .peek { emitHoleDealt(into: &sink) }
    }

    private func askEarlySurrender<Sink: FactSink>(_ now: Moment, _ sink: inout Sink) {
        if rules.asksEarlySurrender(upCard: core.dealer.upCard), somebodyMayAct {
            emit(.earlySurrenderOffered(closes: now.adding(seconds: rules.insuranceSeconds)), into: &sink)
            declineForLeaving(&sink)
            closeQuestionIfAnswered(now, &sink)
        } else {
            askInsurance(now, &sink)
        }
    }

    private func askInsurance<Sink: FactSink>(_ now: Moment, _ sink: inout Sink) {
        if rules.insurance, core.dealer.upCard.isAce, somebodyIsInsurable {
            emit(.insuranceOffered(closes: now.adding(seconds: rules.insuranceSeconds)), into: &sink)
            declineForLeaving(&sink)
            closeQuestionIfAnswered(now, &sink)
        } else {
            peek(now, &sink)
        }
    }

    // Loops instead of closures: a closure that captures the table would copy it.

    private var somebodyMayAct: Bool {
        for seat in core.playing where hands[TableState.handIndex(seat, 0)].state == .open { return true }
        return false
    }

    private var somebodyIsInsurable: Bool {
        for seat in core.playing where isInsurable(seat) { return true }
        return false
    }

    private func declineForLeaving<Sink: FactSink>(_ sink: inout Sink) {
        for seat in core.playing where seats[seat].question == .open && players[seats[seat].player].isLeaving {
            emit(.declined(seat: seat + 1, timedOut: false), into: &sink)
        }
    }

    /// Continues when every seat has answered.
    func closeQuestionIfAnswered<Sink: FactSink>(_ now: Moment, _ sink: inout Sink) {
        for seat in core.playing where seats[seat].question == .open {
            if core.freeUntil != .never { hurry(&sink) }
            return
        }
        switch core.stage {
        case .earlySurrender: askInsurance(now, &sink)
        case .insurance: peek(now, &sink)
        default: break
        }
    }

    /// Peeks at the hole card, if any, and settles insurance before the first turn.
    @inline(always)
    private func peekAndPlay<Sink: FactSink>(_ now: Moment, _ sink: inout Sink) {
        if rules.holeCard == .peek {
            if core.dealer.value.isTwoCard21 { return dealerPlays(now, &sink) }
            if core.dealer.upCard.canMakeBlackjack { sink.receive(.peeked) }
            if !core.insured.isEmpty { settleInsurance(&sink) }
        }
        settleFinishedHands(&sink)
        nextTurn(after: -1, 0, now, &sink)
    }

    /// After a question, which is rare: outlined from the common path.
    private func peek<Sink: FactSink>(_ now: Moment, _ sink: inout Sink) { peekAndPlay(now, &sink) }

    func settleInsurance<Sink: FactSink>(_ sink: inout Sink) {
        for seat in core.insured {
            let stake = seats[seat].insurance
            let paid = core.dealer.value.isTwoCard21 ? HouseRules.insuranceReturn(of: stake) : 0
            emit(.insuranceSettled(seat: seat + 1, stake: stake, paid: paid), into: &sink)
        }
    }

    /// Settles hands that have ended and do not depend on the dealer.
    @inline(always)
    private func settleFinishedHands<Sink: FactSink>(_ sink: inout Sink) {
        // Hands that surrendered early are settled already.
        if core.naturals == 0 { return }
        for seat in core.playing { settleIfFinished(seat, 0, &sink) }
    }
}
