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
        naturals = 0
        insured = SeatMask()
        for seat in playing {
            startHand(seat)
            liveHands &+= 1
        }
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

    @inline(__always)
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

    @inline(__always)
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
    @inline(__always)
    private func endLive(_ hand: UnsafeMutablePointer<Hand>, _ end: HandEnd) {
        hand.pointee.state = .ended
        hand.pointee.end = end
        liveHands &-= 1
    }

    @inline(__always)
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
        endLive(hand(seat, 0), .surrendered)
    }

    @inline(__always)
    func applyDoubled(_ seat: Int, _ hand: UnsafeMutablePointer<Hand>, _ added: Int) {
        players[seats[seat].player].chips -= added
        hand.pointee.stake += added
        hand.pointee.isDoubled = true
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
    func applySettled(_ seat: Int, _ hand: UnsafeMutablePointer<Hand>, _ settlement: Settlement, _ stake: Int) {
        hand.pointee.state = .settled
        hand.pointee.settlement = settlement
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
