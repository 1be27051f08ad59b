import Rules
import TableModel

/// Bets, and what ends the betting. Seats are counted from 0.
extension TableState {
    @inline(always)
    func placeBet<Sink: FactSink>(_ seat: Int, _ amount: Int, _ now: Moment, _ sink: inout Sink) {
        setBet(seat, amount, now, &sink)
        closeBetsIfComplete(now, &sink)
    }

    @inline(always)
    func setBet<Sink: FactSink>(_ seat: Int, _ amount: Int, _ now: Moment, _ sink: inout Sink) {
        if amount == seats[seat].bet { return }
        emitBet(seat, amount, into: &sink)
        if stage == .waiting {
            emitBettingOpened(closes: now.adding(seconds: rules.bettingSeconds), into: &sink)
        }
    }

    /// Gives back what a player has bet for the next round, and sees whether that ends the betting.
    func returnBets<Sink: FactSink>(of place: Int, _ now: Moment, _ sink: inout Sink) {
        for seat in players[place].seats where seats[seat].bet > 0 {
            emit(.betPlaced(seat: seat + 1, amount: 0), into: &sink)
        }
        closeBetsIfComplete(now, &sink)
    }

    /// Ends the betting when nobody is left to wait for, or nobody has bet any more.
    @inline(always)
    func closeBetsIfComplete<Sink: FactSink>(_ now: Moment, _ sink: inout Sink) {
        guard stage == .betting else { return }
        if bets.isEmpty {
            emit(.bettingAbandoned, into: &sink)
        } else if due <= now || everybodyHasBet, canStartRound {
            startRound(now, &sink)
        }
    }

    /// Whether nobody is left who could still bet and is there to do it.
    @inline(always)
    private var everybodyHasBet: Bool {
        if bets == taken { return true }
        for place in present {
            let open = players[place].seats.subtracting(bets)
            let waitsFor =
                players[place].isPresent && !players[place].isSittingOut && players[place].chips >= rules.minimumBet
            guard waitsFor else { continue }
            for seat in open where mayEnter(seat) { return false }
        }
        return true
    }

    func leave<Sink: FactSink>(_ place: Int, _ now: Moment, _ sink: inout Sink) {
        let id = players[place].id
        if isInRound, !players[place].seats.isDisjoint(with: playing) {
            emit(.leaving(player: id), into: &sink)
            defaultFor(place, now, &sink)
            return
        }
        for seat in players[place].seats where seats[seat].bet > 0 {
            emit(.betPlaced(seat: seat + 1, amount: 0), into: &sink)
        }
        emit(.left(player: id, chips: players[place].chips), into: &sink)
        closeBetsIfComplete(now, &sink)
    }

    /// Whether a round has begun and is not settled yet.
    var isInRound: Bool {
        switch stage {
        case .dealing, .earlySurrender, .insurance, .playing, .dealer: true
        case .waiting, .betting, .settled, .closed: false
        }
    }

    /// Decides for a player who is leaving whatever he is being asked.
    private func defaultFor<Sink: FactSink>(_ place: Int, _ now: Moment, _ sink: inout Sink) {
        switch stage {
        case .earlySurrender, .insurance:
            for seat in players[place].seats where playing.contains(seat) && seats[seat].question == .open {
                emit(.declined(seat: seat + 1, timedOut: false), into: &sink)
            }
            closeQuestionIfAnswered(now, &sink)
        case .playing where players[place].seats.contains(acting.seat):
            let (seat, hand) = acting
            emitStood(seat, hand, .absent, into: &sink)
            nextTurn(after: seat, hand, now, &sink)
        default: break
        }
    }

    func close<Sink: FactSink>(_ notice: ClosingNotice, _ now: Moment, _ sink: inout Sink) {
        emit(.closing(notice), into: &sink)
        if isInRound { return }
        if stage == .settled { return }
        for seat in bets { emit(.betPlaced(seat: seat + 1, amount: 0), into: &sink) }
        if stage == .betting { emit(.bettingAbandoned, into: &sink) }
        finishClosing(&sink)
    }

    /// Sends everybody home when the last round is over.
    func finishClosing<Sink: FactSink>(_ sink: inout Sink) {
        guard isClosing else { return }
        for place in present { emit(.left(player: players[place].id, chips: players[place].chips), into: &sink) }
        emit(.closed, into: &sink)
    }
}
