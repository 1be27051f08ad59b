import Rules

/// What facts about a round change. Seats are counted from 0 here.
extension TableState {
    func applyShuffled(_ number: Int, _ source: ShoeSource) {
        shoe.shuffle(source, number: number)
        nextSource = nil
    }

    @inline(always)
    func applyRoundStarted(_ number: Int) {
        enter(.dealing)
        round = number
        dealer.clear()
        shoe.startRound()
        for seat in playing.subtracting(bets) { seats[seat].handCount = 0 }
        playing = bets
        bets = SeatMask()
        naturals = 0
        insured = SeatMask()
        var started = 0
        for seat in playing {
            startHand(seat)
            started &+= 1
        }
        liveHands = started
        // Where everybody plays, round after round, nobody's count changes.
        if playing != taken || !idle.isEmpty { countMissedRounds() }
    }

    private func countMissedRounds() {
        idle = SeatMask()
        for place in present {
            guard players[place].seats.isDisjoint(with: playing) else {
                (players[place].missedRounds, players[place].seatUntil) = (0, .never)
                continue
            }
            idle.insert(place)
            if players[place].isPresent, couldBet(place) { players[place].missedRounds += 1 }
        }
    }

    /// Whether a player who does not play this round could have: nobody is blamed for waiting for the shuffle.
    private func couldBet(_ place: Int) -> Bool {
        if rules.midShoeEntry || shoe.drawn <= rules.burn { return true }
        for seat in players[place].seats where seats[seat].shoe == shoe.number { return true }
        return false
    }

    @inline(always)
    private func startHand(_ place: Int) {
        let seat = seats + place
        let bet = seat.pointee.bet
        seat.pointee.bet = 0
        seat.pointee.shoe = shoe.number
        seat.pointee.owner = players[seat.pointee.player].id
        seat.pointee.original = bet
        seat.pointee.handCount = 1
        seat.pointee.question = .notAsked
        seat.pointee.insurance = 0
        seat.pointee.insurancePaid = 0
        seat.pointee.insuranceIsSettled = false
        hand(place, 0).pointee.start(stake: bet, origin: .dealt)
    }

    /// Which card of its hand a card is: where the dealing itself says so, nothing is done for another.
    enum CardPlace {
        case first, second, later

        @inline(__always)
        init(after value: HandValue) { self = value.count == 0 ? .first : value.count == 1 ? .second : .later }
    }

    @inline(always)
    func applyDealt(_ id: CardID, _ card: Card, to hand: UnsafeMutablePointer<Hand>, as place: CardPlace) {
        shoe.draw()
        switch place {
        case .first: hand.pointee.addFirst(id, card)
        case .second:
            hand.pointee.addSecond(id, card)
            // Where only equal ranks are a pair: tens are the only equals that may differ.
            if rules.splitBy == .rank, hand.pointee.pairPoints == 10, shoe[hand.pointee.cards[0]].rank != card.rank {
                hand.pointee.pairPoints = 0
            }
            if hand.pointee.isNatural {
                naturals &+= 1
                endLive(hand, .blackjack)
            }
        case .later: addLater(id, card, to: hand)
        }
    }

    @inline(always)
    private func addLater(_ id: CardID, _ card: Card, to hand: UnsafeMutablePointer<Hand>) {
        hand.pointee.add(id, card)
        hand.pointee.pairPoints = 0
        if hand.pointee.value.isBust {
            endLive(hand, .bust)
        } else if Int(hand.pointee.value.count) == rules.charlie {
            endLive(hand, .charlie)
        } else if hand.pointee.isDoubled {
            hand.pointee.state = .ended
        }
    }

    /// Ends a hand that the dealer's total no longer matters to.
    @inline(always)
    private func endLive(_ hand: UnsafeMutablePointer<Hand>, _ end: HandEnd) {
        hand.pointee.state = .ended
        hand.pointee.end = end
        liveHands &-= 1
    }

    @inline(always)
    func applyDealtToDealer(_ id: CardID, _ card: Card, as place: CardPlace) {
        shoe.draw()
        switch place {
        case .first: dealer.upCard = card.rank
        // Without a hole card it is the second one that the dealer's turn begins with.
        case .second: enter(.dealer)
        case .later: break
        }
        dealer.add(id, card)
    }

