import Fairness
import Rules
import TableModel

extension TableState {
    // Forced inlining, with the dealer's hand: without, a round takes 2.7 % more instructions with one seat, 1.2 % with seven.

    /// See ``Table/deadline``.
    var deadline: Timestamp? {
        if core.due == .never || core.stage == .waiting { return nil }
        if core.stage == .betting, !canStartRound {
            // Bounded: each stage of a ceremony has a deadline, and a shoe has four attempts at most.
            return core.ceremonyDue == .never ? nil : max(core.due, core.ceremonyDue)
        }
        return core.due
    }

    /// See ``Table/nextEvent``.
    var nextEvent: Timestamp? {
        let next = min(stageDue, core.ceremonyDue, nextPlayerClock?.due ?? .never)
        return next == .never ? nil : next
    }

    @inline(always)
    var canStartRound: Bool { !core.bets.isEmpty && (core.nextSource != nil || !shufflesNext || canPlayOn) }

    func isSomethingDue(at now: Timestamp) -> Bool {
        core.due <= now || core.ceremonyDue <= now || !core.clocked.isEmpty || !rules.midShoeEntry && stageDue <= now
    }

    func advance<Sink: FactSink>(to now: Timestamp, into sink: inout Sink) {
        if isSomethingDue(at: now) { runDue(now, &sink) }
    }

    private func runDue<Sink: FactSink>(_ now: Timestamp, _ sink: inout Sink) {
        while true {
            let (clock, stageDue) = (nextPlayerClock, stageDue)
            if core.ceremonyDue <= now, core.ceremonyDue <= stageDue, core.ceremonyDue <= clock?.due ?? .never {
                progressCeremony(now, &sink)
            } else if let clock, clock.due <= now, clock.due <= stageDue {
                playerTimeOut(clock.slot, now, &sink)
            } else if stageDue <= now {
                timeOut(now, &sink)
            } else {
                return
            }
            followCeremony(now, &sink)
        }
    }

    /// The stage's deadline; in `waiting`, when idle players sit out; `never` without such a timer.
    private var stageDue: Timestamp {
        if core.stage == .waiting {
            if !rules.midShoeEntry, aMemberIdlesBeforeNewcomers {
                // Counted from the start of the stage, which is `due` less the idle time.
                let milliseconds = rules.bettingSeconds * 1000 - pace.sitOutMilliseconds
                return milliseconds < 0 ? core.due.adding(milliseconds: milliseconds) : core.due
            }
            return somebodyIdles ? core.due : .never
        }
        if core.stage == .betting, !canStartRound { return .never }
        return core.due
    }

    /// Whether a present player could bet and has not.
    private var somebodyIdles: Bool {
        for slot in core.present where idles(slot) { return true }
        return false
    }

    private func idles(_ slot: Int) -> Bool { canBet(slot) && !players[slot].isSittingOut }

    /// Whether a player could bet but for the rule that newcomers wait for the shuffle.
    private func isBarred(_ slot: Int) -> Bool {
        guard idles(slot) else { return false }
        for seat in players[slot].seats where mayEnter(seat) { return false }
        return true
    }

    /// Whether a newcomer waits for players of this shoe who do not bet. They sit out after the time of a betting phase.
    private var aMemberIdlesBeforeNewcomers: Bool {
        var (isIdle, isBarred) = (false, false)
        for slot in core.present where idles(slot) {
            if self.isBarred(slot) { isBarred = true } else { isIdle = true }
        }
        return isIdle && isBarred
    }

    private func timeOut<Sink: FactSink>(_ now: Timestamp, _ sink: inout Sink) {
        switch core.stage {
        case .waiting:
            var idle = SeatMask()
            // Newcomers keep waiting while the players for whom they wait sit out.
            let spares = !rules.midShoeEntry && aMemberIdlesBeforeNewcomers
            for slot in core.present where idles(slot) && !(spares && isBarred(slot)) { idle.insert(slot) }
            for slot in idle { sitOut(slot, now, &sink) }
        case .betting: startRound(now, &sink)
        case .earlySurrender, .insurance:
            for seat in core.playing where seats[seat].question == .open {
                charge(seats[seat].player, now, &sink)
                emit(.declined(seat: seat + 1, timedOut: true), into: &sink)
                sitOutIfTooLate(seat, now, &sink)
            }
            closeQuestionIfAnswered(now, &sink)
        case .playing:
            let (seat, hand) = core.acting
            charge(seats[seat].player, now, &sink)
            emit(.stood(seat: seat + 1, hand: hand, .timedOut), into: &sink)
            sitOutIfTooLate(seat, now, &sink)
            nextTurn(after: seat, hand, now, &sink)
        case .settled:
            emit(.cleared, into: &sink)
            finishClosing(&sink)
        case .dealing, .dealer, .closed: break
        }
    }

