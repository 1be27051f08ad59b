import Rules

extension TableState {
    func enter(_ stage: Stage, until due: Moment = .never) {
        self.core.stage = stage
        self.core.due = due
    }

    /// Applies a fact. Only facts change a table: a command is checked, becomes facts, and each is applied here, exactly as it is when
    /// a journal is replayed. A recorded fact has passed `misfit(of:)` before, so nothing here can fail.
    ///
    /// Facts count seats from 1, as players, pages and journals do; the arrays of a table count from 0. This function is the border:
    /// every seat loses one here, and no function behind it sees a seat from 1.
    func apply(_ fact: Fact) {
        switch fact {
        case .sat(let id, let profile, let seat, let chips): applySat(id, profile, seat - 1, chips)
        case .left(let id, _): applyLeft(id)
        case .leaving(let id): applyLeaving(id)
        case .satOut(let id, let until): applySatOut(id, until)
        case .satIn(let id): change(id) { ($0.isSittingOut, $0.missedRounds, $0.timeOuts) = (false, 0, 0) }
        case .disconnected(let id, let grace): change(id) { $0.presence = .cut(until: grace) }
        case .away(let id): change(id) { $0.presence = .away }
        case .reconnected(let id): applyReconnected(id)
        case .released(let id): applyReleased(id)
        case .idling(let until): core.due = until
        case .charged(let id, let milliseconds, let from): applyCharged(id, milliseconds, from)
        case .shoeSupplied(let source): applySupplied(source)
        case .shuffled(let number, let source): applyShuffled(number, source)
        case .burned: core.shoe.draw()
        case .reshuffled: applyReshuffled()
        case .bettingOpened(let closes): applyBettingOpened(closes)
        case .betPlaced(let seat, let amount): applyBet(seat - 1, amount)
        case .bettingAbandoned: startWaiting(at: core.due)
        case .roundStarted(let round): applyRoundStarted(round)
        case .dealt(let id, let card, let seat, let number):
            let hand = hand(seat - 1, number)
            applyDealt(id, card, to: hand, as: CardOrdinal(after: hand.pointee.value))
        case .dealtToDealer(let id, let card): applyDealtToDealer(id, card, as: CardOrdinal(after: core.dealer.value))
        case .holeDealt(let id): applyHoleDealt(id)
        case .earlySurrenderOffered(let closes): applyQuestion(.earlySurrender, until: closes)
        case .insuranceOffered(let closes): applyQuestion(.insurance, until: closes)
        case .insured(let seat, let amount): applyInsured(seat - 1, amount)
        case .evenMoneyTaken(let seat): applyEvenMoney(seat - 1)
        case .declined(let seat, let timedOut): applyDeclined(seat - 1, timedOut: timedOut)
        case .peeked: break
        case .insuranceSettled(let seat, let stake, let paid): applyInsuranceSettled(seat - 1, stake, paid)
        case .turnStarted(let seat, let hand, let legal, let closes): applyTurn(seat - 1, hand, legal, closes)
        case .hit(let seat, _): applyDecision(seat - 1)
        case .stood(let seat, let hand, let reason): applyStood(seat - 1, hand, reason)
        case .doubled(let seat, let hand, let added): applyDoubled(seat - 1, self.hand(seat - 1, hand), added)
        case .split(let seat, let hand, let newHand): applySplit(seat - 1, hand, newHand)
        case .surrendered(let seat): applySurrendered(seat - 1)
        case .holeRevealed: applyHoleRevealed()
        case .settled(let seat, let hand, let outcome, let stake, let paid):
            applySettled(seat - 1, self.hand(seat - 1, hand), Settlement(outcome, paid: paid), stake)
        case .roundEnded(let until): applyRoundEnded(until)
        case .cleared: applyCleared()
        case .closing(let notice): (core.isClosing, core.closing) = (true, notice)
        case .closed: applyClosed()
        case .postponed(let milliseconds): applyPostponed(milliseconds)
        case .declared, .ceremoniesBegan, .ceremonyOpened, .contributed, .listDue, .listClosed, .revealed, .attemptVoided,
            .secretRevealed:
            applyCeremony(fact)
        }
    }
}
