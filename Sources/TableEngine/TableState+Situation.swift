import Rules

/// What follows from the state and is asked in several places. Seats are counted from 0.
extension TableState {
    /// What the table is doing, with what belongs to it.
    var phase: Phase {
        switch stage {
        case .waiting: .waiting
        case .betting: .betting(closes: due)
        case .dealing: .dealing
        case .earlySurrender: .earlySurrender(closes: due)
        case .insurance: .insurance(closes: due)
        case .playing: .playing(seat: acting.seat + 1, hand: acting.hand, closes: due)
        case .dealer: .dealer
        case .settled: .settled(until: due)
        case .closed: .closed
        }
    }

    @inline(always)
    func place(of player: PlayerID) -> Int? {
        for place in present where players[place].id == player { return place }
        return nil
    }

    @inline(always)
    func situation(_ seat: Int, _ hand: Int) -> HandSituation {
        let place = TableState.place(seat, hand)
        return HandSituation(
            value: hands[place].value, isPair: hands[place].pairPoints > 0, origin: hands[place].origin,
            handsAtSeat: seats[seat].handCount, upCard: dealer.upCard, bet: seats[seat].original,
            bankroll: players[seats[seat].player].chips)
    }

    /// What the hand, which is open, may do: what the rules say to its situation.
    @inline(always)
    func legalActions(_ seat: Int, _ hand: Int) -> ActionSet {
        if players[seats[seat].player].chips < seats[seat].original { return legalActionsWhenShort(seat, hand) }
        let place = TableState.place(seat, hand)
        let splits = hands[place].pairPoints > 0 && seats[seat].handCount < rules.maxHands
        return legality.actions(hands[place].value, hands[place].origin, splits: splits, up: dealer.upCard)
    }

    @inline(never)
    private func legalActionsWhenShort(_ seat: Int, _ hand: Int) -> ActionSet {
        rules.legalActions(for: situation(seat, hand))
    }

    /// Whether a seat may bet now: where the house lets nobody in mid-shoe, only one that has played this shoe, or one whose round
    /// begins with a shuffle. It does once nobody who has played this shoe is seated, whoever bets first.
    @inline(always)
    func mayEnter(_ seat: Int) -> Bool {
        rules.midShoeEntry || isMember(seat) || shuffleIsDue || !someMemberIsSeated
    }

    private var someMemberIsSeated: Bool {
        for seat in taken where isMember(seat) { return true }
        return false
    }

    private var someNewcomerHasBet: Bool {
        for seat in bets where !isMember(seat) { return true }
        return false
    }

    private func isMember(_ seat: Int) -> Bool { shoe.number > 0 && seats[seat].shoe == shoe.number }

    /// Whether the next round begins with a shuffle, whoever bets.
    @inline(always)
    var shuffleIsDue: Bool {
        shoe.number == 0 || shoe.cutReached || rules.continuousShuffle
            || (shoe.remaining < TableState.mostCardsForDeal && shoe.remaining < cardsForDeal)
    }

    /// Whether the round that the bets ask for begins with a shuffle.
    @inline(always)
    var shufflesNext: Bool {
        shuffleIsDue || (!rules.midShoeEntry && someNewcomerHasBet)
    }

    /// What a full table of seven seats takes: seldom fewer are left, so seldom are the bets counted.
    private static let mostCardsForDeal = 2 * (7 + 1)

    /// A round is not begun on a shoe that cannot give everybody two cards.
    private var cardsForDeal: Int { 2 * (bets.count + 1) }

    /// Whether the question in force is put to a seat at all.
    func canBeAsked(_ seat: Int) -> Bool {
        switch stage {
        case .earlySurrender: hands[TableState.place(seat, 0)].state == .open
        case .insurance: isInsurable(seat)
        default: false
        }
    }

    /// Whether a seat has anything to say about insurance: not one that has surrendered, nor one that cannot pay for it.
    func isInsurable(_ seat: Int) -> Bool {
        hands[TableState.place(seat, 0)].state != .settled && insuranceAnswers(seat) != .decline
    }

    /// What may be answered to the question in force.
    func answers(_ seat: Int) -> ActionSet {
        switch stage {
        case .earlySurrender: [.surrender, .decline]
        case .insurance: insuranceAnswers(seat)
        default: []
        }
    }

    private func insuranceAnswers(_ seat: Int) -> ActionSet {
        var legal: ActionSet = .decline
        let chips = players[seats[seat].player].chips
        if !rules.insuranceAmounts(bet: seats[seat].original, bankroll: chips).isEmpty { legal.insert(.insurance) }
        if rules.evenMoney, hands[TableState.place(seat, 0)].isNatural { legal.insert(.evenMoney) }
        return legal
    }

    /// Whether a seat has chips on it that a European dealer's blackjack does not take: then even a lost hand waits.
    func hasExtraBets(_ seat: Int) -> Bool {
        seats[seat].handCount > 1 || hands[TableState.place(seat, 0)].stake > seats[seat].original
    }

    @inline(always)
    func finished(_ seat: Int, _ hand: Int) -> FinishedHand {
        let place = TableState.place(seat, hand)
        return FinishedHand(
            end: hands[place].end, total: hands[place].value.total, stake: hands[place].stake,
            original: hand == 0 ? seats[seat].original : 0)
    }
}
