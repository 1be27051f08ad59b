import Rules

extension TableState {
    @inline(__always)
    func enter(_ stage: Stage, until due: Moment = .never) {
        self.stage = stage
        self.due = due
    }

    /// Changes the table as the fact says: the only way in which a table ever changes.
    func apply(_ fact: Fact) {
        switch fact {
        case .sat(let id, let profile, let seat, let chips): applySat(id, profile, seat - 1, chips)
        case .left(let id, _): applyLeft(id)
        case .leaving(let id): applyLeaving(id)
        case .satOut(let id): change(id) { $0.isSittingOut = true }
        case .satIn(let id): change(id) { ($0.isSittingOut, $0.missedRounds) = (false, 0) }
        case .disconnected(let id): change(id) { $0.isConnected = false }
        case .reconnected(let id): change(id) { $0.isConnected = true }
        case .shoeSupplied(let source): nextSource = source
        case .shuffled(let number, let source): applyShuffled(number, source)
        case .burned: shoe.draw()
        case .reshuffled: shoe.reshuffle()
        case .bettingOpened(let closes): enter(.betting, until: closes)
        case .betPlaced(let seat, let amount): applyBet(seat - 1, amount)
        case .bettingAbandoned: enter(.waiting)
        case .roundStarted(let round): applyRoundStarted(round)
        case .dealt(let id, let card, let seat, let number):
            let hand = hand(seat - 1, number)
            applyDealt(id, card, to: hand, as: CardPlace(after: hand.pointee.value))
        case .dealtToDealer(let id, let card): applyDealtToDealer(id, card, as: CardPlace(after: dealer.value))
        case .holeDealt(let id): applyHoleDealt(id)
        case .earlySurrenderOffered(let closes): applyQuestion(.earlySurrender, until: closes)
        case .insuranceOffered(let closes): applyQuestion(.insurance, until: closes)
        case .insured(let seat, let amount): applyInsured(seat - 1, amount)
        case .evenMoneyTaken(let seat): applyEvenMoney(seat - 1)
        case .declined(let seat, _): seats[seat - 1].question = .answered
        case .peeked: break
        case .insuranceSettled(let seat, let stake, let paid): applyInsuranceSettled(seat - 1, stake, paid)
        case .turnStarted(let seat, let hand, let legal, let closes): applyTurn(seat - 1, hand, legal, closes)
        case .hit: break
        case .stood(let seat, let hand, _): applyStood(seat - 1, hand)
        case .doubled(let seat, let hand, let added): applyDoubled(seat - 1, self.hand(seat - 1, hand), added)
        case .split(let seat, let hand, let newHand): applySplit(seat - 1, hand, newHand)
        case .surrendered(let seat): applySurrendered(seat - 1)
        case .holeRevealed: applyHoleRevealed()
        case .settled(let seat, let hand, let outcome, let stake, let paid):
            applySettled(seat - 1, self.hand(seat - 1, hand), Settlement(outcome, paid: paid), stake)
        case .roundEnded(let until): applyRoundEnded(until)
        case .cleared: applyCleared()
        case .closing: isClosing = true
        case .closed: enter(.closed)
        }
    }
}