    private func sitOutIfTooLate<Sink: FactSink>(_ seat: Int, _ now: Timestamp, _ sink: inout Sink) {
        let slot = seats[seat].player
        if players[slot].timeOuts >= pace.timeOuts { sitOut(slot, now, &sink) }
    }
}

/// Timers of single players: the grace period, and the time until a seat is lost.
extension TableState {
    /// The next player timer to fire.
    private var nextPlayerClock: (slot: Int, due: Timestamp)? {
        var next: (slot: Int, due: Timestamp)?
        for slot in core.clocked {
            let due = clock(of: slot)
            if due < next?.due ?? .never { next = (slot, due) }
        }
        return next
    }

    private func clock(of slot: Int) -> Timestamp {
        switch players[slot].presence {
        case .cut(let until): return until
        case .away: return .never
        case .connected:
            // A hand in play is finished first.
            let isPlaying = isInRound && !players[slot].seats.isDisjoint(with: core.playing)
            return players[slot].isSittingOut && !isPlaying ? players[slot].seatUntil : .never
        }
    }

    private func playerTimeOut<Sink: FactSink>(_ slot: Int, _ now: Timestamp, _ sink: inout Sink) {
        if players[slot].isConnected { return leave(slot, now, &sink) }
        emit(.away(player: players[slot].id), into: &sink)
        closeBetsIfComplete(now, &sink)
    }

    /// Sits a player out. The seat timer keeps running if they sat in without playing.
    func sitOut<Sink: FactSink>(_ slot: Int, _ now: Timestamp, _ sink: inout Sink) {
        guard !players[slot].isSittingOut, !players[slot].isLeaving else { return }
        charge(slot, now, &sink)
        let running = players[slot].seatUntil
        let until = running == .never ? now.adding(milliseconds: pace.sitOutMilliseconds) : running
        emit(.satOut(player: players[slot].id, until: until), into: &sink)
    }

    func disconnect<Sink: FactSink>(_ slot: Int, _ now: Timestamp, _ sink: inout Sink) {
        charge(slot, now, &sink)
        let grace = now.adding(milliseconds: pace.graceMilliseconds)
        emit(.disconnected(player: players[slot].id, grace: grace), into: &sink)
        advance(to: now, into: &sink)
    }

    func reconnect<Sink: FactSink>(_ slot: Int, _ now: Timestamp, _ sink: inout Sink) {
        emit(.reconnected(player: players[slot].id), into: &sink)
        startTime(of: slot, now, &sink)
        restartIdling(for: slot, now, &sink)
        // The seat may have been kept only for the absent player.
        advance(to: now, into: &sink)
    }

    /// Frees a disconnected player's seats, after the settlement of their bets.
    func release<Sink: FactSink>(_ slot: Int, _ now: Timestamp, _ sink: inout Sink) {
        let mine = players[slot].seats
        if mine.isDisjoint(with: core.bets), !isInRound || mine.isDisjoint(with: core.playing) { return leave(slot, now, &sink) }
        emit(.released(player: players[slot].id), into: &sink)
    }

    /// Restarts the idle timer for a player who has returned, unless newcomers wait for it.
    func restartIdling<Sink: FactSink>(for slot: Int, _ now: Timestamp, _ sink: inout Sink) {
        guard core.stage == .waiting else { return }
        if !rules.midShoeEntry {
            for other in core.present where other != slot && isBarred(other) { return }
        }
        emit(.idling(until: now.adding(milliseconds: pace.sitOutMilliseconds)), into: &sink)
    }
}

// MARK: - Bank

