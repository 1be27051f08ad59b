import Rules

/// What facts about a round change. Seats are counted from 0 here.
extension TableState {
    func applyShuffled(_ number: Int, _ source: ShoeSource) {
        shoe.shuffle(source, number: number)
        nextSource = nil
    }

    @inline(__always)
    func applyRoundStarted(_ number: Int) {
        enter(.dealing)
        round = number
        dealer.clear()
        shoe.startRound()
        for seat in playing { seats[seat].handCount = 0 }
        playing = bets
        bets = SeatMask()
        liveHands = 0
        insured = SeatMask()
        for seat in playing { startHand(seat) }
        // Where everybody plays, round after round, nobody's count changes.
        if playing != taken || !idle.isEmpty { countMissedRounds() }
    }

    private func countMissedRounds() {
        idle = SeatMask()
        for place in present {
            let sitsBy = players[place].seats.isDisjoint(with: playing)
            players[place].missedRounds = sitsBy ? players[place].missedRounds + 1 : 0
            if sitsBy { idle.insert(place) }
        }
    }

    @inline(__always)
    private func startHand(_ seat: Int) {
        let bet = seats[seat].bet
        seats[seat].bet = 0
        seats[seat].shoe = shoe.number
        seats[seat].owner = players[seats[seat].player].id
        seats[seat].original = bet
        seats[seat].handCount = 1
        liveHands &+= 1
        seats[seat].question = .notAsked
        seats[seat].insurance = 0
        seats[seat].insurancePaid = 0
        seats[seat].insuranceIsSettled = false
        hands[TableState.place(seat, 0)].start(stake: bet, origin: .dealt)
    }

    @inline(__always)
    func applyDealt(_ id: CardID, _ card: Card, _ seat: Int, _ hand: Int) {
        shoe.draw()
        let place = TableState.place(seat, hand)
        hands[place].add(id, card)
        let value = hands[place].value
        if value.count <= 2 {
            if value.count < 2 { return }
            let rank = card.rank
            let isPair = rules.splitBy.isPair(shoe[hands[place].cards[0]].rank, rank)
            hands[place].pairPoints = isPair ? UInt8(truncatingIfNeeded: rank.points) : 0
            if hands[place].isNatural { endLive(place, .blackjack) }
            return
        }
        hands[place].pairPoints = 0
        if value.isBust {
            endLive(place, .bust)
        } else if Int(value.count) == rules.charlie {
            endLive(place, .charlie)
        } else if hands[place].isDoubled {
            hands[place].state = .ended
        }
    }

    /// Ends a hand that the dealer's total no longer matters to.
    @inline(__always)
    private func endLive(_ place: Int, _ end: HandEnd) {
        hands[place].state = .ended
        hands[place].end = end
        liveHands &-= 1
    }

    @inline(__always)
    func applyDealtToDealer(_ id: CardID, _ card: Card) {
        shoe.draw()
        if dealer.value.count > 0 { enter(.dealer) }
        dealer.add(id, card)
    }

    @inline(__always)
    func applyHoleDealt(_ id: CardID) {
        let card = shoe.next
        shoe.draw()
        dealer.add(id, card)
        dealer.holeIsHidden = true
    }

    @inline(__always)
    func applyHoleRevealed() {
        dealer.holeIsHidden = false
        enter(.dealer)
    }

    @inline(__always)
    func applyTurn(_ seat: Int, _ hand: Int, _ legal: ActionSet, _ closes: Moment) {
        enter(.playing, until: closes)
        core.pointee.actingSeat = UInt8(truncatingIfNeeded: seat)
        core.pointee.actingHand = UInt8(truncatingIfNeeded: hand)
        turnActions = legal
    }

    func applyQuestion(_ question: Stage, until closes: Moment) {
        enter(question, until: closes)
        for seat in playing { seats[seat].question = canBeAsked(seat) ? .open : .notAsked }
    }

    func applyInsured(_ seat: Int, _ amount: Int) {
        seats[seat].question = .answered
        seats[seat].insurance = amount
        insured.insert(seat)
        players[seats[seat].player].chips -= amount
    }

    func applyEvenMoney(_ seat: Int) {
        seats[seat].question = .answered
        hands[TableState.place(seat, 0)].end = .evenMoney
    }

    func applyInsuranceSettled(_ seat: Int, _ stake: Int, _ paid: Int) {
        seats[seat].insuranceIsSettled = true
        insured.remove(seat)
        seats[seat].insurancePaid = paid
        players[seats[seat].player].chips += paid
        houseNet += stake - paid
    }

    @inline(__always)
    func applyStood(_ seat: Int, _ hand: Int) {
        hands[TableState.place(seat, hand)].state = .ended
    }

    func applySurrendered(_ seat: Int) {
        seats[seat].question = .answered
        endLive(TableState.place(seat, 0), .surrendered)
    }

    @inline(__always)
    func applyDoubled(_ seat: Int, _ hand: Int, _ added: Int) {
        players[seats[seat].player].chips -= added
        hands[TableState.place(seat, hand)].stake += added
        hands[TableState.place(seat, hand)].isDoubled = true
    }

    func applySplit(_ seat: Int, _ hand: Int, _ newHand: Int) {
        let (old, new) = (TableState.place(seat, hand), TableState.place(seat, newHand))
        let (keptID, movedID) = (hands[old].cards[0], hands[old].cards[1])
        let (kept, moved) = (shoe[keptID], shoe[movedID])
        let origin: HandSituation.Origin = kept.rank.isAce ? .splitAces : .split
        players[seats[seat].player].chips -= seats[seat].original
        seats[seat].handCount = newHand + 1
        liveHands += 1
        hands[old].start(stake: hands[old].stake, origin: origin)
        hands[old].add(keptID, kept)
        hands[new].start(stake: seats[seat].original, origin: origin)
        hands[new].add(movedID, moved)
    }

    @inline(__always)
    func applySettled(_ seat: Int, _ hand: Int, _ settlement: Settlement, _ stake: Int) {
        let place = TableState.place(seat, hand)
        hands[place].state = .settled
        hands[place].settlement = settlement
        players[seats[seat].player].chips += settlement.paid
        houseNet += stake - settlement.paid
    }

    @inline(__always)
    func applyRoundEnded(_ until: Moment) {
        if pace.settledMilliseconds > 0 { enter(.settled, until: until) } else { enter(.waiting) }
    }

    func applyCleared() {
        enter(.waiting)
        for seat in playing { seats[seat].handCount = 0 }
        playing = SeatMask()
        dealer.clear()
    }
}
