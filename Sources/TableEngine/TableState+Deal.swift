import Rules

/// From the last bet to the first turn. Seats are counted from 0.
extension TableState {
    @inline(always)
    func deal<Sink: FactSink>(to seat: Int, _ hand: Int, as place: CardPlace, _ sink: inout Sink) {
        refillShoe(&sink)
        emitDealt(to: seat, hand, as: place, into: &sink)
    }

    @inline(always)
    func dealToDealer<Sink: FactSink>(as place: CardPlace, _ sink: inout Sink) {
        refillShoe(&sink)
        emitDealtToDealer(as: place, into: &sink)
    }

    @inline(always)
    private func refillShoe<Sink: FactSink>(_ sink: inout Sink) {
        if shoe.isExhausted { emit(.reshuffled(cards: shoe.reshuffleCount), into: &sink) }
    }

    func startRound<Sink: FactSink>(_ now: Moment, _ sink: inout Sink) {
        if shufflesNext {
            guard let source = nextSource else { preconditionFailure("no round is begun without the shoe it needs") }
            emit(.shuffled(shoe: shoe.number + 1, source: source), into: &sink)
            for _ in 0..<rules.burn { emit(.burned(CardID(shoe.drawn)), into: &sink) }
        }
        emitRoundStarted(into: &sink)
        dealOpeningCards(&sink)
        if rules.asksEarlySurrender(upCard: dealer.upCard) || (rules.insurance && dealer.upCard.isAce) {
            askEarlySurrender(now, &sink)
        } else {
            peekAndPlay(now, &sink)
        }
    }

    /// One card to each seat, the dealer's up card, a second card to each seat, the hole card.
    @inline(always)
    private func dealOpeningCards<Sink: FactSink>(_ sink: inout Sink) {
        // No check here whether the shoe runs out: a round is not begun on one that cannot give everybody two cards.
        for seat in playing { emitDealt(to: seat, 0, as: .first, into: &sink) }
        emitDealtToDealer(as: .first, into: &sink)
        for seat in playing { emitDealt(to: seat, 0, as: .second, into: &sink) }
        if rules.holeCard == .peek { emitHoleDealt(into: &sink) }
    }

    private func askEarlySurrender<Sink: FactSink>(_ now: Moment, _ sink: inout Sink) {
        if rules.asksEarlySurrender(upCard: dealer.upCard), somebodyMayAct {
            emit(.earlySurrenderOffered(closes: now.adding(seconds: rules.insuranceSeconds)), into: &sink)
            declineForLeaving(&sink)
            closeQuestionIfAnswered(now, &sink)
        } else {
            askInsurance(now, &sink)
        }
    }

    private func askInsurance<Sink: FactSink>(_ now: Moment, _ sink: inout Sink) {
        if rules.insurance, dealer.upCard.isAce, somebodyIsInsurable {
            emit(.insuranceOffered(closes: now.adding(seconds: rules.insuranceSeconds)), into: &sink)
            declineForLeaving(&sink)
            closeQuestionIfAnswered(now, &sink)
        } else {
            peek(now, &sink)
        }
    }

    // Loops rather than closures: a closure over a table would copy the table.

    private var somebodyMayAct: Bool {
        for seat in playing where hands[TableState.place(seat, 0)].state == .open { return true }
        return false
    }

    private var somebodyIsInsurable: Bool {
        for seat in playing where isInsurable(seat) { return true }
        return false
    }

    private func declineForLeaving<Sink: FactSink>(_ sink: inout Sink) {
        for seat in playing where seats[seat].question == .open && players[seats[seat].player].isLeaving {
            emit(.declined(seat: seat + 1, timedOut: false), into: &sink)
        }
    }

    /// Goes on when every seat that was asked has answered.
    func closeQuestionIfAnswered<Sink: FactSink>(_ now: Moment, _ sink: inout Sink) {
        for seat in playing where seats[seat].question == .open { return }
        switch stage {
        case .earlySurrender: askInsurance(now, &sink)
        case .insurance: peek(now, &sink)
        default: break
        }
    }

    /// The dealer looks at the hole card, where there is one; insurance is settled before anybody plays.
    @inline(always)
    private func peekAndPlay<Sink: FactSink>(_ now: Moment, _ sink: inout Sink) {
        if rules.holeCard == .peek {
            if dealer.value.isTwoCard21 { return dealerPlays(now, &sink) }
            if dealer.upCard.canMakeBlackjack { sink.receive(.peeked) }
            if !insured.isEmpty { settleInsurance(&sink) }
        }
        settleFinishedHands(&sink)
        nextTurn(after: -1, 0, now, &sink)
    }

    /// The same where something has been asked first, which is seldom.
    private func peek<Sink: FactSink>(_ now: Moment, _ sink: inout Sink) { peekAndPlay(now, &sink) }

    func settleInsurance<Sink: FactSink>(_ sink: inout Sink) {
        for seat in insured {
            let stake = seats[seat].insurance
            let paid = dealer.value.isTwoCard21 ? HouseRules.insuranceReturn(of: stake) : 0
            emit(.insuranceSettled(seat: seat + 1, stake: stake, paid: paid), into: &sink)
        }
    }

    /// Settles hands that have ended and need not wait for the dealer.
    @inline(always)
    private func settleFinishedHands<Sink: FactSink>(_ sink: inout Sink) {
        // Whoever has surrendered early is settled already.
        if naturals == 0 { return }
        for seat in playing { settleIfFinished(seat, 0, &sink) }
    }
}