/// Milliseconds that a player who left had spent of the bank.
package struct Debt: Hashable, Sendable {
    package static let blank = Debt(player: PlayerID(0), spent: 0)
    static let most = 16

    package var player: PlayerID
    package var spent: Int
}

/// Time banks. The first ``Pace/freeMilliseconds`` of a betting phase or a decision are free. After that each player for whom
/// others wait spends time from a bank, including at a time-out, but not while disconnected.
///
/// A decision's clock is limited by the free time and the rest of the bank. Betting, or a question to all, ends once the banks
/// of all awaited players are empty: its deadline is brought forward to the latest of these times whenever fewer players are
/// awaited. Slots are counted from 0.
extension TableState {
    // MARK: Charging

    /// Charges a player for whom the others wait.
    func charge<Sink: FactSink>(_ slot: Int, _ now: Timestamp, _ sink: inout Sink) {
        guard core.freeUntil < now, players[slot].isConnected, isAwaited(slot) else { return }
        let from = max(core.freeUntil, players[slot].since)
        guard from < now else { return }
        emit(.charged(player: players[slot].id, milliseconds: Int(now.milliseconds - from.milliseconds), from: now), into: &sink)
    }

    /// Restarts the charged time of a player for whom others begin to wait after the free time: no time before `now` is charged.
    func startTime<Sink: FactSink>(of slot: Int, _ now: Timestamp, _ sink: inout Sink) {
        guard core.freeUntil < now, isAwaited(slot), players[slot].since < now else { return }
        emit(.charged(player: players[slot].id, milliseconds: 0, from: now), into: &sink)
    }

    private func isAwaited(_ slot: Int) -> Bool {
        switch core.stage {
        case .betting: return isBetAwaited(slot)
        case .earlySurrender, .insurance:
            return players[slot].seats.contains { core.playing.contains($0) && seats[$0].question == .open }
        case .playing: return seats[core.acting.seat].player == slot
        case .waiting, .dealing, .dealer, .settled, .closed: return false
        }
    }

    /// Brings the deadline of betting or a question forward to the time when the last awaited player's bank is empty.
    func hurry<Sink: FactSink>(_ sink: inout Sink) {
        var last: Timestamp?
        for slot in core.present where isAwaited(slot) {
            let end = max(core.freeUntil, players[slot].since).adding(milliseconds: pace.bankMilliseconds - players[slot].spent)
            last = max(last ?? end, end)
        }
        if let last, last < core.due { emit(.idling(until: last), into: &sink) }
    }

    /// The clock of a player's decision.
    @inline(always)
    func decisionMilliseconds(_ slot: Int) -> Int {
        min(rules.decisionSeconds &* 1000, Pace.freeMilliseconds &+ pace.bankMilliseconds &- players[slot].spent)
    }

    // MARK: Effects

    /// Limits the spent time to the new size of a bank.
    func paceChanged(from former: Pace, _ now: Timestamp) {
        let bank = pace.bankMilliseconds
        for slot in core.spenders {
            players[slot].spent = min(bank, players[slot].spent)
            if players[slot].spent == 0 { core.spenders.remove(slot) }
        }
        for index in debts.indices { debts[index].spent = min(bank, debts[index].spent) }
        debts.removeAll { $0.spent == 0 }
        // While newcomers wait for a shuffle, the start is derived from the end, so the length must not change.
        guard core.stage == .waiting, core.due != .never, !rules.midShoeEntry else { return }
        if pace.sitOutMilliseconds != former.sitOutMilliseconds { startWaiting(at: now) }
    }

    @inline(always)
    func applyBettingOpened(_ closes: Timestamp) {
        enter(.betting, until: closes)
        // Without a pause after rounds, the first bet of the next round clears the table.
        if !core.playing.isEmpty { takeRoundOff() }
        startFreeTime(closes, ofSeconds: rules.bettingSeconds)
    }

    /// - Parameter closes: the end of the stage, `seconds` after its start.
    func startFreeTime(_ closes: Timestamp, ofSeconds seconds: Int) {
        core.freeUntil = closes.adding(milliseconds: Pace.freeMilliseconds - seconds * 1000)
    }

    func applyCharged(_ id: PlayerID, _ milliseconds: Int, _ from: Timestamp) {
        guard let slot = slot(of: id) else { return }
        players[slot].since = from
        players[slot].spent = min(pace.bankMilliseconds, players[slot].spent + milliseconds)
        if players[slot].spent > 0 { core.spenders.insert(slot) }
    }

