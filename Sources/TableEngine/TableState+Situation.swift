import Rules

/// Derived state. Seats are counted from 0.
extension TableState {
    // Forced inlining, with TableState+CheckMoves: without, a round takes 8.3 % more instructions with one seat, 14.3 % with seven.

    /// The stage with its payload.
    var phase: Phase {
        switch core.stage {
        case .waiting: .waiting
        case .betting: .betting(closes: core.due)
        case .dealing: .dealing
        case .earlySurrender: .earlySurrender(closes: core.due)
        case .insurance: .insurance(closes: core.due)
        case .playing: .playing(seat: core.acting.seat + 1, hand: core.acting.hand, closes: core.due)
        case .dealer: .dealer
        case .settled: .settled(until: core.due)
        case .closed: .closed
        }
    }

    @inline(always)
    func slot(of player: PlayerID) -> Int? {
        for slot in core.present where players[slot].id == player { return slot }
        return nil
    }

    @inline(always)
    func situation(_ seat: Int, _ hand: Int) -> HandSituation {
        let slot = TableState.handIndex(seat, hand)
        return HandSituation(
            value: hands[slot].value, isPair: hands[slot].pairPoints > 0, origin: hands[slot].origin,
            handsAtSeat: seats[seat].handCount, upCard: core.dealer.upCard, bet: seats[seat].original,
            bankroll: players[seats[seat].player].chips)
    }

    /// The legal actions of an open hand.
    @inline(always)
    func legalActions(_ seat: Int, _ hand: Int) -> ActionSet {
        if players[seats[seat].player].chips < seats[seat].original { return legalActionsWhenShort(seat, hand) }
        let slot = TableState.handIndex(seat, hand)
        let splits = hands[slot].pairPoints > 0 && seats[seat].handCount < rules.maxHands
        return legality.actions(hands[slot].value, hands[slot].origin, splits: splits, up: core.dealer.upCard)
    }

    @inline(never)
    private func legalActionsWhenShort(_ seat: Int, _ hand: Int) -> ActionSet {
        rules.legalActions(for: situation(seat, hand))
    }

    /// Whether a seat may bet. Without mid-shoe entry: only if it has played this shoe, if the next round shuffles, or if no seated
    /// player has played this shoe.
    @inline(always)
    func mayEnter(_ seat: Int) -> Bool {
        rules.midShoeEntry || isMember(seat) || shuffleIsDue || !someMemberIsSeated
    }

    private var someMemberIsSeated: Bool {
        // An absent player keeps nobody from betting.
        for seat in core.taken where isMember(seat) && (pace.bankMilliseconds == nil || players[seats[seat].player].isPresent) {
            return true
        }
        return false
    }

    var someNewcomerHasBet: Bool {
        for seat in core.bets where !isMember(seat) { return true }
        return false
    }

    private func isMember(_ seat: Int) -> Bool { core.shoe.number > 0 && seats[seat].shoe == core.shoe.number }

    /// Whether the next round begins with a shuffle, whatever the bets.
    @inline(always)
    var shuffleIsDue: Bool {
        core.shoe.number == 0 || core.shoe.cutReached || rules.continuousShuffle
            || (core.shoe.remaining < TableState.mostCardsForDeal && core.shoe.remaining < cardsForDeal)
    }

    /// Whether a round with the present bets begins with a shuffle.
    @inline(always)
    var shufflesNext: Bool {
        shuffleIsDue || (!rules.midShoeEntry && someNewcomerHasBet)
    }

    /// The need of a full table of seven seats. Bets are counted only when fewer cards are left.
    private static let mostCardsForDeal = 2 * (7 + 1)

    /// Two cards for each bet and for the dealer: the minimum to start a round.
    var cardsForDeal: Int { 2 * (core.bets.count + 1) }

    /// Whether the current question applies to a seat.
    func canBeAsked(_ seat: Int) -> Bool {
        switch core.stage {
        case .earlySurrender: hands[TableState.handIndex(seat, 0)].state == .open
        case .insurance: isInsurable(seat)
        default: false
        }
    }

    /// Whether a seat can insure: it has not surrendered and has the chips.
    func isInsurable(_ seat: Int) -> Bool {
        hands[TableState.handIndex(seat, 0)].state != .settled && insuranceAnswers(seat) != .decline
    }

    /// The legal answers to the current question.
    func answers(_ seat: Int) -> ActionSet {
        switch core.stage {
        case .earlySurrender: [.surrender, .decline]
        case .insurance: insuranceAnswers(seat)
        default: []
        }
    }

    private func insuranceAnswers(_ seat: Int) -> ActionSet {
        var legal: ActionSet = .decline
        let chips = players[seats[seat].player].chips
        if !rules.insuranceAmounts(bet: seats[seat].original, bankroll: chips).isEmpty { legal.insert(.insurance) }
        if rules.evenMoney, hands[TableState.handIndex(seat, 0)].isNatural { legal.insert(.evenMoney) }
        return legal
    }

    /// Whether a seat has chips that a European dealer's blackjack does not take: then even a lost hand waits.
    func hasExtraBets(_ seat: Int) -> Bool {
        seats[seat].handCount > 1 || hands[TableState.handIndex(seat, 0)].stake > seats[seat].original
    }

    @inline(always)
    func finished(_ seat: Int, _ hand: Int) -> FinishedHand {
        let slot = TableState.handIndex(seat, hand)
        return FinishedHand(
            end: hands[slot].end, total: hands[slot].value.total, stake: hands[slot].stake,
            original: hand == 0 ? seats[seat].original : 0)
    }
}