    @inline(always)
    func applyHoleDealt(_ id: CardID) {
        let card = shoe.next
        shoe.draw()
        dealer.add(id, card)
        dealer.holeIsHidden = true
    }

    @inline(always)
    func applyHoleRevealed() {
        dealer.holeIsHidden = false
        enter(.dealer)
    }

    @inline(always)
    func applyTurn(_ seat: Int, _ hand: Int, _ legal: ActionSet, _ closes: Moment) {
        enter(.playing, until: closes)
        core.pointee.actingSeat = UInt8(truncatingIfNeeded: seat)
        core.pointee.actingHand = UInt8(truncatingIfNeeded: hand)
        turnActions = legal
        turn &+= 1
    }

    func applyQuestion(_ question: Stage, until closes: Moment) {
        enter(question, until: closes)
        turn += 1
        for seat in playing { seats[seat].question = canBeAsked(seat) ? .open : .notAsked }
    }

    func applyDeclined(_ seat: Int, timedOut: Bool) {
        seats[seat].question = .answered
        if timedOut { applyTimeOut(seat) } else { applyDecision(seat) }
    }

    func applyInsured(_ seat: Int, _ amount: Int) {
        seats[seat].question = .answered
        applyDecision(seat)
        seats[seat].insurance = amount
        insured.insert(seat)
        players[seats[seat].player].chips -= amount
    }

    func applyEvenMoney(_ seat: Int) {
        seats[seat].question = .answered
        applyDecision(seat)
        hands[TableState.place(seat, 0)].end = .evenMoney
    }

    func applyInsuranceSettled(_ seat: Int, _ stake: Int, _ paid: Int) {
        seats[seat].insuranceIsSettled = true
        insured.remove(seat)
        seats[seat].insurancePaid = paid
        players[seats[seat].player].chips += paid
        houseNet &+= stake - paid
    }

    @inline(always)
    func applyStood(_ seat: Int, _ hand: Int, _ reason: StandReason) {
        hands[TableState.place(seat, hand)].state = .ended
        switch reason {
        case .chosen: applyDecision(seat)
        case .timedOut: applyTimeOut(seat)
        case .automatic, .absent: break
        }
    }

    func applySurrendered(_ seat: Int) {
        seats[seat].question = .answered
        applyDecision(seat)
        endLive(hand(seat, 0), .surrendered)
    }

    @inline(always)
    func applyDoubled(_ seat: Int, _ hand: UnsafeMutablePointer<Hand>, _ added: Int) {
        applyDecision(seat)
        players[seats[seat].player].chips -= added
        hand.pointee.stake += added
        hand.pointee.isDoubled = true
    }

    func applySplit(_ seat: Int, _ hand: Int, _ newHand: Int) {
        let (old, new) = (TableState.place(seat, hand), TableState.place(seat, newHand))
        let (keptID, movedID) = (hands[old].cards[0], hands[old].cards[1])
        let (kept, moved) = (shoe[keptID], shoe[movedID])
        let origin: HandSituation.Origin = kept.rank.isAce ? .splitAces : .split
        applyDecision(seat)
        players[seats[seat].player].chips -= seats[seat].original
        seats[seat].handCount = newHand + 1
        liveHands += 1
        hands[old].start(stake: hands[old].stake, origin: origin)
        hands[old].add(keptID, kept)
        hands[new].start(stake: seats[seat].original, origin: origin)
        hands[new].add(movedID, moved)
    }

    @inline(always)
    func applySettled(_ seat: Int, _ hand: UnsafeMutablePointer<Hand>, _ settlement: Settlement, _ stake: Int) {
        hand.pointee.state = .settled
        hand.pointee.settlement = settlement
        players[seats[seat].player].chips += settlement.paid
        houseNet &+= stake - settlement.paid
    }

    @inline(always)
    func applyRoundEnded(_ until: Moment) {
        if pace.settledMilliseconds > 0 { enter(.settled, until: until) } else { startWaiting(at: until) }
    }

    /// Nobody has bet: whoever does not for too long sits out.
    @inline(always)
    func startWaiting(at moment: Moment) { enter(.waiting, until: moment.adding(milliseconds: pace.sitOutMilliseconds)) }

    func applyCleared() {
        startWaiting(at: due)
        for seat in playing { seats[seat].handCount = 0 }
        playing = SeatMask()
        dealer.clear()
    }
}