    /// Each round gives some time back.
    func refillBanks() {
        for slot in core.spenders {
            players[slot].spent = max(0, players[slot].spent - Pace.refillMilliseconds)
            if players[slot].spent == 0 { core.spenders.remove(slot) }
        }
        for index in debts.indices { debts[index].spent -= Pace.refillMilliseconds }
        debts.removeAll { $0.spent <= 0 }
    }

    func keepDebt(_ slot: Int) {
        guard players[slot].spent > 0 else { return }
        if debts.count == Debt.most { debts.removeFirst() }
        debts.append(Debt(player: players[slot].id, spent: players[slot].spent))
    }

    func takeDebt(_ slot: Int) {
        guard let index = debts.firstIndex(where: { $0.player == players[slot].id }) else { return }
        players[slot].spent = debts.remove(at: index).spent
        core.spenders.insert(slot)
    }

    // MARK: Deal

    // From the last bet to the first turn. Seats are counted from 0.

    // Forced inlining, with turns in TableState+Moves: without, a round takes 9.8 % more instructions with one seat, 19.7 % with seven.

    @inline(always)
    func deal<Sink: FactSink>(to seat: Int, _ hand: Int, _ sink: inout Sink) {
        refillShoe(&sink)
        emit(.dealt(CardID(core.shoe.drawn), core.shoe.next, seat: seat + 1, hand: hand), into: &sink)
    }

    @inline(always)
    func dealToDealer<Sink: FactSink>(_ sink: inout Sink) {
        refillShoe(&sink)
        emit(.dealtToDealer(CardID(core.shoe.drawn), core.shoe.next), into: &sink)
    }

    @inline(always)
    private func refillShoe<Sink: FactSink>(_ sink: inout Sink) {
        if core.shoe.isExhausted { emit(.reshuffled(cards: core.shoe.reshuffleCount), into: &sink) }
    }

    func startRound<Sink: FactSink>(_ now: Timestamp, _ sink: inout Sink) {
        if core.freeUntil < now { for slot in core.present { charge(slot, now, &sink) } }
        if shufflesNext, let source = core.nextSource {
            if core.hasCeremonies, ceremonies?.next?.isMixed == true { revealSecret(&sink) }
            emit(.shuffled(shoe: core.shoe.number + 1, source: source), into: &sink)
            for _ in 0..<rules.burn { emit(.burned(CardID(core.shoe.drawn)), into: &sink) }
        }
        emit(.roundStarted(round: core.round + 1), into: &sink)
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
        for seat in core.playing { deal(to: seat, 0, &sink) }
        dealToDealer(&sink)
        for seat in core.playing { deal(to: seat, 0, &sink) }
        // The shoe cannot run out here: a round starts only with two cards for everybody.
        if rules.holeCard == .peek { emit(.holeDealt(CardID(core.shoe.drawn)), into: &sink) }
    }

    private func askEarlySurrender<Sink: FactSink>(_ now: Timestamp, _ sink: inout Sink) {
        if rules.asksEarlySurrender(upCard: core.dealer.upCard), somebodyMayAct {
            emit(.earlySurrenderOffered(closes: now.adding(seconds: rules.insuranceSeconds)), into: &sink)
            declineForLeaving(&sink)
            closeQuestionIfAnswered(now, &sink)
        } else {
            askInsurance(now, &sink)
        }
    }

    private func askInsurance<Sink: FactSink>(_ now: Timestamp, _ sink: inout Sink) {
        if rules.insurance, core.dealer.upCard.isAce, somebodyIsInsurable {
            emit(.insuranceOffered(closes: now.adding(seconds: rules.insuranceSeconds)), into: &sink)
            declineForLeaving(&sink)
            closeQuestionIfAnswered(now, &sink)
        } else {
            peek(now, &sink)
        }
    }

    private var somebodyMayAct: Bool { core.playing.contains { hand($0, 0).pointee.state == .open } }

    private var somebodyIsInsurable: Bool { core.playing.contains(where: isInsurable) }

    private func declineForLeaving<Sink: FactSink>(_ sink: inout Sink) {
        for seat in core.playing where seats[seat].question == .open && players[seats[seat].player].isLeaving {
            emit(.declined(seat: seat + 1, timedOut: false), into: &sink)
        }
    }

    /// Continues when every seat has answered.
    func closeQuestionIfAnswered<Sink: FactSink>(_ now: Timestamp, _ sink: inout Sink) {
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
    private func peekAndPlay<Sink: FactSink>(_ now: Timestamp, _ sink: inout Sink) {
        if rules.holeCard == .peek {
            if core.dealer.value.isTwoCard21 { return dealerPlays(now, &sink) }
            if core.dealer.upCard.canMakeBlackjack { sink.receive(.peeked) }
            if !core.insured.isEmpty { settleInsurance(&sink) }
        }
        settleFinishedHands(&sink)
        nextTurn(after: -1, 0, now, &sink)
    }

    /// Not inlined: questions are rare.
    private func peek<Sink: FactSink>(_ now: Timestamp, _ sink: inout Sink) { peekAndPlay(now, &sink) }

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

    // MARK: Dealer

    // The dealer's hand and the end of a round. Seats are counted from 0.

    // Forced inlining, with the deadlines above: without, a round takes 2.7 % more instructions with one seat, 1.2 % with seven.

    func dealerPlays<Sink: FactSink>(_ now: Timestamp, _ sink: inout Sink) {
        if rules.holeCard == .peek { emit(.holeRevealed(core.dealer.cards[1], core.shoe[core.dealer.cards[1]]), into: &sink) }
        if core.liveHands > 0 {
            if core.dealer.value.count == 1 { dealToDealer(&sink) }
            while rules.dealerDraws(to: core.dealer.value) { dealToDealer(&sink) }
        } else if core.dealer.value.count == 1, secondCardMatters {
            dealToDealer(&sink)
        }
        if !core.insured.isEmpty { settleInsurance(&sink) }
        let value = core.dealer.value
        for seat in core.playing {
            for hand in 0..<seats[seat].handCount where hands[TableState.handIndex(seat, hand)].state != .settled {
                settle(seat, hand, finished(seat, hand), against: value, &sink)
            }
        }
        endRound(now, &sink)
    }

    /// Whether the dealer's second card matters although no hand stands: for insurance, or for a hand that only a dealer's
    /// blackjack affects.
    private var secondCardMatters: Bool {
        if !core.insured.isEmpty { return true }
        for seat in core.playing {
            for hand in 0..<seats[seat].handCount where hands[TableState.handIndex(seat, hand)].state != .settled { return true }
        }
        return false
    }

    @inline(always)
    func endRound<Sink: FactSink>(_ now: Timestamp, _ sink: inout Sink) {
        emit(.roundEnded(until: now.adding(milliseconds: pace.settledMilliseconds)), into: &sink)
        sink.roundEnded(Table(self))
        // Skips the loop when nobody has missed a round or is leaving.
        for slot in core.idle.isEmpty && core.leaving.isEmpty ? SeatMask() : core.present {
            if core.leaving.contains(slot) {
                emit(.left(player: players[slot].id, chips: players[slot].chips), into: &sink)
            } else if players[slot].missedRounds >= pace.missedRounds, canBet(slot) {
                sitOut(slot, now, &sink)
            } else if players[slot].missedRounds >= Pace.brokeRounds, players[slot].isPresent {
                // Frees the seat of a player who cannot bet. A new stake may be taken at any free seat.
                leave(slot, now, &sink)
            }
        }
        if core.hasCeremonies { revealSecretIfOver(&sink) }
        if core.isClosing, pace.settledMilliseconds <= 0 { finishClosing(&sink) }
    }

    // MARK: Postponing

    /// Has no effect, and emits nothing, for 0 milliseconds.
    func postpone<Sink: FactSink>(_ milliseconds: Int, _ sink: inout Sink) throws(Rejection) {
        precondition((0...1 << 53).contains(milliseconds), "a table is postponed by 0 to 2^53 milliseconds")
        try checkOpen()
        if milliseconds > 0 { emit(.postponed(milliseconds: milliseconds), into: &sink) }
    }

    func applyPostponed(_ milliseconds: Int) {
        core.due = core.due.postponed(by: milliseconds)
        core.ceremonyDue = core.ceremonyDue.postponed(by: milliseconds)
        core.freeUntil = core.freeUntil.postponed(by: milliseconds)
        for slot in core.present {
            if players[slot].since.milliseconds > 0 { players[slot].since = players[slot].since.postponed(by: milliseconds) }
            players[slot].seatUntil = players[slot].seatUntil.postponed(by: milliseconds)
            if case .cut(let until) = players[slot].presence {
                players[slot].presence = .cut(until: until.postponed(by: milliseconds))
            }
        }
    }

    // MARK: Voiding

    /// Aborts the round in play: returns every unsettled stake to its owner, hand by hand, and removes the cards. No effect outside
    /// a round.
    func void<Sink: FactSink>(_ now: Timestamp, _ sink: inout Sink) {
        guard isInRound else { return }
        for seat in core.playing {
            if core.insured.contains(seat), !seats[seat].insuranceIsSettled {
                let stake = seats[seat].insurance
                emit(.insuranceSettled(seat: seat + 1, stake: stake, paid: stake), into: &sink)
            }
            for hand in 0..<seats[seat].handCount where hands[Self.handIndex(seat, hand)].state != .settled {
                let stake = hands[Self.handIndex(seat, hand)].stake
                emit(.settled(seat: seat + 1, hand: hand, .push, stake: stake, paid: stake), into: &sink)
            }
        }
        endRound(now, &sink)
        // A closing table shows no results: nobody is left.
        guard core.isClosing, case .settled = phase else { return }
        emit(.cleared, into: &sink)
        finishClosing(&sink)
    }

    // MARK: Ceremony

    /// Whether a shuffle is due for which the key is missing. Nothing is due without players, and at a closing table.
    private var isKeyNeeded: Bool { !core.present.isEmpty && !core.isClosing && shufflesNext }

    /// Whether the shoe in play can serve a round although its shuffle is due, so that a withheld reveal delays nobody.
    var canPlayOn: Bool {
        core.hasCeremonies && core.shoe.number > 0 && !rules.continuousShuffle && core.shoe.remaining >= cardsForDeal
            && (rules.midShoeEntry || !someNewcomerHasBet)
    }

    /// Takes the steps of the ceremony that are due. Called after every command and time-out.
    @inline(always)
    func followCeremony<Sink: FactSink>(_ now: Timestamp, _ sink: inout Sink) {
        guard core.hasCeremonies, core.nextSource == nil, core.ceremonyDue != .never || isKeyNeeded else { return }
        progressCeremony(now, &sink)
    }

    @inline(never)
    func progressCeremony<Sink: FactSink>(_ now: Timestamp, _ sink: inout Sink) {
        // A table that the same command has closed takes no more facts.
        guard core.stage != .closed, let ceremonies, let next = ceremonies.next else { return }
        switch next.stage {
        case .open:
            guard isKeyNeeded else {
                if core.ceremonyDue != .never { emit(.listDue(until: nil), into: &sink) }
                return
            }
            let isMissing = someCommitmentIsMissing(next)
            // After a void attempt, viewers must see the new commitment, and who withheld, before its list closes: if both came in one
            // change, no client could tell that the commitment preceded the contributions.
            let isUnseen = ceremonies.voidAttempts > 0 && core.ceremonyDue == .never
            if core.ceremonyDue <= now || !isMissing && !isUnseen {
                closeList(now, &sink)
            } else if core.ceremonyDue == .never {
                emit(.listDue(until: now.adding(milliseconds: isMissing ? Ceremonies.commitMilliseconds : 1)), into: &sink)
            }
        case .revealing:
            // In the last attempt a player who leaves is not waited for. In earlier ones leaving makes the attempt void, without blame.
            let missing = next.contributions.filter { $0.reveal == nil }
            let isSomebodyGone = missing.contains { !isStaying($0.player) }
            let isWaiting = missing.contains { isStaying($0.player) }
            if ceremonies.isLastAttempt {
                if !isWaiting || core.ceremonyDue <= now { mix(now, &sink) }
            } else if isSomebodyGone {
                emit(.attemptVoided(timedOut: false), into: &sink)
            } else if !isWaiting {
                mix(now, &sink)
            } else if core.ceremonyDue <= now {
                emit(.attemptVoided(timedOut: true), into: &sink)
            }
        case .mixed: return
        }
    }

    private func isStaying(_ player: PlayerID) -> Bool { slot(of: player).map { !players[$0].isLeaving } ?? false }

    /// Whether a connected player who contributes has not committed.
    private func someCommitmentIsMissing(_ attempt: Attempt) -> Bool {
        for slot in core.present {
            let player = players[slot]
            guard player.profile.contributes, player.isConnected, !player.isLeaving, !isExcluded(player.id) else { continue }
            if attempt.index(of: player.id) == nil { return true }
        }
        return false
    }

    private func isExcluded(_ player: PlayerID) -> Bool { ceremonies?.excluded.contains(player) == true }

    private func closeList<Sink: FactSink>(_ now: Timestamp, _ sink: inout Sink) {
        let times = Ceremonies.revealMilliseconds
        let until = now.adding(milliseconds: core.shoe.number > 0 ? times.withShoe : times.withoutShoe)
        emit(.listClosed(until: until), into: &sink)
        // No contributors: closes at once.
        if ceremonies?.next?.contributions.isEmpty == true { mix(now, &sink) }
    }

    private func mix<Sink: FactSink>(_ now: Timestamp, _ sink: inout Sink) {
        guard let key = ceremonies?.next?.key else { preconditionFailure("a closed list gives a key") }
        emit(.shoeSupplied(.keyed(key)), into: &sink)
        closeBetsIfComplete(now, &sink)
    }

    /// Reveals the secret of the shoe in play when none of its cards will be dealt: the next round begins with a shuffle for which
    /// the key is there, or there is no next round.
    func revealSecretIfOver<Sink: FactSink>(_ sink: inout Sink) {
        let isOver = core.isClosing || ceremonies?.next?.isMixed == true && shuffleIsDue
        if isOver { revealSecret(&sink) }
    }

    /// - Precondition: no card of the shoe in play will be dealt.
    func revealSecret<Sink: FactSink>(_ sink: inout Sink) {
        guard let played = ceremonies?.played, !played.isRevealed else { return }
        emit(.secretRevealed(shoe: played.attempt.shoe), into: &sink)
    }

    /// The number of the coming ceremony's shoe: with continuous shuffling one ceremony makes 32.
    var comingShoe: Int {
        guard rules.continuousShuffle, let played = ceremonies?.played else { return core.shoe.number &+ 1 }
        return played.attempt.shoe &+ Ceremonies.shoesOfContinuousShuffle
    }
}

extension Timestamp {
    /// `never` stays `never`.
    fileprivate func postponed(by milliseconds: Int) -> Timestamp {
        self == .never ? self : adding(milliseconds: milliseconds)
    }
}

/// Checks of requests.
extension TableState {
    /// Until the list closes, a later commitment replaces an earlier one: nothing is revealed yet, and the player may have changed devices.
    /// - Returns: whether the commitment is new.
    func checkCommit(
        _ player: PlayerID, _ name: String, server: Digest, _ contribution: Digest
    ) throws(Rejection) -> Bool {
        let slot = try checkLeave(player)
        guard players[slot].profile.contributes else { throw .notContributing }
        guard let next = ceremonies?.next else { throw .noCeremony }
        guard server == next.commitment else { throw .staleCommitment }
        if isExcluded(player) { throw .hasWithheld }
        let known = next.index(of: player).map { next.contributions[$0] }
        if let known, known.commitment == contribution, known.name == name { return false }
        guard next.isOpen else { throw known == nil ? .noCeremony : .alreadyCommitted }
        return true
    }

    /// - Returns: whether the reveal is new.
    func checkReveal(_ player: PlayerID, list: Digest, _ contribution: ShoeSecret) throws(Rejection) -> Bool {
        _ = try checkSeated(player)
        guard let ceremonies, let next = ceremonies.next, let closed = next.list else { throw .noCeremony }
        guard list == closed else { throw .staleList }
        guard let index = next.index(of: player) else { throw .notOnList }
        guard next.isCommitted(contribution, by: index, at: ceremonies.table) else { throw .wrongContribution }
        if next.contributions[index].reveal != nil { return false }
        // Too late: the order is made without it.
        if next.isMixed { throw .noCeremony }
        return true
    }
}
